//! Reads the members of an object in a request's body one by one, and notes what is wrong with them. `null` is as if
//! left out.

use std::cell::RefCell;
use std::fmt::Display;
use std::ops::RangeInclusive;

use indexmap::IndexSet;
use serde_json::{Map, Value};

use crate::invalid::{Fault, Invalid, Problems, code, member, read_line};

/// The texts of these members of a body, all of which must be there, and nothing else.
///
/// # Errors
/// Everything that is wrong.
pub fn texts<const N: usize>(
    body: Map<String, Value>,
    names: [&str; N],
) -> Result<[String; N], Vec<Invalid>> {
    read_body(&Value::Object(body), &[], |body| {
        Some(names.map(|name| body.text(name).unwrap_or_default().to_owned()))
    })
}

/// A text that must be there and one that may be, and nothing else.
///
/// # Errors
/// Everything that is wrong.
pub fn text_and_option(
    body: Map<String, Value>,
    name: &str,
    option: &str,
) -> Result<(String, Option<String>), Vec<Invalid>> {
    read_body(&Value::Object(body), &[], |body| {
        let option = body.get(option).and_then(|_| body.text(option));
        Some((body.text(name)?.to_owned(), option.map(str::to_owned)))
    })
}

/// Reads a body with `read`. The body must be an object whose members `read` asks for or `ignored` names.
///
/// # Errors
/// Everything that is wrong, up to [`MAX_PROBLEMS`](crate::invalid::MAX_PROBLEMS).
pub(crate) fn read_body<T>(
    body: &Value,
    ignored: &[&str],
    read: impl FnOnce(&Members) -> Option<T>,
) -> Result<T, Vec<Invalid>> {
    let problems = Problems::default();
    let body = Members::of(body, String::new(), &problems);
    let content = body.and_then(|body| {
        let content = read(&body);
        body.no_others(ignored);
        content
    });
    let problems = problems.into_vec();
    content.filter(|_| problems.is_empty()).ok_or(problems)
}

/// An object, where it stands in the body, and where its problems are noted.
pub(crate) struct Members<'a> {
    pub(crate) pointer: String,
    map: &'a Map<String, Value>,
    pub(crate) problems: &'a Problems,
    /// The names that were asked for.
    asked: RefCell<IndexSet<String>>,
}

impl<'a> Members<'a> {
    /// The members of a value that must be an object.
    pub(crate) fn of(value: &'a Value, pointer: String, problems: &'a Problems) -> Option<Self> {
        let Value::Object(map) = value else {
            problems.push(pointer, code::WRONG_TYPE, "not a JSON object");
            return None;
        };
        Some(Self {
            pointer,
            map,
            problems,
            asked: RefCell::default(),
        })
    }

    /// Notes what is wrong with a member.
    pub(crate) fn note(&self, name: &str, code: &'static str, detail: impl Display) {
        let pointer = member(&self.pointer, name);
        self.problems.push(pointer, code, detail);
    }

    /// Notes every member that was not asked for, except `ignored` ones.
    pub(crate) fn no_others(&self, ignored: &[&str]) {
        let asked = self.asked.borrow();
        let known: Vec<_> = asked.iter().map(String::as_str).collect();
        let names = self.map.keys().filter(|name| !asked.contains(*name));
        for name in names.filter(|name| !ignored.contains(&name.as_str())) {
            let detail = format!("not known here; known are: {}", known.join(", "));
            self.note(name, code::UNKNOWN_MEMBER, detail);
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&'a Value> {
        self.get_or_null(name).filter(|value| !value.is_null())
    }

    /// A member that may be `null`; `None` only if it is left out.
    pub(crate) fn get_or_null(&self, name: &str) -> Option<&'a Value> {
        self.asked.borrow_mut().insert(name.to_owned());
        self.map.get(name)
    }

