//! From the members of an element to a record, or to the list of its problems.
//!
//! Where the members come from (JSON or a CSV row) is not known here.

use std::array;
use std::fmt::Display;
use std::io;

use serde::Serializer;

use super::{
    BrokenRecord, COLUMNS, ColumnText, MAX_FIELDS, MAX_NAME_BYTES, MAX_VALUE_BYTES, ParsedRecord,
    Record, RecordCode as Code, RecordProblem, column_of,
};
use crate::docid;
use crate::invalid::{MAX_PROBLEMS, NotValid, Problems, member};
use crate::text::{cut, has_control};

/// A member of an element, by its decoded name.
#[derive(Clone, Copy)]
pub(crate) struct Member<'a> {
    pub(crate) name: &'a str,
    pub(crate) value: MemberValue<'a>,
}

/// The value of a member.
#[derive(Clone, Copy)]
pub(crate) enum MemberValue<'a> {
    Text(&'a str),
    /// A text that cannot be valid, and why.
    NotValid(NotValid),
    Null,
    /// A number, a boolean, an array or an object.
    Other,
}

/// Checks the members of an element, which come in the order of the body. The record's fields are written to `json`.
pub(crate) fn check<'a>(
    members: impl ExactSizeIterator<Item = Member<'a>> + Clone,
    json: &'a mut Vec<u8>,
) -> ParsedRecord<'a> {
    let mut found = MembersSoFar::default();
    for member in members.clone() {
        match column_of(member.name) {
            Some((n, text)) => found.column(n, text, member),
            None => found.field(member.name, member.value),
        }
    }
    // A fast path for records without a problem. Fields that come twice are found when they are written.
    if found.problems.len() == 0
        && found.missing().next().is_none()
        && found.fields <= MAX_FIELDS
        && found.times.iter().all(|times| *times < 2)
        && let Some(fields) = write_fields(members.clone(), found.out_of_order, json)
    {
        let values = array::from_fn(|n| match COLUMNS[n].text {
            Some(_) => found.texts[n].unwrap_or_default(),
            None => fields,
        });
        return Ok(Record::from_valid(values));
    }
    Err(found.broken(members.map(|member| member.name).collect()))
}

/// Writes the fields that are not null, sorted by name; `None` if a name comes twice.
fn write_fields<'a>(
    members: impl Iterator<Item = Member<'a>>,
    out_of_order: bool,
    json: &'a mut Vec<u8>,
) -> Option<&'a str> {
    let fields = members.filter(|member| column_of(member.name).is_none());
    json.clear();
    if out_of_order {
        let mut fields: Vec<_> = fields.collect();
        fields.sort_unstable_by_key(|field| field.name);
        if !fields.is_sorted_by(|a, b| a.name < b.name) {
            return None;
        }
        write_object(fields.into_iter(), &mut *json);
    } else {
        write_object(fields, &mut *json);
    }
    str::from_utf8(json).ok()
}

#[expect(
    clippy::expect_used,
    reason = "a Vec takes every byte and every str has a JSON form; no input reaches this"
)]
fn write_object<'a>(fields: impl Iterator<Item = Member<'a>>, out: impl io::Write) {
    let texts = fields.filter_map(|field| match field.value {
        MemberValue::Text(text) => Some((field.name, text)),
        MemberValue::NotValid(_) | MemberValue::Null | MemberValue::Other => None,
    });
    serde_json::Serializer::new(out)
        .collect_map(texts)
        .expect("strings in a Vec");
}

/// What was found in the members so far.
#[derive(Default)]
struct MembersSoFar<'a> {
    /// The valid texts of [`COLUMNS`].
    texts: [Option<&'a str>; COLUMNS.len()],
    /// Which of [`COLUMNS`] came, valid or not, but not null.
    came: [bool; COLUMNS.len()],
    /// How often a member of each of [`COLUMNS`] came, null or not.
    times: [usize; COLUMNS.len()],
    /// The first docid that is a string.
    docid_text: Option<&'a str>,
    /// All other members, null or not.
    fields: usize,
    last_name: &'a str,
    /// Whether the names are not in ascending order.
    out_of_order: bool,
    problems: Problems<Code>,
}

