//! The members of one element, as places in the window: whoever looks for the end of an element may start
//! again after reading on, and nothing is borrowed or copied meanwhile.

use crate::record::{Given, Member, Parsed, Problem, RecordCode, check};

/// Where a text lies. An element has at most 16 MiB, so 32 bits do.
#[derive(Clone, Copy)]
pub(super) struct Place {
    start: u32,
    len: u32,
    /// In the draft's own text, because it was escaped in the body; else in the element.
    own: bool,
}

impl Place {
    pub(super) fn in_element(start: usize, len: usize) -> Self {
        Self::new(start, len, false)
    }

    fn new(start: usize, len: usize, own: bool) -> Self {
        Self {
            start: u32::try_from(start).unwrap_or(u32::MAX),
            len: u32::try_from(len).unwrap_or(u32::MAX),
            own,
        }
    }

    pub(super) fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The text, given the element and the draft's own text.
    pub(super) fn of<'a>(self, element: &'a str, own: &'a str) -> &'a str {
        let start = self.start as usize;
        let text = if self.own { own } else { element };
        text.get(start..start + self.len as usize)
            .unwrap_or_default()
    }
}

/// What a member holds: [`Given`], by its place.
#[derive(Clone, Copy)]
pub(super) enum Held {
    Text(Place),
    Null,
    Other,
}

/// Texts that were escaped in the body, one behind the other.
#[derive(Default)]
pub(super) struct Unescaped(String);

impl Unescaped {
    pub(super) fn add(&mut self, text: &str) -> Place {
        let start = self.0.len();
        self.0.push_str(text);
        Place::new(start, text.len(), true)
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
        self.0.shrink_to(KEPT);
    }
}

/// What an unusually large element has grown is given back beyond this.
const KEPT: usize = 64 << 10;

/// Of a hostile element only so many members are kept: a thousand times what a record may have.
const MAX_MEMBERS: usize = 1 << 16;

/// A JSON element being read. Reused from element to element.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) object: bool,
    members: Vec<(Place, Held)>,
    pub(super) unescaped: Unescaped,
}

impl Draft {
    pub(super) fn add(&mut self, name: Place, held: Held) {
        if self.members.len() <= MAX_MEMBERS {
            self.members.push((name, held));
        }
    }

    #[cfg(test)]
    pub(super) fn members(&self) -> &[(Place, Held)] {
        &self.members
    }

    pub(super) fn clear(&mut self) {
        self.object = false;
        self.members.clear();
        self.members.shrink_to(KEPT / size_of::<(Place, Held)>());
        self.unescaped.clear();
    }

    /// Judges the draft; `element` is what it was read from.
    pub(super) fn judge<'a>(&'a self, element: &'a [u8]) -> Parsed<'a> {
        if !self.object {
            return broken(None, RecordCode::NotAnObject, "the record is not an object");
        }
        if self.members.len() > MAX_MEMBERS {
            let detail = format!("more than {MAX_MEMBERS} members");
            return broken(None, RecordCode::TooManyFields, &detail);
        }
        let element = as_text(element);
        let own = self.unescaped.as_str();
        check(self.members.iter().map(move |(name, held)| Member {
            name: name.of(element, own),
            value: match held {
                Held::Text(place) => Given::Text(place.of(element, own)),
                Held::Null => Given::Null,
                Held::Other => Given::Other,
            },
        }))
    }
}

/// Bytes that have been found to be UTF-8 before.
pub(super) fn as_text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap_or_default()
}

/// A record with one problem that is the whole record's.
pub(super) fn broken<'a>(docid: Option<String>, code: RecordCode, detail: &str) -> Parsed<'a> {
    Parsed::Broken {
        docid,
        problems: vec![Problem {
            pointer: String::new(),
            code,
            detail: detail.to_owned(),
        }],
        dropped: 0,
    }
}
