//! Answers as the store keeps them.

use serde_json::Value;

use super::answers::Answers;
use super::value::AnswerValue;
use crate::form::FormContent;

/// A stored answer that the form cannot have taken: the form is not the answers', or older than they are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the form cannot have taken the stored answer to `{key}`")]
pub struct UnreadableAnswers {
    pub key: String,
}

impl Answers {
    /// Reads what [`Answers::to_value`] gave, with the form as it is now: fields and options may have been retired
    /// since, and what was optional may be missing.
    pub fn from_stored(form: &FormContent, stored: Value) -> Result<Self, UnreadableAnswers> {
        let Value::Object(mut stored) = stored else {
            return Err(UnreadableAnswers { key: String::new() });
        };
        let mut answers = Answers::default();
        for field in &form.fields {
            if let Some(value) = stored.remove(field.key.as_str()) {
                let Some(value) = AnswerValue::from_stored(field, value) else {
                    let key = field.key.as_str().to_owned();
                    return Err(UnreadableAnswers { key });
                };
                answers.push(field, value);
            }
        }
        match stored.into_iter().next() {
            Some((key, _)) => Err(UnreadableAnswers { key }),
            None => Ok(answers),
        }
    }
}
