//! Reads the members of an object in a request's body one by one, and notes what is wrong with them. `null` is as if
//! left out.

use serde_json::{Map, Value};

use crate::invalid::{Fault, Problems, check_line, code};
use crate::pointer::member;

/// An object, where it stands in the body, and where its problems are noted.
pub(super) struct Members<'a> {
    pub(super) pointer: String,
    map: &'a Map<String, Value>,
    pub(super) problems: &'a Problems,
}

impl<'a> Members<'a> {
    /// The members of a value that must be an object.
    pub(super) fn of(value: &'a Value, pointer: String, problems: &'a Problems) -> Option<Self> {
        let Value::Object(map) = value else {
            problems.push(pointer, code::WRONG_TYPE, "not a JSON object");
            return None;
        };
        Some(Self {
            pointer,
            map,
            problems,
        })
    }

    /// Notes what is wrong with a member.
    pub(super) fn note(&self, name: &str, code: &'static str, detail: impl Into<String>) {
        let pointer = member(&self.pointer, name);
        self.problems.push(pointer, code, detail);
    }

    /// Notes every member that is not among the known.
    pub(super) fn only(&self, known: &[&str]) {
        for name in self.map.keys() {
            if !known.contains(&name.as_str()) {
                let detail = format!("not known here; known are: {}", known.join(", "));
                self.note(name, code::UNKNOWN_MEMBER, detail);
            }
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    /// A string that must be there.
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        match self.get(name) {
            Some(Value::String(text)) => return Some(text),
            Some(_) => self.note(name, code::WRONG_TYPE, format!("{name} is not a string")),
            None => self.note(name, code::MISSING, format!("{name} is absent or null")),
        }
        None
    }

    /// A string that must be there and be what `parse` reads.
    pub(super) fn parsed<T>(
        &self,
        name: &str,
        parse: impl FnOnce(&'a str) -> Result<T, Fault>,
    ) -> Option<T> {
        parse(self.text(name)?)
            .map_err(|fault| self.note(name, fault.code, format!("{name} {fault}")))
            .ok()
    }

    /// A text of one line that must be there, of 1 to `max_chars` characters.
    pub(super) fn line(&self, name: &str, max_chars: usize) -> Option<String> {
        self.parsed(name, |text| {
            check_line(text, max_chars).map(|()| text.to_owned())
        })
    }

    /// A list of at most `max` entries with the pointer of each; left out, it is empty. `None` if there is something else.
    pub(super) fn list(
        &self,
        name: &str,
        max: usize,
    ) -> Option<impl Iterator<Item = (String, &'a Value)> + use<'a>> {
        let entries: &[Value] = match self.get(name) {
            None => &[],
            Some(Value::Array(entries)) if entries.len() <= max => entries,
            Some(Value::Array(entries)) => {
                let detail = format!("{} entries; at most {max} are taken", entries.len());
                self.note(name, code::TOO_MANY, detail);
                return None;
            }
            Some(_) => {
                self.note(name, code::WRONG_TYPE, format!("{name} is not an array"));
                return None;
            }
        };
        let at = member(&self.pointer, name);
        let entries = entries.iter().enumerate();
        // An entry that says of itself that it is retired is as if left out, and not looked at.
        let in_use = entries.filter(|(_, entry)| entry["retired"] != true);
        Some(in_use.map(move |(n, entry)| (format!("{at}/{n}"), entry)))
    }

    /// The members of an entry of a list, which must be an object.
    pub(super) fn object(&self, (pointer, entry): (String, &'a Value)) -> Option<Self> {
        Self::of(entry, pointer, self.problems)
    }

    /// `true` or `false`; left out, it is `false`.
    pub(super) fn flag(&self, name: &str) -> bool {
        match self.get(name) {
            None => false,
            Some(Value::Bool(flag)) => *flag,
            Some(_) => {
                let detail = format!("{name} is neither true nor false");
                self.note(name, code::WRONG_TYPE, detail);
                false
            }
        }
    }
}
