//! One import record, and everything that can be wrong with it.
//!
//! [`crate::body`] finds the records of a body; here is what they are, and which columns of a recipient they fill.
//! `docid_duplicate` is the one code that a record alone cannot have: whoever reads the body gives it, with a
//! [`crate::dedupe::DocIdSet`].

mod check;

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

pub(crate) use self::check::{Member, MemberValue, check};
use crate::docid::{self, DocId};
use crate::invalid::{Invalid, NotValid};
use crate::phone::{PhoneNumber, masked_digits};
use crate::text::cut;

/// At most this many tracking fields.
pub const MAX_FIELDS: usize = 64;
/// The bytes of a tracking field's name, at most; at least 1.
pub const MAX_NAME_BYTES: usize = 64;
/// The bytes of a tracking field's value, at most.
pub const MAX_VALUE_BYTES: usize = 1_024;
/// What a docid and the name of a tracking field are, as a regular expression: not empty, without control characters.
pub const NAME_PATTERN: &str = "^[^\\u0000-\\u001f\\u007f-\\u009f]+$";

/// A valid record. The parser makes it, the ledger keeps it, and the database gets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'a> {
    pub docid: DocId<&'a str>,
    pub phone: PhoneNumber<'a>,
    /// The tracking fields: a JSON object of strings, the names in the order of their bytes, no spaces, nothing escaped
    /// that RFC 8259 does not want escaped.
    pub fields: &'a str,
}

/// A column of the table `recipient` that records fill.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    pub name: &'static str,
    /// What a member of this name is. `None`: the column has the tracking fields, as JSON.
    pub text: Option<ColumnText>,
}

/// A member of a record that fills a column: a text.
#[derive(Debug, Clone, Copy)]
pub struct ColumnText {
    /// What it is, for people.
    pub about: &'static str,
    /// The same as a regular expression, as JSON Schema has them.
    pub pattern: &'static str,
    /// Its bytes, at most.
    pub max_bytes: usize,
    pub example: &'static str,
    check: fn(&str) -> Result<(), NotValid>,
    /// The code of what is not valid, or is no text.
    invalid: RecordCode,
    /// The code of a record without it. `None`: a record may leave it out, and an empty text is stored.
    missing: Option<RecordCode>,
}

/// The version of a chunk's layout, which follows [`COLUMNS`] and changes with them.
pub(crate) const LAYOUT_VERSION: u8 = 1;

/// The columns of a record, in the order of [`Record::values`].
pub const COLUMNS: [Column; 3] = [
    Column {
        name: "docid",
        text: Some(ColumnText {
            about: "The caller's own id: at most 128 bytes",
            pattern: NAME_PATTERN,
            max_bytes: docid::MAX_BYTES,
            example: "order-1",
            check: |text| DocId::parse(text).map(drop),
            invalid: RecordCode::DocidInvalid,
            missing: Some(RecordCode::DocidMissing),
        }),
    },
    Column {
        name: "phone",
        text: Some(ColumnText {
            about: "E.164",
            pattern: "^\\+[1-9][0-9]{6,14}$",
            max_bytes: 16,
            example: "+491701234567",
            check: |text| PhoneNumber::parse(text).map(drop),
            invalid: RecordCode::PhoneInvalid,
            missing: Some(RecordCode::PhoneMissing),
        }),
    },
    Column {
        name: "fields",
        text: None,
    },
];

/// Which of [`COLUMNS`] a member of this name fills. None: it is a tracking field.
// Inline, its comparisons are of a few bytes at once: this is asked twice of each member.
#[inline]
pub(crate) fn column_of(member: &str) -> Option<(usize, &'static ColumnText)> {
    let mut columns = COLUMNS.iter().enumerate();
    columns.find_map(|(n, column)| {
        let text = column.text.as_ref()?;
        (column.name == member).then_some((n, text))
    })
}

impl Column {
    /// Whether it holds JSON, or else text.
    pub fn is_json(&self) -> bool {
        self.text.is_none()
    }

    /// Whether each record has a member of this name.
    pub fn is_required(&self) -> bool {
        self.missing().is_some()
    }

    /// The code of a record that needs this column and leaves it out.
    pub(crate) fn missing(&self) -> Option<RecordCode> {
        self.text.and_then(|text| text.missing)
    }

    /// Whether a value that may be damaged can be the column's.
    fn allows(&self, value: &str) -> bool {
        self.text.is_none_or(|text| {
            value.is_empty() && text.missing.is_none() || (text.check)(value).is_ok()
        })
    }
}

impl<'a> Record<'a> {
    /// The value of each of [`COLUMNS`].
    pub fn values(&self) -> [&'a str; COLUMNS.len()] {
        [self.docid.get(), self.phone.get(), self.fields]
    }

