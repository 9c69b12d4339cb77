//! What `serde_json` reads of an element becomes a [`RawRecord`].
//!
//! What is not needed is still read as `serde_json::Value` would read it, not skipped by `IgnoredAny`, which
//! lets pass what `Value` refuses: numbers out of range, lone surrogates, invalid UTF-8, endless nesting.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::raw::{RawRecord, RawValue, Span};

/// How deep arrays and objects may be nested in a document: `serde_json` refuses the 128th level.
const MAX_LEVEL: u8 = 127;

/// The next level down, or the error that `serde_json` would give there.
fn deeper<E: Error>(level: u8) -> Result<u8, E> {
    if level < MAX_LEVEL {
        Ok(level + 1)
    } else {
        Err(E::custom("recursion limit exceeded"))
    }
}

/// The element, the name of a member of it, the value of one, or what lies within such a value.
pub(super) struct Content<'r> {
    /// Takes texts and members. `None`: the value is only checked.
    pub(super) record: Option<&'r mut RawRecord>,
    /// The address of the element's first byte: a borrowed text's offset is its address less this.
    pub(super) front: usize,
    /// How many arrays and objects it lies in.
    pub(super) level: u8,
    /// It is the element.
    pub(super) is_whole: bool,
}

impl Content<'_> {
    /// What lies in it: of the element, names and values of members.
    fn part(&mut self) -> Content<'_> {
        Content {
            record: self.record.as_deref_mut().filter(|_| self.is_whole),
            is_whole: false,
            ..*self
        }
    }
}

/// A visitor of any value is its own seed.
impl<'de> DeserializeSeed<'de> for Content<'_> {
    type Value = RawValue;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<RawValue, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Content<'_> {
    type Value = RawValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<RawValue, A::Error> {
        self.level = deeper(self.level)?;
        if self.is_whole
            && let Some(record) = &mut self.record
        {
            record.fault = None;
        }
        while let Some(name) = map.next_key_seed(self.part())? {
            let value = map.next_value_seed(self.part())?;
            if self.is_whole
                && let (RawValue::Text(name), Some(record)) = (name, &mut self.record)
            {
                record.add(name, value);
            }
        }
        Ok(RawValue::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<RawValue, A::Error> {
        self.level = deeper(self.level)?;
        self.is_whole = false;
        while seq.next_element_seed(self.part())?.is_some() {}
        Ok(RawValue::Other)
    }

    fn visit_unit<E: Error>(self) -> Result<RawValue, E> {
        Ok(RawValue::Null)
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<RawValue, E> {
        let start = text.as_ptr().addr() - self.front;
        Ok(RawValue::Text(Span::in_element(start, text.len())))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<RawValue, E> {
        let text = self.record.map(|record| record.unescaped.add(text));
        Ok(text.map_or(RawValue::Other, RawValue::Text))
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<RawValue, E> {
        Ok(RawValue::Other)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<RawValue, E> {
        Ok(RawValue::Other)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<RawValue, E> {
        Ok(RawValue::Other)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<RawValue, E> {
        Ok(RawValue::Other)
    }
}
