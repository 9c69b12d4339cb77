//! The answers of one submission, as they are read and as the store keeps them.

use serde_json::{Value, json};

use super::value::AnswerValue;
use crate::form::{Field, FieldKey, FieldKind, FormContent};

/// The answers of one submission, in the order of the form's fields: at least one, and at most one of each field.
#[derive(Debug, Clone, PartialEq, Eq, Default, derive_more::Deref)]
pub struct Answers {
    #[deref]
    list: Vec<(FieldKey, AnswerValue)>,
    /// What was written beside an option that was chosen, by the keys of fields.
    texts: Vec<(FieldKey, String)>,
    /// The answer to the field of type `nps`, 0 to 10.
    pub nps: Option<u8>,
    /// The answer to the field of type `happiness`, 1 to 5.
    pub happiness: Option<u8>,
    /// Whether the field of type `comment` is answered.
    pub has_comment: bool,
}

impl Answers {
    pub fn get(&self, key: &str) -> Option<&AnswerValue> {
        let mut answers = self.list.iter();
        let answer = answers.find(|(answered, _)| answered.as_str() == key);
        answer.map(|(_, value)| value)
    }

    /// An object of the answers by key, and of the texts beside options by the names that their fields give them: what is stored.
    pub fn to_value(&self) -> Value {
        let answers = self.iter();
        let answers = answers.map(|(key, value)| (key.as_str().to_owned(), json!(value)));
        let texts = self.texts.iter();
        let texts = texts.map(|(key, text)| (key.text_name(), json!(text)));
        answers.chain(texts).collect()
    }

    /// Reads what [`Answers::to_value`] gave, with the form as it is now: fields and options may have been retired
    /// since, and what was optional may be missing.
    ///
    /// # Errors
    /// An answer that the form cannot have taken, because it is another form or an older version.
    pub fn from_stored(form: &FormContent, stored: Value) -> Result<Self, String> {
        let unreadable = |key| format!("the form cannot have taken the stored answer to `{key}`");
        let Value::Object(mut stored) = stored else {
            return Err(unreadable(""));
        };
        let mut answers = Answers::default();
        for field in &form.fields {
            let key = field.key.as_str();
            if let Some(value) = stored.remove(key) {
                let value = AnswerValue::from_stored(field, value);
                let text = stored.remove(&field.key.text_name());
                let text = text.map(|text| match text {
                    Value::String(text) => Ok(text),
                    _ => Err(unreadable(key)),
                });
                let value = value.ok_or_else(|| unreadable(key))?;
                answers.push(field, value, text.transpose()?);
            }
        }
        match stored.keys().next() {
            Some(key) => Err(unreadable(key)),
            None => Ok(answers),
        }
    }

    pub(super) fn push(&mut self, field: &Field, value: AnswerValue, text: Option<String>) {
        match field.kind {
            FieldKind::Nps => self.nps = value.grade(),
            FieldKind::Happiness => self.happiness = value.grade(),
            FieldKind::Comment => self.has_comment = true,
            // Reports have no figure of their own for the other types.
            _ => {}
        }
        self.list.push((field.key.clone(), value));
        self.texts
            .extend(text.map(|text| (field.key.clone(), text)));
    }
}
