//! What is wrong with the body of a request, and the codes that forms and answers share.

use std::cell::{Cell, RefCell};
use std::fmt::Display;

use serde::Serialize;

use crate::text::{cut, has_control};

/// At most this many problems of one body are kept.
pub const MAX_PROBLEMS: usize = 100;

/// One thing wrong with a body: the wire shape of a problem's `errors`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Invalid<C = &'static str> {
    /// Where in the body, as a JSON pointer (RFC 6901); `""` is the body itself. A name of more than 256 bytes is cut and ends
    /// in `…`.
    pub pointer: String,
    /// One of [`code`], or of a record one of its own.
    pub code: C,
    /// A sentence for people.
    pub detail: String,
}

impl Invalid {
    /// What is wrong with a member of the body itself.
    pub fn of_member(name: &str, code: &'static str, detail: impl Into<String>) -> Self {
        Self {
            pointer: member("", name),
            code,
            detail: detail.into(),
        }
    }
}

/// Why a text is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct Fault {
    /// One of [`code`].
    pub code: &'static str,
    /// A sentence for people, mostly without its subject: `holds a control character`.
    pub detail: String,
}

/// Why a text is no value of some kind, in words that hold nothing of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotValid(pub(crate) &'static str);

impl Fault {
    pub(crate) fn new(code: &'static str, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self { code, detail }
    }
}

/// A JSON pointer (RFC 6901) shows at most this much of a name, or one hostile name would fill an answer.
const MAX_NAME_BYTES: usize = 256;

/// The pointer of the member `name` of the value at `pointer`. A name of more than 256 bytes is cut and ends in `…`.
pub fn member(pointer: &str, name: &str) -> String {
    let shown = cut(name, MAX_NAME_BYTES);
    let mut member = String::with_capacity(pointer.len() + shown.len() + 4);
    member.push_str(pointer);
    member.push('/');
    for character in shown.chars() {
        match character {
            '~' => member.push_str("~0"),
            '/' => member.push_str("~1"),
            other => member.push(other),
        }
    }
    if shown.len() < name.len() {
        member.push('…');
    }
    member
}

/// Reads a text of one line: it has 1 to `max_chars` characters, not all of them white space, and no control character.
pub(crate) fn read_line(text: &str, max_chars: usize) -> Result<String, Fault> {
    if text.trim().is_empty() {
        Err(Fault::new(code::BLANK, "is empty or white space only"))
    } else if text.chars().nth(max_chars).is_some() {
        let detail = format!("has more than {max_chars} characters");
        Err(Fault::new(code::TOO_LONG, detail))
    } else if has_control(text) {
        let detail = "holds a control character";
        Err(Fault::new(code::CONTROL_CHARACTER, detail))
    } else {
        Ok(text.to_owned())
    }
}

/// Reads a text of 1 to `max_chars` characters, not all of them white space, whose only control characters are tabs and ends of
/// lines. These become LF.
pub(crate) fn read_lines(text: &str, max_chars: usize) -> Result<String, Fault> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    // What may stand in it is as if it did not.
    let line = text.replace(['\n', '\t'], " ");
    read_line(&line, max_chars).map(|_| text)
}

/// What can be wrong, as callers match on it.
pub mod code {
    /// Absent or null; or, of answers as a whole: nothing is answered.
    pub const MISSING: &str = "missing";
    /// Of another JSON type, or a form value that is no number.
    pub const WRONG_TYPE: &str = "wrong_type";
    /// Empty, or white space only.
    pub const BLANK: &str = "blank";
    /// More characters than are taken.
    pub const TOO_LONG: &str = "too_long";
    /// More entries than are taken.
    pub const TOO_MANY: &str = "too_many";
    /// Not of the shape that is asked for.
    pub const MALFORMED: &str = "malformed";
    /// U+0000, or in a text of one line any character of Unicode's category Cc.
    pub const CONTROL_CHARACTER: &str = "control_character";
    /// Given before.
    pub const DUPLICATE: &str = "duplicate";
    /// A member that is not known here.
    pub const UNKNOWN_MEMBER: &str = "unknown_member";
    /// A field type that does not exist.
    pub const UNKNOWN_TYPE: &str = "unknown_type";
    /// An id that there is not: a `bus_prop_id` that the form has not, a batch or a form that the account has not.
    pub const UNKNOWN_ID: &str = "unknown_id";
    /// A name that the service keeps for itself.
    pub const RESERVED: &str = "reserved";
    /// A whole number outside of its range.
    pub const OUT_OF_RANGE: &str = "out_of_range";
    /// A choice that the field does not offer.
    pub const NOT_OFFERED: &str = "not_offered";
    /// An answer to a field that the form has not.
    pub const UNKNOWN_KEY: &str = "unknown_key";
    /// An answer to a field that is off the page.
    pub const RETIRED: &str = "retired";
    /// Of a field that is not asked beside the other answers.
    pub const HIDDEN: &str = "hidden";
    /// Of a published form: another type.
    pub const TYPE_CHANGED: &str = "type_changed";
    /// Of a published form: another scale.
    pub const SCALE_CHANGED: &str = "scale_changed";
    /// Of a published form: another text under the same `bus_prop_id`.
    pub const BUS_PROP_CHANGED: &str = "bus_prop_changed";
    /// Of a published form: an optional field is to be required.
    pub const MADE_REQUIRED: &str = "made_required";
}

/// The problems of one body, in the order in which they were found, at most [`MAX_PROBLEMS`].
pub(crate) struct Problems<C = &'static str> {
    kept: RefCell<Vec<Invalid<C>>>,
    /// How many more there are.
    dropped: Cell<u64>,
}

impl<C> Default for Problems<C> {
    fn default() -> Self {
        Self {
            kept: RefCell::default(),
            dropped: Cell::default(),
        }
    }
}

impl<C> Problems<C> {
    /// Formats the detail only if the problem is kept.
    #[cold]
    pub(crate) fn push(&self, pointer: impl Into<String>, code: C, detail: impl Display) {
        if self.is_full() {
            return self.dropped.update(|dropped| dropped + 1);
        }
        self.kept.borrow_mut().push(Invalid {
            pointer: pointer.into(),
            code,
            detail: detail.to_string(),
        });
    }

    pub(crate) fn len(&self) -> usize {
        self.kept.borrow().len()
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.get()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.len() >= MAX_PROBLEMS
    }

    pub(crate) fn into_vec(self) -> Vec<Invalid<C>> {
        self.kept.into_inner()
    }
}
