//! From the members of an element to a record, or to the list of its problems.
//!
//! Where the members come from (JSON or a CSV row) is not known here.

use std::borrow::Cow;

use super::{
    MAX_FIELDS, MAX_NAME_BYTES, MAX_PROBLEMS, MAX_VALUE_BYTES, Parsed, Problem, Record, RecordCode,
    cut,
};
use crate::docid::{self, has_control};
use crate::phone;

/// A pointer shows at most this much of a name, or one hostile record would fill an answer.
const MAX_POINTER_NAME_BYTES: usize = 256;

/// A member of an element, by its decoded name.
#[derive(Clone, Copy)]
pub(crate) struct Member<'a> {
    pub(crate) name: &'a str,
    pub(crate) value: Given<'a>,
}

/// What a member holds.
#[derive(Clone, Copy)]
pub(crate) enum Given<'a> {
    Text(&'a str),
    Null,
    /// A number, a boolean, an array or an object.
    Other,
}

/// Judges an element by its members, given in the order of the body.
pub(crate) fn check<'a>(members: impl ExactSizeIterator<Item = Member<'a>> + Clone) -> Parsed<'a> {
    let mut found = Found::default();
    let mut fields = Vec::with_capacity(members.len().saturating_sub(2).min(MAX_FIELDS));
    for member in members.clone() {
        match member.name {
            "docid" => found.docid(member.value),
            "phone" => found.phone(member.value),
            name => {
                let value = found.field(name, member.value);
                if fields.len() < MAX_FIELDS {
                    fields.push((Cow::Borrowed(name), Cow::Borrowed(value)));
                }
            }
        }
    }
    if !in_order(&fields) {
        fields.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    }
    // One docid, one phone, and all others among the fields, each once: nothing is missing, twice or too much.
    let whole = members.len() == fields.len() + 2 && in_order(&fields);
    match (found.docid, found.phone) {
        (Some(docid), Some(phone)) if whole && found.problems.is_empty() => Parsed::Valid(Record {
            docid: Cow::Borrowed(docid),
            phone: Cow::Borrowed(phone),
            fields,
        }),
        _ => {
            drop(fields);
            found.broken(members.map(|member| member.name).collect())
        }
    }
}

/// Whether the fields are sorted by name, each name once.
fn in_order(fields: &[(Cow<str>, Cow<str>)]) -> bool {
    fields.is_sorted_by(|a, b| a.0 < b.0)
}

/// What the members have shown so far.
#[derive(Default)]
struct Found<'a> {
    /// The first string.
    docid: Option<&'a str>,
    phone: Option<&'a str>,
    docid_given: bool,
    phone_given: bool,
    problems: Vec<Problem>,
}

impl<'a> Found<'a> {
    fn docid(&mut self, value: Given<'a>) {
        let verdict = match value {
            Given::Null => return,
            Given::Other => Err("docid is not a string".to_owned()),
            Given::Text(text) => {
                self.docid = self.docid.or(Some(text));
                docid::check(text).map_err(|error| format!("docid {error}"))
            }
        };
        self.docid_given = true;
        if let Err(detail) = verdict {
            self.push("docid", RecordCode::DocidInvalid, detail);
        }
    }

    fn phone(&mut self, value: Given<'a>) {
        let verdict = match value {
            Given::Null => return,
            Given::Other => Err("phone is not a string".to_owned()),
            Given::Text(text) => {
                self.phone = self.phone.or(Some(text));
                phone::check(text).map_err(|error| {
                    format!("phone {error}; E.164 is `+`, then 7 to 15 digits, the first not 0")
                })
            }
        };
        self.phone_given = true;
        if let Err(detail) = verdict {
            self.push("phone", RecordCode::PhoneInvalid, detail);
        }
    }

    /// The value of a tracking field, as far as there is one.
    fn field(&mut self, name: &str, value: Given<'a>) -> &'a str {
        if name.is_empty() || name.len() > MAX_NAME_BYTES || has_control(name) {
            self.push(
                name,
                RecordCode::FieldNameInvalid,
                format!("a field name has 1 to {MAX_NAME_BYTES} bytes and no control characters"),
            );
        }
        let Given::Text(text) = value else {
            self.push(
                name,
                RecordCode::FieldNotString,
                "the value is not a string".to_owned(),
            );
            return "";
        };
        if text.len() > MAX_VALUE_BYTES {
            self.push(
                name,
                RecordCode::FieldTooLong,
                format!("the value has more than {MAX_VALUE_BYTES} bytes"),
            );
        }
        if memchr::memchr(0, text.as_bytes()).is_some() {
            self.push(
                name,
                RecordCode::FieldInvalid,
                "the value holds U+0000".to_owned(),
            );
        }
        text
    }

    /// Adds what only all names together show.
    #[cold]
    fn broken(mut self, mut names: Vec<&'a str>) -> Parsed<'a> {
        if !self.docid_given {
            let detail = "docid is absent or null".to_owned();
            self.push("docid", RecordCode::DocidMissing, detail);
        }
        if !self.phone_given {
            let detail = "phone is absent or null".to_owned();
            self.push("phone", RecordCode::PhoneMissing, detail);
        }
        names.sort_unstable();
        let mut fields = 0_usize;
        for same in names.chunk_by(|a, b| a == b) {
            let Some(name) = same.first() else { continue };
            fields += usize::from(!matches!(*name, "docid" | "phone"));
            if same.len() > 1 {
                let detail = format!("the member comes {} times", same.len());
                self.push(name, RecordCode::DuplicateMember, detail);
            }
        }
        if fields > MAX_FIELDS {
            self.problems.truncate(MAX_PROBLEMS - 1);
            self.problems.push(Problem {
                pointer: String::new(),
                code: RecordCode::TooManyFields,
                detail: format!("{fields} tracking fields; at most {MAX_FIELDS} are taken"),
            });
        }
        Parsed::Broken {
            docid: self
                .docid
                .map(|text| cut(text, docid::MAX_BYTES).to_owned()),
            problems: self.problems,
        }
    }

    #[cold]
    fn push(&mut self, name: &str, code: RecordCode, detail: String) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(Problem {
                pointer: pointer(name),
                code,
                detail,
            });
        }
    }
}

/// The JSON pointer of a member (RFC 6901, section 3: `~` is written `~0`, `/` is written `~1`).
pub(crate) fn pointer(name: &str) -> String {
    let shown = cut(name, MAX_POINTER_NAME_BYTES);
    let mut pointer = String::with_capacity(shown.len() + 4);
    pointer.push('/');
    for character in shown.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
    if shown.len() < name.len() {
        pointer.push('…');
    }
    pointer
}