    /// The names of all members, also of those that are `null`.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.map.keys().map(String::as_str)
    }

    /// A member that must be there.
    pub(crate) fn require(&self, name: &str) -> Option<&'a Value> {
        let value = self.get(name);
        if value.is_none() {
            self.note(name, code::MISSING, format!("{name} is absent or null"));
        }
        value
    }

    /// A string that must be there.
    pub(crate) fn text(&self, name: &str) -> Option<&'a str> {
        let value = self.require(name)?;
        if !value.is_string() {
            self.note(name, code::WRONG_TYPE, format!("{name} is not a string"));
        }
        value.as_str()
    }

    /// A string that must be there and be what `parse` reads.
    pub(crate) fn parsed<T>(
        &self,
        name: &str,
        parse: impl FnOnce(&'a str) -> Result<T, Fault>,
    ) -> Option<T> {
        parse(self.text(name)?)
            .map_err(|fault| self.note(name, fault.code, format!("{name} {fault}")))
            .ok()
    }

    /// The same of a string that may be left out.
    pub(crate) fn optional<T>(
        &self,
        name: &str,
        parse: impl FnOnce(&'a str) -> Result<T, Fault>,
    ) -> Option<T> {
        self.get(name)?;
        self.parsed(name, parse)
    }

    /// A text of one line that must be there, of 1 to `max_chars` characters.
    pub(crate) fn line(&self, name: &str, max_chars: usize) -> Option<String> {
        self.parsed(name, |text| read_line(text, max_chars))
    }

    /// A whole number of the range. `None` if it is left out or something else.
    pub(crate) fn number<T>(&self, name: &str, range: RangeInclusive<T>) -> Option<T>
    where
        T: TryFrom<u64> + PartialOrd + Display,
    {
        let value = self.get(name)?;
        let number = value.as_u64().and_then(|number| T::try_from(number).ok());
        let number = number.filter(|number| range.contains(number));
        if number.is_none() {
            let is_whole = value.is_i64() || value.is_u64();
            let code = if is_whole {
                code::OUT_OF_RANGE
            } else {
                code::WRONG_TYPE
            };
            let (lowest, highest) = (range.start(), range.end());
            let detail = format!("{name} is a whole number from {lowest} to {highest}");
            self.note(name, code, detail);
        }
        number
    }

    /// A list of at most `max` entries with the pointer of each; left out, it is empty. `None` if there is something else.
    pub(crate) fn list(
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
        Some(entries.map(move |(n, entry)| (format!("{at}/{n}"), entry)))
    }

    /// A list of at most `max` entries with the pointer of each. An entry that says of itself that it is retired counts, but is
    /// otherwise as if left out, and not looked at.
    pub(crate) fn entries_in_use(
        &self,
        name: &str,
        max: usize,
    ) -> Option<impl Iterator<Item = (String, &'a Value)> + use<'a>> {
        let entries = self.list(name, max)?;
        Some(entries.filter(|(_, entry)| entry["retired"] != true))
    }

    /// Reads the strings of a list of at most `max` with `read`; `what` names one of them. A list that is left out is empty.
    pub(crate) fn strings<T>(
        &self,
        name: &str,
        max: usize,
        what: &str,
        mut read: impl FnMut(&'a str) -> Result<T, Fault>,
    ) -> Vec<T> {
        let entries = self.list(name, max).into_iter().flatten();
        let strings = entries.filter_map(|(pointer, entry)| {
            let text = entry.as_str();
            let text = text.ok_or_else(|| Fault::new(code::WRONG_TYPE, "is not a string"));
            let noted = |fault: Fault| {
                let detail = format!("{what} {fault}");
                self.problems.push(pointer, fault.code, detail);
            };
            text.and_then(&mut read).map_err(noted).ok()
        });
        strings.collect()
    }

    /// The members of a member that must be an object. `None` if it is left out or something else.
    pub(crate) fn member(&self, name: &str) -> Option<Self> {
        let pointer = member(&self.pointer, name);
        Self::of(self.get(name)?, pointer, self.problems)
    }

    /// The members of an entry of a list, which must be an object.
    pub(crate) fn object(&self, (pointer, entry): (String, &'a Value)) -> Option<Self> {
        Self::of(entry, pointer, self.problems)
    }

    /// `true` or `false`; left out, it is `false`.
    pub(crate) fn flag(&self, name: &str) -> bool {
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
