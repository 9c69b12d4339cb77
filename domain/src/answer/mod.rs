//! What a person answered: read from a body and judged by the form (`read`, `value`), or read back from the store.
//!
//! Visits, links and the counting of answers are not known here.

mod read;
mod stored;
#[cfg(test)]
mod tests;
mod value;

use serde::Serialize;
use serde_json::Value;

pub use self::stored::UnreadableAnswers;
use crate::form::{Field, FieldKey, FieldKind};

/// The answers of one submission, in the order of the form's fields; never two of one field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answers {
    list: Vec<(FieldKey, AnswerValue)>,
    nps: Option<u8>,
    happiness: Option<u8>,
    /// Where in the list.
    comment: Option<usize>,
}

/// One answer. In JSON a number, a string or a list of strings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum AnswerValue {
    /// Of `nps`, `happiness` and `rating`.
    Grade(u8),
    /// The value of an option.
    Choice(String),
    /// The values of options, each once, in the order given; at least one.
    Choices(Vec<String>),
    /// Of `text` and `comment`: not blank, lines end in LF.
    Text(String),
}

/// One thing wrong with a submission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldProblem {
    /// The field's key; of a key that the form has not, at most 100 characters; `""` means the answers as a whole.
    pub key: String,
    /// One of [`crate::invalid::code`].
    pub code: &'static str,
    /// A sentence for the person who answers.
    pub detail: String,
}

impl Answers {
    /// In the order of the form's fields.
    pub fn iter(&self) -> impl Iterator<Item = (&FieldKey, &AnswerValue)> {
        self.list.iter().map(|(key, value)| (key, value))
    }

    pub fn get(&self, key: &str) -> Option<&AnswerValue> {
        self.iter()
            .find(|(answered, _)| answered.as_str() == key)
            .map(|(_, value)| value)
    }

    /// How many fields are answered. Never 0 of a submission that was taken.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
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
        self.iter()
            .map(|(key, value)| {
                let value = match value {
                    AnswerValue::Grade(grade) => Value::from(*grade),
                    AnswerValue::Choice(text) | AnswerValue::Text(text) => {
                        Value::from(text.as_str())
                    }
                    AnswerValue::Choices(values) => Value::from(values.as_slice()),
                };
                (key.as_str().to_owned(), value)
            })
            .collect()
    }

    fn push(&mut self, field: &Field, value: AnswerValue) {
        match (&field.kind, &value) {
            (FieldKind::Nps, AnswerValue::Grade(grade)) => self.nps = Some(*grade),
            (FieldKind::Happiness, AnswerValue::Grade(grade)) => self.happiness = Some(*grade),
            (FieldKind::Comment, _) => self.comment = Some(self.list.len()),
            _ => {}
        }
        self.list.push((field.key.clone(), value));
    }
}