    /// Whether values that may be damaged can be a record's.
    pub(crate) fn are_valid(values: [&str; COLUMNS.len()]) -> bool {
        let mut values = COLUMNS.iter().zip(values);
        values.all(|(column, value)| column.allows(value))
    }

    /// The record of values that [are valid](Self::are_valid).
    pub(crate) fn from_valid([docid, phone, fields]: [&'a str; COLUMNS.len()]) -> Self {
        Self {
            docid: DocId::parsed(docid),
            phone: PhoneNumber::parsed(phone),
            fields,
        }
    }
}

/// What became of one element of a body.
pub type ParsedRecord<'a> = Result<Record<'a>, BrokenRecord>;

/// An element that is no valid record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenRecord {
    /// The docid, if there was a string, cut to 128 bytes.
    pub docid: Option<String>,
    /// The first [`MAX_PROBLEMS`](crate::invalid::MAX_PROBLEMS) of its problems, never none. A JSON object of more than 65,536
    /// members has one, `too_many_fields`.
    pub problems: Vec<RecordProblem>,
    /// How many more problems it has.
    pub dropped: u64,
}

impl BrokenRecord {
    /// A valid record whose docid was accepted earlier in the body.
    pub fn duplicate(docid: DocId<&str>) -> Self {
        let detail = "docid was accepted earlier in this body; that record stands";
        let code = RecordCode::DocidDuplicate;
        Self::with(Some(docid.get()), "/docid", code, detail.to_owned())
    }

    /// A record with one problem, which is the whole record's.
    pub(crate) fn whole(docid: Option<&str>, code: RecordCode, detail: String) -> Self {
        Self::with(docid, "", code, detail)
    }

    fn with(docid: Option<&str>, pointer: &str, code: RecordCode, detail: String) -> Self {
        let pointer = pointer.to_owned();
        Self {
            docid: docid.map(|docid| cut(docid, docid::MAX_BYTES).to_owned()),
            problems: vec![RecordProblem {
                pointer,
                code,
                detail,
            }],
            dropped: 0,
        }
    }
}

/// One thing wrong with a record, and where in it. The detail never quotes a phone number or a value.
pub type RecordProblem = Invalid<RecordCode>;

/// A record code of the API, by its name on the wire.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum RecordCode {
    /// The element is no JSON object.
    NotAnObject,
    /// Absent or null.
    DocidMissing,
    /// Empty, too long, not a string or with a control character.
    DocidInvalid,
    /// Of a record accepted earlier in the same body.
    DocidDuplicate,
    /// Absent or null.
    PhoneMissing,
    /// Not a string in E.164 form.
    PhoneInvalid,
    /// A tracking field's name is empty, too long or with a control character.
    FieldNameInvalid,
    /// A tracking field's value is a number, a boolean, an array or an object.
    FieldNotString,
    /// A tracking field's value is too long.
    FieldTooLong,
    /// A tracking field's value holds U+0000.
    FieldInvalid,
    /// More than 64 tracking fields.
    TooManyFields,
    /// A member's name comes twice.
    DuplicateMember,
    /// A CSV row of another width than its header.
    RowWidth,
}

/// What is wrong with a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordError {
    /// Which record of the body, from 0.
    pub index: u64,
    /// The record's docid, if it has a string there.
    pub docid: Option<String>,
    /// Where in the body, as a JSON pointer.
    pub pointer: String,
    /// What is wrong, for programs.
    pub code: RecordCode,
    /// What is wrong, for people.
    pub detail: String,
}

impl RecordError {
    /// The problem of the record at `index`; `prefix` as [`crate::body::RecordReader::pointer_prefix`] gives
    /// it.
    pub fn new(prefix: &str, index: u64, docid: Option<String>, problem: RecordProblem) -> Self {
        Self {
            index,
            docid,
            pointer: format!("{prefix}/{index}{}", problem.pointer),
            code: problem.code,
            detail: problem.detail,
        }
    }
}

/// A record error as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptError {
    #[serde(flatten)]
    pub error: RecordError,
    /// The row of the file as a spreadsheet shows it, from 1. Of JSON there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<u64>,
    /// What stood there, cut, and of a phone masked. Only where there is a docid, with which it is erased.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

impl KeptError {
    /// `is_phone`: what stood there is one, or was meant to be.
    pub fn new(error: RecordError, row: Option<u64>, value: Option<&str>, is_phone: bool) -> Self {
        let value = value.filter(|_| error.docid.is_some()).map(|value| {
            if is_phone {
                masked_digits(value)
            } else {
                value.to_owned()
            }
        });
        Self { error, row, value }
    }

    /// The number by which people find the record: its row, or its place among the records.
    pub fn place(&self) -> u64 {
        self.row.unwrap_or(self.error.index + 1)
    }

    /// Forgets who it is about.
    pub fn forget_person(&mut self) {
        self.error.docid = None;
        self.value = None;
    }
}

#[cfg(test)]
mod tests;
