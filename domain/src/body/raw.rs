//! A JSON element as it came: its members as spans of the window, not checked yet.
//!
//! Spans, because a search for the end of an element may start again after the window has moved, and nothing is borrowed
//! or copied meanwhile.

use crate::record::{BrokenRecord, Member, Parsed, RecordCode, Value, check};

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

    pub(super) fn is_empty(self) -> bool {
        self.len == 0
    }

    pub(super) fn text<'a>(self, element: &'a str, unescaped: &'a Unescaped) -> &'a str {
        let start = self.start as usize;
        let text = if self.unescaped {
            &unescaped.0
        } else {
            element
        };
        text.get(start..start + self.len as usize)
            .unwrap_or_default()
    }
}

/// The value of a member: [`Value`], with a span for the text.
#[derive(Clone, Copy)]
pub(super) enum RawValue {
    Text(Span),
    Null,
    Other,
}

/// Texts that are escaped in the body, one after the other.
#[derive(Default)]
pub(super) struct Unescaped(String);

impl Unescaped {
    pub(super) fn add(&mut self, text: &str) -> Span {
        let start = self.0.len();
        self.0.push_str(text);
        Span::new(start, text.len(), true)
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
        self.0.shrink_to(KEPT_BYTES);
    }
}

/// Memory beyond this, which an unusually large element took, is freed after it.
const KEPT_BYTES: usize = 64 << 10;

/// More members of an element are not kept: a thousand times what a record may have.
const MAX_MEMBERS: usize = 1 << 16;

/// A JSON element. It is reused from element to element.
#[derive(Default)]
pub(super) struct RawRecord {
    pub(super) is_object: bool,
    members: Vec<(Span, RawValue)>,
    pub(super) unescaped: Unescaped,
    /// The fields of the record that the element is.
    fields: Vec<u8>,
}

impl RawRecord {
    pub(super) fn add(&mut self, name: Span, value: RawValue) {
        if self.members.len() <= MAX_MEMBERS {
            self.members.push((name, value));
        }
    }

    pub(super) fn clear(&mut self) {
        self.is_object = false;
        self.members.clear();
        self.members
            .shrink_to(KEPT_BYTES / size_of::<(Span, RawValue)>());
        self.unescaped.clear();
    }

    /// Checks what was read from `element`.
    pub(super) fn check<'a>(&'a mut self, element: &'a [u8]) -> Parsed<'a> {
        let whole = |code, detail| Err(BrokenRecord::whole(None, code, detail));
        if !self.is_object {
            return whole(
                RecordCode::NotAnObject,
                "the record is not an object".to_owned(),
            );
        }
        if self.members.len() > MAX_MEMBERS {
            let detail = format!("more than {MAX_MEMBERS} members");
            return whole(RecordCode::TooManyFields, detail);
        }
        let element = as_text(element);
        let unescaped = &self.unescaped;
        let members = self.members.iter().map(move |(name, value)| Member {
            name: name.text(element, unescaped),
            value: match value {
                RawValue::Text(span) => Value::Text(span.text(element, unescaped)),
                RawValue::Null => Value::Null,
                RawValue::Other => Value::Other,
            },
        });
        check(members, &mut self.fields)
    }
}

/// Bytes that have been found to be UTF-8 before.
pub(super) fn as_text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap_or_default()
}
