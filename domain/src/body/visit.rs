//! What `serde_json` reads of an element becomes a draft.
//!
//! What is not needed is still read as `serde_json::Value` would read it, not skipped by `IgnoredAny`, which
//! lets pass what `Value` refuses: numbers out of range, lone surrogates, invalid UTF-8, endless nesting.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::draft::{Draft, Held, Place, Unescaped};

/// So deep may arrays and objects be nested in a document: `serde_json` refuses the 128th.
const MAX_LEVEL: u8 = 127;

/// The next level down, or the error that `serde_json` would give there.
fn deeper<E: Error>(level: u8) -> Result<u8, E> {
    if level < MAX_LEVEL {
        Ok(level + 1)
    } else {
        Err(E::custom("recursion limit exceeded"))
    }
}

/// A visitor's methods for what holds nothing: all of them answer alike.
macro_rules! scalars {
    ($answer:expr, $($visit:ident: $value:ty),+) => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a JSON value")
        }
        $(fn $visit<E: Error>(self, _: $value) -> Result<Self::Value, E> {
            Ok($answer)
        })+
    };
}

/// The whole element.
pub(super) struct Element<'d> {
    pub(super) draft: &'d mut Draft,
    /// The address of the element's first byte: a borrowed text's place is its address less this.
    pub(super) front: usize,
    /// How many arrays and objects the element lies in.
    pub(super) level: u8,
}

impl<'de> DeserializeSeed<'de> for Element<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Element<'_> {
    type Value = ();

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self {
            draft,
            front,
            level,
        } = self;
        let level = deeper(level)?;
        draft.object = true;
        loop {
            let unescaped = &mut draft.unescaped;
            let Some(name) = map.next_key_seed(Name { unescaped, front })? else {
                return Ok(());
            };
            let unescaped = &mut draft.unescaped;
            let held = map.next_value_seed(Content {
                text: Name { unescaped, front },
                level,
            })?;
            draft.add(name, held);
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
struct Name<'d> {
    unescaped: &'d mut Unescaped,
    front: usize,
}

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Place;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Place, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Name<'_> {
    type Value = Place;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Place, E> {
        let start = text.as_ptr().addr() - self.front;
        Ok(Place::in_element(start, text.len()))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Place, E> {
        Ok(self.unescaped.add(text))
    }
}

/// What a member holds.
struct Content<'d> {
    text: Name<'d>,
    level: u8,
}

impl<'de> DeserializeSeed<'de> for Content<'_> {
    type Value = Held;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Held, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Content<'_> {
    type Value = Held;

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Held, E> {
        self.text.visit_borrowed_str(text).map(Held::Text)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Held, E> {
        self.text.visit_str(text).map(Held::Text)
    }

    fn visit_unit<E: Error>(self) -> Result<Held, E> {
        Ok(Held::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Held, A::Error> {
        Unwanted { level: self.level }.visit_seq(seq)?;
        Ok(Held::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Held, A::Error> {
        Unwanted { level: self.level }.visit_map(map)?;
        Ok(Held::Other)
    }

    scalars!(Held::Other, visit_bool: bool, visit_u64: u64, visit_i64: i64, visit_f64: f64);
}

/// A value that is only read to see whether it is one.
#[derive(Clone, Copy)]
struct Unwanted {
    level: u8,
}

impl<'de> DeserializeSeed<'de> for Unwanted {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

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
