//! What `serde_json` reads of an element becomes a [`RawRecord`].
//!
//! What is not needed is still read as `serde_json::Value` would read it, not skipped by `IgnoredAny`, which
//! lets pass what `Value` refuses: numbers out of range, lone surrogates, invalid UTF-8, endless nesting.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::raw::{RawRecord, RawValue, Span, Unescaped};

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

/// The whole element.
pub(super) struct Element<'r> {
    pub(super) record: &'r mut RawRecord,
    /// The address of the element's first byte: a borrowed text's offset is its address less this.
    pub(super) front: usize,
    /// How many arrays and objects the element lies in.
    pub(super) level: u8,
}

seed!(Element<'_>);

impl<'de> Visitor<'de> for Element<'_> {
    type Value = ();

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self {
            record,
            front,
            level,
        } = self;
        let level = deeper(level)?;
        record.fault = None;
        loop {
            let unescaped = &mut record.unescaped;
            let Some(name) = map.next_key_seed(Name { unescaped, front })? else {
                return Ok(());
            };
            let unescaped = &mut record.unescaped;
            let value = map.next_value_seed(Content {
                text: Name { unescaped, front },
                level,
            })?;
            record.add(name, value);
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        Unwanted { level: self.level }.visit_seq(seq)
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    scalars!((), visit_bool: bool, visit_u64: u64, visit_i64: i64, visit_f64: f64, visit_str: &str);
}

/// A text: a member's name.
struct Name<'r> {
    unescaped: &'r mut Unescaped,
    front: usize,
}

seed!(Name<'_>);

impl<'de> Visitor<'de> for Name<'_> {
    type Value = Span;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Span, E> {
        let start = text.as_ptr().addr() - self.front;
        Ok(Span::in_element(start, text.len()))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Span, E> {
        Ok(self.unescaped.add(text))
    }
}

/// The value of a member.
struct Content<'r> {
    text: Name<'r>,
    level: u8,
}

seed!(Content<'_>);

impl<'de> Visitor<'de> for Content<'_> {
    type Value = RawValue;

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<RawValue, E> {
        self.text.visit_borrowed_str(text).map(RawValue::Text)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<RawValue, E> {
        self.text.visit_str(text).map(RawValue::Text)
    }

    fn visit_unit<E: Error>(self) -> Result<RawValue, E> {
        Ok(RawValue::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<RawValue, A::Error> {
        Unwanted { level: self.level }.visit_seq(seq)?;
        Ok(RawValue::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RawValue, A::Error> {
        Unwanted { level: self.level }.visit_map(map)?;
        Ok(RawValue::Other)
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
