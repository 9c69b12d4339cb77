//! One import record, and everything that can be wrong with it.
//!
//! [`crate::body`] finds the records of a body; here is what they are. `docid_duplicate` is the one code
//! that a record alone cannot have: whoever reads the body gives it, with a [`crate::dedupe::DocIdSet`].

mod check;
mod code;

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

pub(crate) use self::check::{Given, Member, check, pointer};
pub use self::code::RecordCode;
use crate::docid;
use crate::phone;

/// At most this many tracking fields.
pub const MAX_FIELDS: usize = 64;
/// The bytes of a tracking field's name, at most; at least 1.
pub const MAX_NAME_BYTES: usize = 64;
/// The bytes of a tracking field's value, at most.
pub const MAX_VALUE_BYTES: usize = 1_024;
/// At most this many problems of one record are kept, the others are counted. A JSON object of more than 65,536
/// members has one problem, `too_many_fields`.
pub const MAX_PROBLEMS: usize = 100;

/// A valid record. `docid` and `phone` have the shapes of [`docid::DocId`] and [`phone::PhoneNumber`],
/// `fields` are the tracking fields, each name once, sorted by the bytes of the name.
#[derive(Clone, PartialEq, Eq)]
pub struct Record<'a> {
    pub docid: Cow<'a, str>,
    pub phone: Cow<'a, str>,
    pub fields: Vec<(Cow<'a, str>, Cow<'a, str>)>,
}

impl fmt::Debug for Record<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mask = fmt::from_fn(|f| phone::masked(&self.phone, f));
        f.debug_struct("Record")
            .field("docid", &self.docid)
            .field("phone", &mask)
            .field("fields", &self.fields.len())
            .finish()
    }
}

/// What became of one element of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parsed<'a> {
    Valid(Record<'a>),
    Broken {
        /// The docid, if there was a string, cut to 128 bytes.
        docid: Option<String>,
        /// The first [`MAX_PROBLEMS`] of them, never none.
        problems: Vec<Problem>,
        /// How many more problems the record has.
        dropped: u64,
    },
}

/// One thing wrong with a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where in the record, as a JSON pointer (RFC 6901): `""` for the record itself, else `/phone` and the
    /// like. A name of more than 256 bytes is cut and ends in `…`.
    pub pointer: String,
    pub code: RecordCode,
    /// A sentence for people. It never quotes a phone number or a value.
    pub detail: String,
}

/// One thing wrong with a record of a body: the wire shape of an import's `errors`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordError {
    /// Which record of the body, from 0.
    pub index: u64,
    pub docid: Option<String>,
    /// Where in the body: `/1/phone`, or `/data/1/phone` in the wrapped form.
    pub pointer: String,
    pub code: RecordCode,
    pub detail: String,
}

impl RecordError {
    /// The problem of the record at `index`; `prefix` as [`crate::body::RecordReader::pointer_prefix`] gives
    /// it.
    pub fn new(prefix: &str, index: u64, docid: Option<String>, problem: Problem) -> Self {
        Self {
            index,
            docid,
            pointer: format!("{prefix}/{index}{}", problem.pointer),
            code: problem.code,
            detail: problem.detail,
        }
    }

    /// That the record's docid was accepted earlier in the body.
    pub fn duplicate(prefix: &str, index: u64, docid: &str) -> Self {
        let problem = Problem {
            pointer: "/docid".to_owned(),
            code: RecordCode::DocidDuplicate,
            detail: "docid was accepted earlier in this body; that record stands".to_owned(),
        };
        Self::new(
            prefix,
            index,
            Some(cut(docid, docid::MAX_BYTES).to_owned()),
            problem,
        )
    }
}

/// The longest beginning of the text that has at most `max` bytes.
pub(crate) fn cut(text: &str, max: usize) -> &str {
    text.get(..text.floor_char_boundary(max))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests;
