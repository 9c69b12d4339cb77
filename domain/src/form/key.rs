//! The name of a field in answers, in reports and in the page's form.

use serde::{Deserialize, Serialize};

use crate::invalid::{Fault, code};

/// At most this many characters.
const MAX_CHARS: usize = 40;
/// The page sends the visit's id under this name.
const VISIT: &str = "visit";

/// A key of the shape `[a-z][a-z0-9_]{0,39}`, but not `visit`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FieldKey(String);

impl FieldKey {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name under which the text beside an option of the field is sent and stored; no key has a `.`.
    pub fn text_name(&self) -> String {
        format!("{}.text", self.0)
    }

    pub fn parse(text: &str) -> Result<Self, Fault> {
        let in_shape = text.len() <= MAX_CHARS
            && text.starts_with(|c: char| c.is_ascii_lowercase())
            && text
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if !in_shape {
            let shape = "a small letter followed by at most 39 small letters, digits and `_`";
            Err(Fault::new(code::MALFORMED, format!("is not {shape}")))
        } else if text == VISIT {
            let detail = "is `visit`, which the service keeps for itself";
            Err(Fault::new(code::RESERVED, detail))
        } else {
            Ok(Self(text.to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_letters_digits_and_underlines_are_a_key() {
        for text in ["a", "nps", "q_1", "a_", "visits", &"a".repeat(40)] {
            let key = FieldKey::parse(text).unwrap();
            assert_eq!(key.as_str(), text);
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
            assert_eq!(FieldKey::parse(text).unwrap_err().code, code::MALFORMED);
        }
        let reserved = FieldKey::parse("visit").unwrap_err();
        assert_eq!(reserved.code, code::RESERVED);
    }
}
