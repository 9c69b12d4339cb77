//! The answers of one submission.

use serde_json::{Value, json};

use super::value::AnswerValue;
use crate::form::{Field, FieldKey, FieldKind};

/// The answers of one submission, in the order of the form's fields; never two of one field, and never none of one that was
/// taken.
#[derive(Debug, Clone, PartialEq, Eq, Default, derive_more::Deref)]
pub struct Answers {
    #[deref]
    list: Vec<(FieldKey, AnswerValue)>,
    nps: Option<u8>,
    happiness: Option<u8>,
    /// The index of the comment in the list.
    comment: Option<usize>,
}

impl Answers {
    pub fn get(&self, key: &str) -> Option<&AnswerValue> {
        let mut answers = self.list.iter();
        let answer = answers.find(|(answered, _)| answered.as_str() == key);
        answer.map(|(_, value)| value)
    }

    /// The answer to the field of type `nps`, 0 to 10.
    pub fn nps(&self) -> Option<u8> {
        self.nps
    }

    /// The answer to the field of type `happiness`, 1 to 5.
    pub fn happiness(&self) -> Option<u8> {
        self.happiness
    }

    /// The answer to the field of type `comment`.
    pub fn comment(&self) -> Option<&str> {
        match self.list.get(self.comment?) {
            Some((_, AnswerValue::Text(text))) => Some(text),
            _ => None,
        }
    }

    /// An object of the answers by key: what is stored.
    pub fn to_value(&self) -> Value {
        let answers = self.iter();
        answers
            .map(|(key, value)| (key.as_str().to_owned(), json!(value)))
            .collect()
    }

    pub(super) fn push(&mut self, field: &Field, value: AnswerValue) {
        match field.kind {
            FieldKind::Nps => self.nps = value.grade(),
            FieldKind::Happiness => self.happiness = value.grade(),
            FieldKind::Comment => self.comment = Some(self.list.len()),
            FieldKind::Rating { .. }
            | FieldKind::Choice { .. }
            | FieldKind::Choices { .. }
            | FieldKind::Text => {}
        }
        self.list.push((field.key.clone(), value));
    }
}
