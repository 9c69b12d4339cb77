//! The tracking fields of a link, which come back with each of its answers.

use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::docid::has_control;
use crate::record::{MAX_NAME_BYTES, MAX_VALUE_BYTES};

/// A link has at most this many tracking fields.
pub const MAX_TRACK_FIELDS: usize = 6;

/// `<name>=<value>`, split at the first `=`. The name has 1 to 64 bytes and no control character, the value at most
/// 1,024 bytes and no U+0000, as in an import.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TrackField {
    name: String,
    value: String,
}

/// Why a text is no tracking field, or one more cannot be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TrackFieldError {
    #[error("a tracking field is <name>=<value>")]
    NoEquals,
    #[error("the name is empty")]
    NameEmpty,
    #[error("the name has more than {MAX_NAME_BYTES} bytes")]
    NameTooLong,
    #[error("the name holds a control character")]
    NameControlCharacter,
    #[error("the value has more than {MAX_VALUE_BYTES} bytes")]
    ValueTooLong,
    #[error("the value holds U+0000")]
    ValueControlCharacter,
    #[error("the name comes twice")]
    Duplicate,
    #[error("more than {MAX_TRACK_FIELDS} tracking fields")]
    TooMany,
}

impl TrackFieldError {
    /// As callers match on it.
    pub fn code(self) -> &'static str {
        use crate::invalid::code;
        match self {
            TrackFieldError::NoEquals => code::MALFORMED,
            TrackFieldError::NameEmpty => code::BLANK,
            TrackFieldError::NameTooLong | TrackFieldError::ValueTooLong => code::TOO_LONG,
            TrackFieldError::NameControlCharacter | TrackFieldError::ValueControlCharacter => {
                code::CONTROL_CHARACTER
            }
            TrackFieldError::Duplicate => code::DUPLICATE,
            TrackFieldError::TooMany => code::TOO_MANY,
        }
    }
}

impl TrackField {
    pub fn parse(text: &str) -> Result<Self, TrackFieldError> {
        let (name, value) = text.split_once('=').ok_or(TrackFieldError::NoEquals)?;
        Self::new(name, value)
    }

    pub fn new(name: &str, value: &str) -> Result<Self, TrackFieldError> {
        if name.is_empty() {
            Err(TrackFieldError::NameEmpty)
        } else if name.len() > MAX_NAME_BYTES {
            Err(TrackFieldError::NameTooLong)
        } else if has_control(name) {
            Err(TrackFieldError::NameControlCharacter)
        } else if value.len() > MAX_VALUE_BYTES {
            Err(TrackFieldError::ValueTooLong)
        } else if value.contains('\0') {
            Err(TrackFieldError::ValueControlCharacter)
        } else {
            Ok(Self {
                name: name.to_owned(),
                value: value.to_owned(),
            })
        }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn value(&self) -> &str {
        &self.value
    }
}

/// At most six tracking fields, each name once, in the order given. In JSON an object.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrackFields(Vec<TrackField>);

impl TrackFields {
    /// Takes one more `<name>=<value>`. A seventh is too many, whatever it says.
    pub fn push(&mut self, text: &str) -> Result<(), TrackFieldError> {
        if self.0.len() == MAX_TRACK_FIELDS {
            return Err(TrackFieldError::TooMany);
        }
        self.add(TrackField::parse(text)?)
    }

    fn add(&mut self, field: TrackField) -> Result<(), TrackFieldError> {
        if self.0.len() == MAX_TRACK_FIELDS {
            return Err(TrackFieldError::TooMany);
        }
        if self.get(&field.name).is_some() {
            return Err(TrackFieldError::Duplicate);
        }
        self.0.push(field);
        Ok(())
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter()
            .find(|field| field.name == name)
            .map(TrackField::value)
    }

    pub fn iter(&self) -> impl Iterator<Item = &TrackField> {
        self.0.iter()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for TrackFields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|field| (&field.name, &field.value)))
    }
}

impl<'de> Deserialize<'de> for TrackFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = TrackFields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of tracking fields")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<TrackFields, A::Error> {
                let mut fields = TrackFields::default();
                while let Some((name, value)) = map.next_entry::<String, String>()? {
                    TrackField::new(&name, &value)
                        .and_then(|field| fields.add(field))
                        .map_err(A::Error::custom)?;
                }
                Ok(fields)
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}
