//! The answer to one field: from JSON, from the texts of a form-encoded body, or from the store.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::problem::FieldProblems;
use crate::form::{AnswerShape, ChoiceOption, Field, Grades, MAX_OPTIONS};
use crate::invalid::code;

/// A grade, a text or the value of an option, or the values of options.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum AnswerValue {
    Grade(u8),
    // The value of an option; or a text that is not blank, whose lines end in LF.
    Text(String),
    // The values of options, each once, in the order given; at least one.
    Chosen(Vec<String>),
}

impl AnswerValue {
    pub fn grade(&self) -> Option<u8> {
        match self {
            Self::Grade(grade) => Some(*grade),
            Self::Text(_) | Self::Chosen(_) => None,
        }
    }

    pub(super) fn to_json(&self) -> Value {
        match self {
            Self::Grade(grade) => Value::from(*grade),
            Self::Text(text) => Value::from(text.as_str()),
            Self::Chosen(values) => Value::from(values.as_slice()),
        }
    }

    /// Reads a member of a JSON object, not `null`.
    pub(super) fn from_json(
        field: &Field,
        value: &Value,
        problems: &mut FieldProblems,
    ) -> Option<Self> {
        match field.kind.shape() {
            AnswerShape::Grade(grades) => grade(field, grades, value, problems),
            AnswerShape::One(options) => {
                let value = string(field, value, problems)?;
                one(field, options, value, problems)
            }
            AnswerShape::Many(options) => {
                let values = value.as_array();
                if values.is_some_and(|values| values.len() > MAX_OPTIONS) {
                    problems.too_many(field);
                    return None;
                }
                let texts = values.and_then(|v| v.iter().map(Value::as_str).collect());
                let Some(texts): Option<Vec<_>> = texts else {
                    problems.wrong_type(field, "This is not an array of strings.");
                    return None;
                };
                many(field, options, &texts, problems)
            }
            AnswerShape::Text { max_chars } => {
                let value = string(field, value, problems)?;
                text(field, max_chars, value, problems)
            }
        }
    }

    /// Reads the values that the page sent under the field's key, none empty.
    pub(super) fn from_texts(
        field: &Field,
        values: &[&str],
        problems: &mut FieldProblems,
    ) -> Option<Self> {
        match field.kind.shape() {
            AnswerShape::Grade(grades) => {
                let value = single(field, values, problems)?;
                // In plain digits a grade is the same in JSON; `5.0`, `+5`, `05` and ` 5` are none.
                let digits = value.bytes().all(|byte| byte.is_ascii_digit());
                let number = serde_json::from_str(value).ok().filter(|_| digits);
                grade(field, grades, &number.unwrap_or(Value::Null), problems)
            }
            AnswerShape::One(options) => {
                one(field, options, single(field, values, problems)?, problems)
            }
            AnswerShape::Many(_) if values.len() > MAX_OPTIONS => {
                problems.too_many(field);
                None
            }
            AnswerShape::Many(options) => many(field, options, values, problems),
            AnswerShape::Text { max_chars } => {
                text(field, max_chars, single(field, values, problems)?, problems)
            }
        }
    }

    /// Reads what [`to_json`](Self::to_json) gave. An option may have been retired since.
    pub(super) fn from_stored(field: &Field, value: Value) -> Option<Self> {
        match (field.kind.shape(), value) {
            (AnswerShape::Grade(grades), value) => grades.read(&value).ok().map(Self::Grade),
            (AnswerShape::One(_) | AnswerShape::Text { .. }, Value::String(text)) => {
                Some(Self::Text(text))
            }
            (AnswerShape::Many(_), Value::Array(values)) => {
                let texts = values.into_iter().map(|value| match value {
                    Value::String(text) => Some(text),
                    _ => None,
                });
                texts.collect::<Option<_>>().map(Self::Chosen)
            }
            (AnswerShape::One(_) | AnswerShape::Many(_) | AnswerShape::Text { .. }, _) => None,
        }
    }
}

fn string<'a>(field: &Field, value: &'a Value, problems: &mut FieldProblems) -> Option<&'a str> {
    if !value.is_string() {
        problems.wrong_type(field, "This is not a string.");
    }
    value.as_str()
}

/// The only value of a field that takes one; `None` if there is none.
fn single<'a>(field: &Field, values: &[&'a str], problems: &mut FieldProblems) -> Option<&'a str> {
    if values.len() > 1 {
        problems.push(field.key.as_str(), code::DUPLICATE, || {
            "This was answered more than once.".to_owned()
        });
        return None;
    }
    values.first().copied()
}

fn grade(
    field: &Field,
    grades: Grades,
    value: &Value,
    problems: &mut FieldProblems,
) -> Option<AnswerValue> {
    let read = grades.read(value).map_err(|code| {
        problems.push(field.key.as_str(), code, || {
            format!("This takes a whole number from {grades}.")
        });
    });
    read.ok().map(AnswerValue::Grade)
}

fn one(
    field: &Field,
    options: &[ChoiceOption],
    value: &str,
    problems: &mut FieldProblems,
) -> Option<AnswerValue> {
    if !is_offered(options, value) {
        problems.not_offered(field, value);
        return None;
    }
    Some(AnswerValue::Text(value.to_owned()))
}

/// Reads at most [`MAX_OPTIONS`] values.
fn many(
    field: &Field,
    options: &[ChoiceOption],
    values: &[&str],
    problems: &mut FieldProblems,
) -> Option<AnswerValue> {
    let mut chosen: Vec<String> = Vec::new();
    for value in values {
        if !is_offered(options, value) {
            problems.not_offered(field, value);
        } else if chosen.iter().any(|before| before == value) {
            problems.push(field.key.as_str(), code::DUPLICATE, || {
                format!("`{value}` is chosen more than once.")
            });
        } else {
            chosen.push((*value).to_owned());
        }
    }
    (!chosen.is_empty()).then_some(AnswerValue::Chosen(chosen))
}

fn is_offered(options: &[ChoiceOption], value: &str) -> bool {
    let mut offered = options.iter().filter(|option| !option.retired);
    offered.any(|option| option.value == value)
}

fn text(
    field: &Field,
    max_chars: usize,
    value: &str,
    problems: &mut FieldProblems,
) -> Option<AnswerValue> {
    // A CR alone ends a line too: else of CR CR LF a CR LF would be left, and what is stored would not read the same.
    let text = value.replace("\r\n", "\n").replace('\r', "\n");
    if text.trim().is_empty() {
        return None;
    }
    let nul = text.contains('\0');
    if nul {
        problems.push(field.key.as_str(), code::CONTROL_CHARACTER, || {
            "This holds the character U+0000.".to_owned()
        });
    }
    let long = text.chars().nth(max_chars).is_some();
    if long {
        problems.push(field.key.as_str(), code::TOO_LONG, || {
            format!("This takes at most {max_chars} characters.")
        });
    }
    (!nul && !long).then_some(AnswerValue::Text(text))
}
