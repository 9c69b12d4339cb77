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

/// A visitor of any value is its own seed.
macro_rules! seed {
    ($visitor:ty) => {
        impl<'de> DeserializeSeed<'de> for $visitor {
            type Value = <Self as Visitor<'de>>::Value;

            fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
                json.deserialize_any(self)
            }
        }
    };
}

/// A visitor's methods for values whose content does not matter: all of them return the same.
macro_rules! scalars {
    ($result:expr, $($visit:ident: $value:ty),+) => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a JSON value")
        }
        $(fn $visit<E: Error>(self, _: $value) -> Result<Self::Value, E> {
            Ok($result)
        })+
    };
}

/// The element, the name of a member of it, or the value of one.
pub(super) struct Content<'r> {
    pub(super) record: &'r mut RawRecord,
    /// The address of the element's first byte: a borrowed text's offset is its address less this.
    pub(super) front: usize,
    /// How many arrays and objects it lies in.
    pub(super) level: u8,
    /// It is the element.
    pub(super) is_whole: bool,
}

seed!(Content<'_>);

impl Content<'_> {
    fn part(&mut self) -> Content<'_> {
        Content {
            record: self.record,
            is_whole: false,
            ..*self
        }
    }
}

impl<'de> Visitor<'de> for Content<'_> {
    type Value = RawValue;

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<RawValue, A::Error> {
        if !self.is_whole {
            Unwanted { level: self.level }.visit_map(map)?;
            return Ok(RawValue::Other);
        }
        self.level = deeper(self.level)?;
        self.record.fault = None;
        while let Some(name) = map.next_key_seed(self.part())? {
            let value = map.next_value_seed(self.part())?;
            if let RawValue::Text(name) = name {
                self.record.add(name, value);
            }
        }
        Ok(RawValue::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<RawValue, A::Error> {
        Unwanted { level: self.level }.visit_seq(seq)?;
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
        Ok(RawValue::Text(self.record.unescaped.add(text)))
    }

    scalars!(RawValue::Other, visit_bool: bool, visit_u64: u64, visit_i64: i64, visit_f64: f64);
}

/// A value that is only read to see whether it is one.
#[derive(Clone, Copy)]
struct Unwanted {
    level: u8,
}

seed!(Unwanted);

impl<'de> Visitor<'de> for Unwanted {
    type Value = ();

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let level = deeper(self.level)?;
        while seq.next_element_seed(Self { level })?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let inner = Self {
            level: deeper(self.level)?,
        };
        while map.next_entry_seed(inner, inner)?.is_some() {}
        Ok(())
    }

    scalars!((), visit_bool: bool, visit_u64: u64, visit_i64: i64, visit_f64: f64, visit_str: &str);
}
