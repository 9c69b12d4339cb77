//! Reads the members of an object in a request's body one by one, and notes what is wrong with them. `null` is as if
//! left out.

use serde_json::{Map, Value};

use crate::invalid::{Problems, code};
use crate::pointer::member;
use crate::text::has_control;

/// An object and where it stands in the body.
pub(super) struct Members<'a> {
    pointer: String,
    members: &'a Map<String, Value>,
}

impl<'a> Members<'a> {
    /// The members of a value that must be an object.
    pub(super) fn of(value: &'a Value, pointer: String, problems: &mut Problems) -> Option<Self> {
        let Value::Object(members) = value else {
            problems.push(pointer, code::WRONG_TYPE, "not a JSON object");
            return None;
        };
        Some(Self { pointer, members })
    }

    /// Notes every member that is not among the known.
    pub(super) fn only(&self, known: &[&str], problems: &mut Problems) {
        for name in self.members.keys() {
            if !known.contains(&name.as_str()) {
                problems.push(
                    self.pointer_to(name),
                    code::UNKNOWN_MEMBER,
                    format!("not known here; known are: {}", known.join(", ")),
                );
            }
        }
    }

    pub(super) fn pointer_to(&self, name: &str) -> String {
        member(&self.pointer, name)
    }

    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.members.get(name).filter(|value| !value.is_null())
    }

    /// Whether the object says of itself that it is retired: then it is as if left out, and not looked at.
    pub(super) fn is_retired(&self) -> bool {
        self.get("retired") == Some(&Value::Bool(true))
    }

    /// A string that must be there.
    pub(super) fn text(&self, name: &str, problems: &mut Problems) -> Option<&'a str> {
        match self.get(name) {
            Some(Value::String(text)) => return Some(text),
            Some(_) => problems.push(
                self.pointer_to(name),
                code::WRONG_TYPE,
                format!("{name} is not a string"),
            ),
            None => problems.push(
                self.pointer_to(name),
                code::MISSING,
                format!("{name} is absent or null"),
            ),
        }
        None
    }

    /// A text of one line that must be there, of 1 to `max_chars` characters.
    pub(super) fn line(
        &self,
        name: &str,
        max_chars: usize,
        problems: &mut Problems,
    ) -> Option<String> {
        let text = self.text(name, problems)?;
        match check_line(text, max_chars) {
            Ok(()) => Some(text.to_owned()),
            Err(fault) => {
                problems.push(
                    self.pointer_to(name),
                    fault.code,
                    format!("{name} {}", fault.detail),
                );
                None
            }
        }
    }

    /// A list of at most `max` entries; left out, it is empty. A longer one is noted and not looked at.
    pub(super) fn list(&self, name: &str, max: usize, problems: &mut Problems) -> &'a [Value] {
        match self.get(name) {
            None => &[],
            Some(Value::Array(entries)) if entries.len() <= max => entries,
            Some(Value::Array(entries)) => {
                problems.push(
                    self.pointer_to(name),
                    code::TOO_MANY,
                    format!("{} entries; at most {max} are taken", entries.len()),
                );
                &[]
            }
            Some(_) => {
                problems.push(
                    self.pointer_to(name),
                    code::WRONG_TYPE,
                    format!("{name} is not an array"),
                );
                &[]
            }
        }
    }

    /// `true` or `false`; left out, it is `false`.
    pub(super) fn flag(&self, name: &str, problems: &mut Problems) -> bool {
        match self.get(name) {
            None => false,
            Some(Value::Bool(flag)) => *flag,
            Some(_) => {
                problems.push(
                    self.pointer_to(name),
                    code::WRONG_TYPE,
                    format!("{name} is neither true nor false"),
                );
                false
            }
        }
    }
}

/// Why a text is no text of one line: a code and a sentence.
struct Fault {
    code: &'static str,
    detail: String,
}

/// Whether the text has 1 to `max_chars` characters, not all of them white space, and no control character.
fn check_line(text: &str, max_chars: usize) -> Result<(), Fault> {
    let (code, detail) = if text.trim().is_empty() {
        (code::BLANK, "is empty or white space only".to_owned())
    } else if text.chars().nth(max_chars).is_some() {
        (
            code::TOO_LONG,
            format!("has more than {max_chars} characters"),
        )
    } else if has_control(text) {
        (
            code::CONTROL_CHARACTER,
            "holds a control character".to_owned(),
        )
    } else {
        return Ok(());
    };
    Err(Fault { code, detail })
}
