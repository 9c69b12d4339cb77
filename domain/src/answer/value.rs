//! The answer to one field: from JSON, from the texts of a form-encoded body, or from the store.

use std::fmt::Display;

use serde::Serialize;
use serde_json::{Value, json};

use crate::form::{AnswerShape, ChoiceOption, Field, Grades, MAX_OPTIONS, MAX_OTHER_CHARS};
use crate::invalid::{Problems, code};

/// A grade, a text or the value of an option, or the values of options.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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

    /// Reads what is stored. An option may have been retired since.
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

/// What was answered to one field.
pub(super) struct Response {
    pub(super) value: AnswerValue,
    /// Beside an option.
    pub(super) text: Option<String>,
}

impl From<AnswerValue> for Response {
    fn from(value: AnswerValue) -> Self {
        Self { value, text: None }
    }
}

/// A problem shows at most this many characters of what was sent.
const MAX_SHOWN_CHARS: usize = 100;

/// The beginning of what was sent, with U+FFFD for control characters.
pub(super) fn shown(text: &str) -> String {
    text.chars()
        .take(MAX_SHOWN_CHARS)
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}

/// Reads the answer to one field and notes what is wrong with it.
pub(super) struct Reader<'a> {
    pub(super) field: &'a Field,
    pub(super) problems: &'a Problems,
}

impl Reader<'_> {
    /// Reads a member of a JSON object.
    pub(super) fn json(self, value: &Value) -> Option<Response> {
        if value.is_null() {
            return None;
        }
        match self.field.kind.shape() {
            AnswerShape::Grade(grades) => self.grade(grades, value).map(Into::into),
            AnswerShape::One(options) => {
                let (value, text) = self.option(options, value)?;
                let value = AnswerValue::Text(value.to_owned());
                Some(Response { value, text })
            }
            AnswerShape::Many(options) => {
                let values = value.as_array();
                if values.map_or(0, Vec::len) > MAX_OPTIONS {
                    let detail = format_args!("This takes at most {MAX_OPTIONS} choices.");
                    self.note(code::TOO_MANY, detail);
                    return None;
                }
                let Some(values) = values else {
                    self.note(code::WRONG_TYPE, "This is not an array of strings.");
                    return None;
                };
                self.many(options, values)
            }
            AnswerShape::Text { max_chars } => {
                let value = self.string(value)?;
                let text = self.text(max_chars, value)?;
                Some(AnswerValue::Text(text).into())
            }
        }
    }

    /// Reads the values that the page sent under the field's key, none empty, and the text beside an option.
    pub(super) fn texts(self, values: &[&str], text: Option<&str>) -> Option<Response> {
        let option = self.field.text_option().map(|option| option.value.as_str());
        let text = text.filter(|text| !text.trim().is_empty());
        let (option, text) = option.zip(text).unzip();
        // Whoever writes what else there is need not choose it too.
        let values = match option.as_slice() {
            written if values.is_empty() => written,
            _ => values,
        };
        let with_text = |value: &str| match text.filter(|_| option == Some(value)) {
            Some(text) => json!({"value": value, "text": text}),
            None => Value::from(value),
        };
        let value = match self.field.kind.shape() {
            AnswerShape::Many(_) => values.iter().map(|value| with_text(value)).collect(),
            AnswerShape::One(_) => with_text(self.single(values)?),
            AnswerShape::Grade(_) => {
                let text = self.single(values)?;
                // In plain digits a grade is the same in JSON; `5.0`, `+5`, `05` and ` 5` are none.
                let digits = text.bytes().all(|byte| byte.is_ascii_digit());
                let number = serde_json::from_str(text).ok().filter(|_| digits);
                number.unwrap_or_else(|| Value::from(text))
            }
            AnswerShape::Text { .. } => Value::from(self.single(values)?),
        };
        self.json(&value)
    }

    fn note(&self, code: &'static str, detail: impl Display) {
        let pointer = format!("/{}", self.field.key.as_str());
        self.problems.push(pointer, code, detail);
    }

    fn string<'v>(&self, value: &'v Value) -> Option<&'v str> {
        if !value.is_string() {
            self.note(code::WRONG_TYPE, "This is not a string.");
        }
        value.as_str()
    }

    /// The only value of a field that takes one; `None` if there is none.
    fn single<'v>(&self, values: &[&'v str]) -> Option<&'v str> {
        if values.len() > 1 {
            self.note(code::DUPLICATE, "This was answered more than once.");
            return None;
        }
        values.first().copied()
    }

    fn grade(&self, grades: Grades, value: &Value) -> Option<AnswerValue> {
        let detail = format_args!("This takes a whole number from {grades}.");
        let grade = grades.read(value).map_err(|code| self.note(code, detail));
        grade.ok().map(AnswerValue::Grade)
    }

    fn many(&self, options: &[ChoiceOption], values: &[Value]) -> Option<Response> {
        let mut chosen: Vec<String> = Vec::new();
        let mut written = None;
        for value in values {
            let Some((value, text)) = self.option(options, value) else {
                continue;
            };
            if chosen.iter().any(|before| before == value) {
                let detail = format_args!("`{value}` is chosen more than once.");
                self.note(code::DUPLICATE, detail);
            } else {
                chosen.push(value.to_owned());
                written = written.or(text);
            }
        }
        (!chosen.is_empty()).then_some(Response {
            value: AnswerValue::Chosen(chosen),
            text: written,
        })
    }

    /// The value of an option that the page has, and the text that is given with it.
    fn option<'v>(
        &self,
        options: &[ChoiceOption],
        value: &'v Value,
    ) -> Option<(&'v str, Option<String>)> {
        let (value, text) = match value {
            Value::Object(members) => {
                let known = |name: &String| name == "value" || name == "text";
                if !members.keys().all(known) {
                    let detail = "This has more members than value and text.";
                    self.note(code::UNKNOWN_MEMBER, detail);
                    return None;
                }
                let text = members.get("text").filter(|text| !text.is_null());
                (members.get("value").unwrap_or(&Value::Null), text)
            }
            value => (value, None),
        };
        let value = self.string(value)?;
        let mut offered = options.iter().filter(|option| !option.retired);
        let Some(option) = offered.find(|option| option.value == value) else {
            let detail = format_args!("`{}` is not one of the choices.", shown(value));
            self.note(code::NOT_OFFERED, detail);
            return None;
        };
        let Some(text) = text else {
            return Some((value, None));
        };
        let text = self.string(text)?;
        if !option.text && !text.trim().is_empty() {
            let detail = format_args!("`{value}` is chosen without a text.");
            self.note(code::UNKNOWN_MEMBER, detail);
            return None;
        }
        let before = self.problems.len();
        let text = self.text(MAX_OTHER_CHARS, text);
        (self.problems.len() == before).then_some((value, text))
    }

    fn text(&self, max_chars: usize, value: &str) -> Option<String> {
        // A CR alone ends a line too. Otherwise CR CR LF would leave a CR LF, and the stored text would not read as itself.
        let text = value.replace("\r\n", "\n").replace('\r', "\n");
        if text.trim().is_empty() {
            return None;
        }
        let nul = text.contains('\0');
        if nul {
            let detail = "This holds the character U+0000.";
            self.note(code::CONTROL_CHARACTER, detail);
        }
        let long = text.chars().nth(max_chars).is_some();
        if long {
            let detail = format_args!("This takes at most {max_chars} characters.");
            self.note(code::TOO_LONG, detail);
        }
        (!nul && !long).then_some(text)
    }
}
