//! The caller's own id of a recipient.

use crate::invalid::NotValid;
use crate::text::has_control;

/// At most this many bytes.
pub const MAX_BYTES: usize = 128;
/// The first character of the hash that replaces the docid of an erased person. No docid has a control character.
pub const ERASED: char = '\u{1}';

/// Whether a text is the hash that replaced the docid of an erased person.
pub fn is_erased(text: &str) -> bool {
    text.starts_with(ERASED)
}

/// A text of 1 to 128 bytes without control characters, owned or borrowed. Compared byte by byte; nothing is trimmed or
/// folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocId<S = String>(S);

impl<S: AsRef<str>> DocId<S> {
    pub fn parse(text: S) -> Result<Self, NotValid> {
        let shown = text.as_ref();
        if shown.is_empty() {
            Err(NotValid("is empty"))
        } else if shown.len() > MAX_BYTES {
            Err(NotValid("has more than 128 bytes"))
        } else if has_control(shown) {
            Err(NotValid("holds a control character"))
        } else {
            Ok(Self(text))
        }
    }

    pub fn as_str(&self) -> &str {
        self.0.as_ref()
    }
}

impl<'a> DocId<&'a str> {
    /// A text that was parsed before.
    pub(crate) fn parsed(text: &'a str) -> Self {
        Self(text)
    }

    /// The text, for as long as it was borrowed.
    pub fn get(self) -> &'a str {
        self.0
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(DocId::parse(""), Err(NotValid("is empty")));
        assert_eq!(
            DocId::parse("a".repeat(129)),
            Err(NotValid("has more than 128 bytes"))
        );
        for text in ["a\0", "\u{7f}", "a\nb", "\u{85}"] {
            assert_eq!(
                DocId::parse(text),
                Err(NotValid("holds a control character"))
            );
        }
    }
}
