//! The caller's own id of a recipient.

use std::fmt;

/// At most this many bytes.
pub const MAX_BYTES: usize = 128;

/// A text of 1 to 128 bytes without control characters. Compared byte by byte; nothing is trimmed or folded.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocId(String);

/// Why a text is no docid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DocIdError {
    #[error("is empty")]
    Empty,
    #[error("has more than 128 bytes")]
    TooLong,
    #[error("holds a control character")]
    ControlCharacter,
}

impl DocId {
    pub fn parse(text: &str) -> Result<Self, DocIdError> {
        check(text).map(|()| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DocId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

pub(crate) fn check(text: &str) -> Result<(), DocIdError> {
    if text.is_empty() {
        Err(DocIdError::Empty)
    } else if text.len() > MAX_BYTES {
        Err(DocIdError::TooLong)
    } else if has_control(text) {
        Err(DocIdError::ControlCharacter)
    } else {
        Ok(())
    }
}

/// Whether the text holds a character of Unicode's category Cc (U+0000–U+001F, U+007F–U+009F).
pub(crate) fn has_control(text: &str) -> bool {
    // Most texts are ASCII: one look at the bytes decides, and only others are decoded.
    let suspect = |byte: &u8| *byte < 0x20 || *byte >= 0x7f;
    text.as_bytes().iter().any(suspect) && text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_to_128_bytes_are_a_docid() {
        let longest = "é".repeat(64);
        for text in ["a", " ", "Kunde/7", longest.as_str()] {
            assert_eq!(DocId::parse(text).unwrap().as_str(), text);
        }
    }

    #[test]
    fn empty_long_and_controlled_texts_are_refused() {
        assert_eq!(DocId::parse(""), Err(DocIdError::Empty));
        assert_eq!(DocId::parse(&"a".repeat(129)), Err(DocIdError::TooLong));
        for text in ["a\0", "\u{7f}", "a\nb", "\u{85}"] {
            assert_eq!(DocId::parse(text), Err(DocIdError::ControlCharacter));
        }
    }

    proptest! {
        #[test]
        fn the_quick_look_for_controls_agrees_with_unicode(text in any::<String>()) {
            prop_assert_eq!(has_control(&text), text.chars().any(char::is_control));
        }
    }
}
