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
    let mut nulls = Vec::new();
    for member in members.clone() {
        match member.name {
            "docid" => found.docid(member.value),
            "phone" => found.phone(member.value),
            name if matches!(member.value, Given::Null) => {
                if nulls.len() < MAX_FIELDS {
                    nulls.push(name);
                }
            }
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
    let others = fields.len() + nulls.len();
    let whole = members.len() == others + 2
        && others <= MAX_FIELDS
        && in_order(&fields)
        && are_new(nulls, &fields);
    match (found.docid, found.phone) {
        (Some(docid), Some(phone)) if whole && found.problems.found == 0 => Parsed::Valid(Record {
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

/// Whether each of the names comes once, and none is a field's.
fn are_new(mut names: Vec<&str>, fields: &[(Cow<str>, Cow<str>)]) -> bool {
    names.sort_unstable();
    names.is_sorted_by(|a, b| a < b)
        && names.iter().all(|name| {
            fields
                .binary_search_by(|(field, _)| (**field).cmp(name))
                .is_err()
        })
}

/// What the members have shown so far.
#[derive(Default)]
struct Found<'a> {
    /// The first string.
    docid: Option<&'a str>,
    phone: Option<&'a str>,
    docid_given: bool,
    phone_given: bool,
    problems: Problems,
}

/// The first problems of a record, and how many there are.
#[derive(Default)]
struct Problems {
    kept: Vec<Problem>,
    found: u64,
}

impl Problems {
    /// Only the detail of a problem that is kept is written.
    #[cold]
    fn push(&mut self, name: &str, code: RecordCode, detail: impl FnOnce() -> String) {
        self.found += 1;
        if self.kept.len() < MAX_PROBLEMS {
            self.kept.push(Problem {
                pointer: pointer(name),
                code,
                detail: detail(),
            });
        }
    }

    /// Adds a problem of the record as a whole. It is kept in place of the last one if there is no room.
    fn push_whole(&mut self, code: RecordCode, detail: String) {
        self.found += 1;
        self.kept.truncate(MAX_PROBLEMS - 1);
        self.kept.push(Problem {
            pointer: String::new(),
            code,
            detail,
        });
    }
}

impl<'a> Found<'a> {
    fn docid(&mut self, value: Given<'a>) {
        let problems = &mut self.problems;
        match value {
            Given::Null => return,
            Given::Other => problems.push("docid", RecordCode::DocidInvalid, || {
                "docid is not a string".to_owned()
            }),
            Given::Text(text) => {
                self.docid = self.docid.or(Some(text));
                if let Err(error) = docid::check(text) {
                    problems.push("docid", RecordCode::DocidInvalid, || {
                        format!("docid {error}")
                    });
                }
            }
        }
        self.docid_given = true;
    }

    fn phone(&mut self, value: Given<'a>) {
        let problems = &mut self.problems;
        match value {
            Given::Null => return,
            Given::Other => problems.push("phone", RecordCode::PhoneInvalid, || {
                "phone is not a string".to_owned()
            }),
            Given::Text(text) => {
                self.phone = self.phone.or(Some(text));
                if let Err(error) = phone::check(text) {
                    problems.push("phone", RecordCode::PhoneInvalid, || {
                        format!("phone {error}; E.164 is `+`, then 7 to 15 digits, the first not 0")
                    });
                }
            }
        }
        self.phone_given = true;
    }

    /// The value of a tracking field that is not null, as far as there is one.
    fn field(&mut self, name: &str, value: Given<'a>) -> &'a str {
        let problems = &mut self.problems;
        if name.is_empty() || name.len() > MAX_NAME_BYTES || has_control(name) {
            problems.push(name, RecordCode::FieldNameInvalid, || {
                format!("a field name has 1 to {MAX_NAME_BYTES} bytes and no control characters")
            });
        }
        let Given::Text(text) = value else {
            problems.push(name, RecordCode::FieldNotString, || {
                "the value is not a string".to_owned()
            });
            return "";
        };
        if text.len() > MAX_VALUE_BYTES {
            problems.push(name, RecordCode::FieldTooLong, || {
                format!("the value has more than {MAX_VALUE_BYTES} bytes")
            });
        }
        if memchr::memchr(0, text.as_bytes()).is_some() {
            problems.push(name, RecordCode::FieldInvalid, || {
                "the value holds U+0000".to_owned()
            });
        }
        text
    }

    /// Adds what only all names together show.
    #[cold]
    fn broken(mut self, mut names: Vec<&'a str>) -> Parsed<'a> {
        let problems = &mut self.problems;
        if !self.docid_given {
            problems.push("docid", RecordCode::DocidMissing, || {
                "docid is absent or null".to_owned()
            });
        }
        if !self.phone_given {
            problems.push("phone", RecordCode::PhoneMissing, || {
                "phone is absent or null".to_owned()
            });
        }
        names.sort_unstable();
        let mut fields = 0_usize;
        for same in names.chunk_by(|a, b| a == b) {
            let Some(name) = same.first() else { continue };
            fields += usize::from(!matches!(*name, "docid" | "phone"));
            if same.len() > 1 {
                problems.push(name, RecordCode::DuplicateMember, || {
                    format!("the member comes {} times", same.len())
                });
            }
        }
        if fields > MAX_FIELDS {
            problems.push_whole(
                RecordCode::TooManyFields,
                format!("{fields} tracking fields; at most {MAX_FIELDS} are taken"),
            );
        }
        Parsed::Broken {
            docid: self
                .docid
                .map(|text| cut(text, docid::MAX_BYTES).to_owned()),
            dropped: self.problems.found - self.problems.kept.len() as u64,
            problems: self.problems.kept,
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
