//! The tracking fields of a link, which each of its answers gets.

use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::record::{MAX_NAME_BYTES, MAX_VALUE_BYTES};
use crate::text::has_control;

/// A link has at most this many tracking fields.
pub const MAX_TRACK_FIELDS: usize = 6;

/// `<name>=<value>`, split at the first `=`. The name has 1 to 64 bytes and no control character, the value at most
/// 1,024 bytes and no U+0000, as in an import.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TrackField {
    name: String,
    value: String,
}

/// Why a text is not a tracking field, or a link cannot have one more.
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

impl fmt::Display for TrackField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.value)
    }
}

/// At most six tracking fields, each name once, in the order given. In JSON an object.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrackFields(Vec<TrackField>);

impl TrackFields {
    /// Adds a `<name>=<value>`. A seventh is too many, whatever its text.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fields(texts: &[&str]) -> TrackFields {
        let mut fields = TrackFields::default();
        for text in texts {
            fields.push(text).unwrap();
        }
        fields
    }

    #[test]
    fn a_tracking_field_is_split_at_its_first_equals() {
        let name = "n".repeat(64);
        let value = "v".repeat(1_024);
        for (text, name, value) in [
            ("order=7", "order", "7"),
            ("order=", "order", ""),
            ("a==b=", "a", "=b="),
            ("Straße= ü\n ", "Straße", " ü\n "),
            (&format!("{name}={value}"), &name, &value),
        ] {
            let field = TrackField::parse(text).unwrap();
            assert_eq!((field.name(), field.value()), (name, value));
            assert_eq!(field.to_string(), text);
        }
    }

    #[test]
    fn everything_else_is_refused_with_its_reason() {
        use TrackFieldError as E;
        for (text, error) in [
            ("", E::NoEquals),
            ("order", E::NoEquals),
            ("=7", E::NameEmpty),
            (&format!("{}=7", "é".repeat(33)), E::NameTooLong),
            ("a\0=7", E::NameControlCharacter),
            ("a\n=7", E::NameControlCharacter),
            (&format!("a={}", "é".repeat(513)), E::ValueTooLong),
            ("a=\0", E::ValueControlCharacter),
        ] {
            assert_eq!(TrackField::parse(text), Err(error), "{text}");
            assert_eq!(TrackFields::default().push(text), Err(error));
        }
    }

    #[test]
    fn a_link_has_at_most_six_of_different_names() {
        let mut six = fields(&["f=1", "e=2", "d=3", "c=4", "b=5", "a=6"]);
        assert_eq!(six.push("g=7"), Err(TrackFieldError::TooMany));
        assert_eq!(six.push("rubbish"), Err(TrackFieldError::TooMany));
        assert_eq!(six.len(), 6);
        assert_eq!(six.get("d"), Some("3"));
        assert_eq!(six.get("g"), None);
        let mut one = fields(&["a=1"]);
        assert_eq!(one.push("a=1"), Err(TrackFieldError::Duplicate));
        assert_eq!(one.push("A=1"), Ok(()));
    }

    #[test]
    fn in_json_they_are_an_object_in_the_order_given() {
        let json = serde_json::to_string(&fields(&["b=1", "a=2"])).unwrap();
        assert_eq!(json, r#"{"b":"1","a":"2"}"#);
        assert_eq!(
            serde_json::to_string(&TrackFields::default()).unwrap(),
            "{}"
        );
        for json in [
            r#"{"a":"1","a":"2"}"#,
            r#"{"":"1"}"#,
            r#"{"a":1}"#,
            "[]",
            r#"{"a":"","b":"","c":"","d":"","e":"","f":"","g":""}"#,
        ] {
            assert!(serde_json::from_str::<TrackFields>(json).is_err(), "{json}");
        }
    }

    proptest! {
        #[test]
        fn tracking_fields_read_back_in_order(texts in prop::collection::vec(".{0,5}=.{0,9}", 0..8)) {
            let mut fields = TrackFields::default();
            for text in &texts {
                let before = fields.len();
                let taken = fields.push(text).is_ok();
                prop_assert_eq!(fields.len(), before + usize::from(taken));
            }
            let json = serde_json::to_string(&fields).unwrap();
            prop_assert_eq!(serde_json::from_str::<TrackFields>(&json).unwrap(), fields);
        }
    }
}
