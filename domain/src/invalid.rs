//! What is wrong with the body of a request, and the codes that forms and answers share.

use serde::Serialize;

pub use crate::pointer::member;

/// At most this many problems of one body are kept.
pub const MAX_PROBLEMS: usize = 100;

/// One thing wrong with a body: the wire shape of a problem's `errors`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Invalid {
    /// Where in the body, as a JSON pointer (RFC 6901); `""` is the body itself.
    pub pointer: String,
    /// One of [`code`].
    pub code: &'static str,
    /// A sentence for people.
    pub detail: String,
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
    /// A `bus_prop_id` that the form has not.
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
#[derive(Default)]
pub(crate) struct Problems(Vec<Invalid>);

impl Problems {
    pub(crate) fn push(
        &mut self,
        pointer: impl Into<String>,
        code: &'static str,
        detail: impl Into<String>,
    ) {
        if self.0.len() < MAX_PROBLEMS {
            self.0.push(Invalid {
                pointer: pointer.into(),
                code,
                detail: detail.into(),
            });
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn into_vec(self) -> Vec<Invalid> {
        self.0
    }
}