impl<'a> MembersSoFar<'a> {
    fn note(&self, name: &str, code: Code, detail: impl Display) {
        let pointer = member("", name);
        self.problems.push(pointer, code, detail);
    }

    /// The required columns that did not come, each with its code.
    fn missing(&self) -> impl Iterator<Item = (&'static str, Code)> + use<> {
        let columns = COLUMNS.iter().zip(self.came);
        columns
            .filter_map(|(column, came)| Some((column.name, column.missing().filter(|_| !came)?)))
    }

    /// A member that is the `n`-th column. A null is as if left out.
    fn column(&mut self, n: usize, column: &ColumnText, Member { name, value }: Member<'a>) {
        self.times[n] += 1;
        self.came[n] |= !matches!(value, MemberValue::Null);
        let error = match value {
            MemberValue::Null => return,
            MemberValue::Other => NotValid("is not a string"),
            MemberValue::NotValid(error) => error,
            MemberValue::Text(text) => {
                if n == 0 {
                    self.docid_text.get_or_insert(text);
                }
                match (column.check)(text) {
                    Ok(()) => {
                        self.texts[n] = Some(text);
                        return;
                    }
                    Err(error) => error,
                }
            }
        };
        self.note(name, column.invalid, format_args!("{name} {error}"));
    }

    /// A tracking field. One that is null is no member, but its name counts.
    fn field(&mut self, name: &'a str, value: MemberValue<'a>) {
        self.fields += 1;
        self.out_of_order |= name <= self.last_name;
        self.last_name = name;
        if let MemberValue::Null = value {
            return;
        }
        if name.is_empty() || name.len() > MAX_NAME_BYTES || has_control(name) {
            self.note(
                name,
                Code::FieldNameInvalid,
                format_args!(
                    "a field name has 1 to {MAX_NAME_BYTES} bytes and no control characters"
                ),
            );
        }
        let MemberValue::Text(text) = value else {
            return self.note(name, Code::FieldNotString, "the value is not a string");
        };
        if text.len() > MAX_VALUE_BYTES {
            let detail = format_args!("the value has more than {MAX_VALUE_BYTES} bytes");
            self.note(name, Code::FieldTooLong, detail);
        }
        if memchr::memchr(0, text.as_bytes()).is_some() {
            self.note(name, Code::FieldInvalid, "the value holds U+0000");
        }
    }

    /// Adds the problems that only show in all names together.
    #[cold]
    fn broken(self, mut names: Vec<&'a str>) -> BrokenRecord {
        for (name, code) in self.missing() {
            self.note(name, code, format_args!("{name} is absent or null"));
        }
        names.sort_unstable();
        let mut fields = 0_usize;
        for same in names.chunk_by(|a, b| a == b) {
            let Some(name) = same.first() else { continue };
            fields += usize::from(column_of(name).is_none());
            if same.len() > 1 {
                let detail = format_args!("the member comes {} times", same.len());
                self.note(name, Code::DuplicateMember, detail);
            }
        }
        let (docid, mut dropped) = (self.docid_text, self.problems.dropped());
        let mut problems = self.problems.into_vec();
        if fields > MAX_FIELDS {
            // A problem of the whole record replaces the last one if there is no room.
            dropped += u64::from(problems.len() == MAX_PROBLEMS);
            problems.truncate(MAX_PROBLEMS - 1);
            problems.push(RecordProblem {
                pointer: String::new(),
                code: Code::TooManyFields,
                detail: format!("{fields} tracking fields; at most {MAX_FIELDS} are taken"),
            });
        }
        BrokenRecord {
            docid: docid.map(|text| cut(text, docid::MAX_BYTES).to_owned()),
            problems,
            dropped,
        }
    }
}
