//! A JSON element as it came: its members as spans of the window, not checked yet.
//!
//! Spans, because a search for the end of an element may start again after the window has moved, and nothing is borrowed
//! or copied meanwhile.

use std::borrow::Cow;

use super::mapping::Mapping;
use crate::invalid::NotValid;
use crate::record::{BrokenRecord, Member, MemberValue, ParsedRecord, RecordCode, check};

/// Where a text is. An element has at most 16 MiB, so 32 bits are enough.
#[derive(Clone, Copy)]
pub(super) struct Span {
    start: u32,
    len: u32,
    /// In [`Unescaped`], or else in the element.
    unescaped: bool,
}

impl Span {
    pub(super) fn in_element(start: usize, len: usize) -> Self {
        Self::new(start, len, false)
    }

    fn new(start: usize, len: usize, unescaped: bool) -> Self {
        Self {
            start: u32::try_from(start).unwrap_or(u32::MAX),
            len: u32::try_from(len).unwrap_or(u32::MAX),
            unescaped,
        }
    }

    fn text<'a>(self, element: &'a str, unescaped: &'a Unescaped) -> &'a str {
        let start = self.start as usize;
        let text = if self.unescaped {
            &unescaped.text
        } else {
            element
        };
        text.get(start..start + self.len as usize)
            .unwrap_or_default()
    }
}

/// The value of a member: [`MemberValue`], with a span for the text.
#[derive(Clone, Copy)]
pub(super) enum RawValue {
    Text(Span),
    Null,
    Other,
}

/// Texts that are escaped in the body or stand elsewhere in it, one after the other.
#[derive(Default)]
pub(super) struct Unescaped {
    text: String,
    /// The bytes at the front that belong to all elements.
    kept: usize,
}

impl Unescaped {
    pub(super) fn add(&mut self, text: &str) -> Span {
        let start = self.text.len();
        self.text.push_str(text);
        Span::new(start, text.len(), true)
    }

    /// Texts that belong to all elements from here on.
    pub(super) fn keep(&mut self, texts: &[Cow<'_, str>]) -> Vec<Span> {
        let spans = texts.iter().map(|text| self.add(text)).collect();
        self.kept = self.text.len();
        spans
    }

    fn clear(&mut self) {
        self.text.truncate(self.kept);
        self.text.shrink_to(KEPT_BYTES);
    }
}

/// Memory beyond this, which an unusually large element took, is freed after it.
const KEPT_BYTES: usize = 64 << 10;

/// More members of an element are not kept: a thousand times what a record may have.
const MAX_MEMBERS: usize = 1 << 16;

/// An element. It is reused from element to element.
#[derive(Default)]
pub(super) struct RawRecord {
    /// What is wrong with it as a whole.
    pub(super) fault: Option<(RecordCode, Cow<'static, str>)>,
    members: Vec<(Span, RawValue)>,
    pub(super) unescaped: Unescaped,
    /// The fields of the record that the element is.
    fields: Vec<u8>,
    /// What a mapping makes of its values.
    made: Vec<Result<Option<String>, NotValid>>,
}

impl RawRecord {
    pub(super) fn add(&mut self, name: Span, value: RawValue) {
        if self.members.len() < MAX_MEMBERS {
            self.members.push((name, value));
        } else if self.fault.is_none() {
            let detail = format!("more than {MAX_MEMBERS} members");
            self.fault = Some((RecordCode::TooManyFields, detail.into()));
        }
    }

    /// Begins an element, which is no object so far.
    pub(super) fn clear(&mut self) {
        let detail = "the record is not an object".into();
        self.fault = Some((RecordCode::NotAnObject, detail));
        self.members.clear();
        self.members
            .shrink_to(KEPT_BYTES / size_of::<(Span, RawValue)>());
        self.unescaped.clear();
    }

    /// Checks what was read from `element`.
    pub(super) fn check<'a>(&'a mut self, element: &'a [u8]) -> ParsedRecord<'a> {
        let members = members(&self.members, &self.unescaped, element);
        match self.fault.take() {
            None => check(members, &mut self.fields),
            Some(fault) => Err(whole(members, fault)),
        }
    }

    /// The same with a mapping, after which members may have other names, unless they were `is_renamed` before, and other values.
    pub(super) fn check_mapped<'a>(
        &'a mut self,
        element: &'a [u8],
        mapping: &'a Mapping,
        is_renamed: bool,
        is_of_a_spreadsheet: bool,
    ) -> ParsedRecord<'a> {
        let members = members(&self.members, &self.unescaped, element);
        let members: Vec<Member<'a>> = if is_renamed {
            members.collect()
        } else {
            let renamed = |member: Member<'a>| {
                let names = mapping.names(member.name, |a, b| a == b);
                names.map(move |name| Member { name, ..member })
            };
            members.flat_map(renamed).collect()
        };
        let made = members.iter().map(|member| match member.value {
            MemberValue::Text(text) => mapping.value(member.name, text, is_of_a_spreadsheet),
            _ => Ok(None),
        });
        self.made = made.collect();
        let members = members.into_iter().zip(&self.made);
        let members = members.map(|(Member { name, value }, made)| Member {
            name,
            value: match made {
                Ok(None) => value,
                Ok(Some(text)) => MemberValue::Text(text),
                Err(error) => MemberValue::NotValid(*error),
            },
        });
        let members: Vec<_> = members.collect();
        match self.fault.take() {
            None => check(members.into_iter(), &mut self.fields),
            Some(fault) => Err(whole(members.into_iter(), fault)),
        }
    }

    /// The names and texts of the members as they stand in the element.
    pub(super) fn texts<'a>(
        &'a self,
        element: &'a [u8],
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        let members = members(&self.members, &self.unescaped, element);
        members.filter_map(|member| match member.value {
            MemberValue::Text(text) => Some((member.name, text)),
            _ => None,
        })
    }

    /// The text of the first member of this name as it stands in the element.
    pub(super) fn text_of<'a>(&'a self, name: &str, element: &'a [u8]) -> Option<&'a str> {
        let mut texts = self.texts(element);
        texts.find_map(|(found, text)| (found == name).then_some(text))
    }
}

fn members<'a>(
    members: &'a [(Span, RawValue)],
    unescaped: &'a Unescaped,
    element: &'a [u8],
) -> impl ExactSizeIterator<Item = Member<'a>> + Clone {
    // It was found to be UTF-8 before. Of a row that is not, all texts stand elsewhere.
    let element = str::from_utf8(element).unwrap_or_default();
    members.iter().map(move |(name, value)| Member {
        name: name.text(element, unescaped),
        value: match value {
            RawValue::Text(span) => MemberValue::Text(span.text(element, unescaped)),
            RawValue::Null => MemberValue::Null,
            RawValue::Other => MemberValue::Other,
        },
    })
}

/// A record with something wrong with it as a whole.
fn whole<'a>(
    members: impl Iterator<Item = Member<'a>>,
    (code, detail): (RecordCode, Cow<'static, str>),
) -> BrokenRecord {
    let mut docids = members.filter_map(|member| match (member.name, member.value) {
        ("docid", MemberValue::Text(text)) => Some(text),
        _ => None,
    });
    BrokenRecord::whole(docids.next(), code, detail.into())
}
