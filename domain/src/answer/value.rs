//! The answer to one field, from JSON or from the texts of a form-encoded body.

use serde_json::Value;

use super::AnswerValue;
use super::read::FieldProblems;
use crate::form::{Field, FieldKind, MAX_OPTIONS};
use crate::invalid::{code, whole_number};

/// Of a member of a JSON object, not `null`.
pub(super) fn from_value(
    field: &Field,
    value: &Value,
    problems: &mut FieldProblems,
) -> Option<AnswerValue> {
    match &field.kind {
        FieldKind::Nps | FieldKind::Happiness | FieldKind::Rating { .. } => {
            grade(field, value, problems)
        }
        FieldKind::Choice { .. } => match value {
            Value::String(text) => choice(field, text, problems),
            _ => problems.wrong_type(field, "This is not a string."),
        },
        FieldKind::Choices { .. } => {
            let values = value.as_array();
            if values.is_some_and(|values| values.len() > MAX_OPTIONS) {
                return problems.too_many(field);
            }
            let texts = values
                .and_then(|values| values.iter().map(Value::as_str).collect::<Option<Vec<_>>>());
            match texts {
                Some(texts) => choices(field, &texts, problems),
                None => problems.wrong_type(field, "This is not an array of strings."),
            }
        }
        FieldKind::Text | FieldKind::Comment => match value {
            Value::String(given) => text(field, given, problems),
            _ => problems.wrong_type(field, "This is not a string."),
        },
    }
}

/// Of the values that the page sent under the field's key, none empty.
pub(super) fn from_texts(
    field: &Field,
    values: &[&str],
    problems: &mut FieldProblems,
) -> Option<AnswerValue> {
    if matches!(field.kind, FieldKind::Choices { .. }) {
        if values.len() > MAX_OPTIONS {
            return problems.too_many(field);
        }
        return choices(field, values, problems);
    }
    let value = match values {
        [] => return None,
        [value] => *value,
        _ => {
            problems.push(field.key.as_str(), code::DUPLICATE, || {
                "This was answered more than once.".to_owned()
            });
            return None;
        }
    };
    match &field.kind {
        FieldKind::Choice { .. } | FieldKind::Choices { .. } => choice(field, value, problems),
        FieldKind::Text | FieldKind::Comment => text(field, value, problems),
        FieldKind::Nps | FieldKind::Happiness | FieldKind::Rating { .. } => {
            // In plain digits a grade is the same in JSON; `5.0`, `+5`, `05` and ` 5` are none.
            let digits = value.bytes().all(|byte| byte.is_ascii_digit());
            let number = serde_json::from_str(value).ok().filter(|_| digits);
            grade(field, &number.unwrap_or(Value::Null), problems)
        }
    }
}

fn grade(field: &Field, value: &Value, problems: &mut FieldProblems) -> Option<AnswerValue> {
    let grades = field.kind.grades()?;
    whole_number(value, grades.clone())
        .map(AnswerValue::Grade)
        .map_err(|code| {
            problems.push(field.key.as_str(), code, || {
                format!(
                    "This takes a whole number from {} to {}.",
                    grades.start(),
                    grades.end()
                )
            });
        })
        .ok()
}

fn choice(field: &Field, value: &str, problems: &mut FieldProblems) -> Option<AnswerValue> {
    if !is_offered(field, value) {
        problems.not_offered(field, value);
        return None;
    }
    Some(AnswerValue::Choice(value.to_owned()))
}

/// Of at most [`MAX_OPTIONS`] values.
fn choices(field: &Field, values: &[&str], problems: &mut FieldProblems) -> Option<AnswerValue> {
    let mut chosen: Vec<String> = Vec::new();
    for value in values {
        if !is_offered(field, value) {
            problems.not_offered(field, value);
        } else if chosen.iter().any(|before| before == value) {
            problems.push(field.key.as_str(), code::DUPLICATE, || {
                format!("`{value}` is chosen more than once.")
            });
        } else {
            chosen.push((*value).to_owned());
        }
    }
    (!chosen.is_empty()).then_some(AnswerValue::Choices(chosen))
}

fn is_offered(field: &Field, value: &str) -> bool {
    field.page_options().any(|option| option.value == value)
}

fn text(field: &Field, given: &str, problems: &mut FieldProblems) -> Option<AnswerValue> {
    let max = field.kind.max_chars()?;
    // A CR alone ends a line too: else of CR CR LF a CR LF would be left, and what is stored would not read the same.
    let text = given.replace("\r\n", "\n").replace('\r', "\n");
    if text.trim().is_empty() {
        return None;
    }
    let nul = text.contains('\0');
    if nul {
        problems.push(field.key.as_str(), code::CONTROL_CHARACTER, || {
            "This holds the character U+0000.".to_owned()
        });
    }
    let long = text.chars().nth(max).is_some();
    if long {
        problems.push(field.key.as_str(), code::TOO_LONG, || {
            format!("This takes at most {max} characters.")
        });
    }
    (!nul && !long).then_some(AnswerValue::Text(text))
}
