//! The tracking fields of a link, which each of its answers gets.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::invalid::Fault;
use crate::invalid::code::{BLANK, CONTROL_CHARACTER, DUPLICATE, MALFORMED, TOO_LONG, TOO_MANY};
use crate::record::{MAX_NAME_BYTES, MAX_VALUE_BYTES};
use crate::text::has_control;

/// A link has at most this many tracking fields.
pub const MAX_TRACK_FIELDS: usize = 6;

/// At most six tracking fields, each name once, in the order given. A name has 1 to 64 bytes and no control character, a
/// value at most 1,024 bytes and no U+0000, as in an import. In JSON an object, which is not checked again when it is read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, derive_more::Deref)]
pub struct TrackFields(IndexMap<String, String>);

impl TrackFields {
    /// Adds a `<name>=<value>`, split at the first `=`. A seventh is too many, whatever its text.
    pub fn push(&mut self, text: &str) -> Result<(), Fault> {
        if self.len() == MAX_TRACK_FIELDS {
            let detail = format!("more than {MAX_TRACK_FIELDS} tracking fields");
            return Err(Fault::new(TOO_MANY, detail));
        }
        let Some((name, value)) = text.split_once('=') else {
            return Err(Fault::new(MALFORMED, "a tracking field is <name>=<value>"));
        };
        let of = |part, Fault { code, detail }| Fault::new(code, format!("the {part} {detail}"));
        read_name(name).map_err(|fault| of("name", fault))?;
        read_value(value).map_err(|fault| of("value", fault))?;
        if self.0.contains_key(name) {
            return Err(Fault::new(DUPLICATE, "the name comes twice"));
        }
        self.0.insert(name.to_owned(), value.to_owned());
        Ok(())
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The one of this name, and the others.
    pub fn split(self, name: &str) -> (Self, Self) {
        let (one, others) = self.0.into_iter().partition(|(other, _)| other == name);
        (Self(one), Self(others))
    }
}

/// Checks a name, as in an import.
pub(crate) fn read_name(name: &str) -> Result<&str, Fault> {
    if name.is_empty() {
        Err(Fault::new(BLANK, "is empty"))
    } else if has_control(name) {
        Err(Fault::new(CONTROL_CHARACTER, "holds a control character"))
    } else {
        at_most(name, MAX_NAME_BYTES)
    }
}

/// Checks a value, as in an import.
pub(crate) fn read_value(value: &str) -> Result<&str, Fault> {
    if value.contains('\0') {
        Err(Fault::new(CONTROL_CHARACTER, "holds U+0000"))
    } else {
        at_most(value, MAX_VALUE_BYTES)
    }
}

fn at_most(text: &str, max: usize) -> Result<&str, Fault> {
    let too_long = || Fault::new(TOO_LONG, format!("has more than {max} bytes"));
    (text.len() <= max).then_some(text).ok_or_else(too_long)
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
            let fields = fields(&[text]);
            let (first, second) = fields.first().unwrap();
            assert_eq!((first.as_str(), second.as_str()), (name, value));
        }
    }

    #[test]
    fn everything_else_is_refused_with_its_reason() {
        for (text, code, detail) in [
            ("", MALFORMED, "a tracking field is <name>=<value>"),
            ("order", MALFORMED, "a tracking field is <name>=<value>"),
            ("=7", BLANK, "the name is empty"),
            (
                &format!("{}=7", "é".repeat(33)),
                TOO_LONG,
                "the name has more than 64 bytes",
            ),
            (
                "a\0=7",
                CONTROL_CHARACTER,
                "the name holds a control character",
            ),
            (
                "a\n=7",
                CONTROL_CHARACTER,
                "the name holds a control character",
            ),
            (
                &format!("a={}", "é".repeat(513)),
                TOO_LONG,
                "the value has more than 1024 bytes",
            ),
            ("a=\0", CONTROL_CHARACTER, "the value holds U+0000"),
        ] {
            let refused = TrackFields::default().push(text);
            assert_eq!(refused, Err(Fault::new(code, detail)), "{text}");
        }
    }

    #[test]
    fn a_link_has_at_most_six_of_different_names() {
        let mut six = fields(&["f=1", "e=2", "d=3", "c=4", "b=5", "a=6"]);
        for text in ["g=7", "rubbish"] {
            let many = Fault::new(TOO_MANY, "more than 6 tracking fields");
            assert_eq!(six.push(text), Err(many));
        }
        assert_eq!(six.len(), 6);
        assert_eq!(six["d"], "3");
        assert_eq!(six.get("g"), None);
        let mut one = fields(&["a=1"]);
        let twice = Fault::new(DUPLICATE, "the name comes twice");
        assert_eq!(one.push("a=1"), Err(twice));
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
        for json in [r#"{"a":1}"#, "[]"] {
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
            let read: TrackFields = serde_json::from_str(&json).unwrap();
            prop_assert!(read.iter().eq(fields.iter()));
        }
    }
}
