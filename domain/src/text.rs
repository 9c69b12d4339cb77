//! What several kinds of text need: the search for control characters, the beginning of a long text, and ids.

use uuid::Uuid;

/// Whether the text holds a character of Unicode's category Cc (U+0000–U+001F, U+007F–U+009F).
pub fn has_control(text: &str) -> bool {
    // Most texts are ASCII: one look at the bytes decides, and only others are decoded.
    let suspect = |byte: &u8| *byte < 0x20 || *byte >= 0x7f;
    text.as_bytes().iter().any(suspect) && text.chars().any(char::is_control)
}

/// The longest beginning of the text that has at most `max` bytes.
pub(crate) fn cut(text: &str, max: usize) -> &str {
    text.get(..text.floor_char_boundary(max))
        .unwrap_or_default()
}

/// Only the written form with hyphens; `Uuid` itself reads others too.
pub fn parse_uuid(text: &str) -> Option<Uuid> {
    (text.len() == uuid::fmt::Hyphenated::LENGTH).then(|| Uuid::parse_str(text).ok())?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_quick_look_for_controls_agrees_with_unicode(text in any::<String>()) {
            prop_assert_eq!(has_control(&text), text.chars().any(char::is_control));
        }
    }
}
