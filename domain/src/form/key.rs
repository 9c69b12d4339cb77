//! The name of a field in answers, in reports and in the page's form.

use std::fmt;

use serde::{Deserialize, Serialize};

/// At most this many characters.
const MAX_CHARS: usize = 40;
/// The page sends the visit's id under this name.
const VISIT: &str = "visit";

/// A key of the shape `[a-z][a-z0-9_]{0,39}`, but not `visit`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FieldKey(String);

/// Why a text is no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FieldKeyError {
    #[error("is not a small letter followed by at most 39 small letters, digits and `_`")]
    Malformed,
    #[error("is `visit`, which the service keeps for itself")]
    Reserved,
}

impl FieldKey {
    pub fn parse(text: &str) -> Result<Self, FieldKeyError> {
        Self::try_from(text.to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for FieldKey {
    type Error = FieldKeyError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let in_shape = text.len() <= MAX_CHARS
            && text.starts_with(|c: char| c.is_ascii_lowercase())
            && text
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if !in_shape {
            Err(FieldKeyError::Malformed)
        } else if text == VISIT {
            Err(FieldKeyError::Reserved)
        } else {
            Ok(Self(text))
        }
    }
}

impl From<FieldKey> for String {
    fn from(key: FieldKey) -> Self {
        key.0
    }
}

impl fmt::Display for FieldKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_letters_digits_and_underlines_are_a_key() {
        for text in ["a", "nps", "q_1", "a_", "visits", &"a".repeat(40)] {
            let key = FieldKey::parse(text).unwrap();
            assert_eq!((key.as_str(), key.to_string().as_str()), (text, text));
        }
    }

    #[test]
    fn everything_else_is_refused_with_its_reason() {
        for text in [
            "",
            "A",
            "1a",
            "_a",
            "a-b",
            "a b",
            "ä",
            "a\0",
            "a\n",
            &"a".repeat(41),
        ] {
            assert_eq!(FieldKey::parse(text), Err(FieldKeyError::Malformed));
        }
        assert_eq!(FieldKey::parse("visit"), Err(FieldKeyError::Reserved));
    }
}
