//! What several kinds of text need: the search for control characters and others that nobody sees, the beginning of a long text, and ids.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};
use uuid::Uuid;

/// Whether the text holds a character of Unicode's category Cc (U+0000–U+001F, U+007F–U+009F).
pub fn has_control(text: &str) -> bool {
    // Most texts are ASCII: one look at the bytes decides, and only others are decoded.
    let suspect = |byte: &u8| *byte < 0x20 || *byte >= 0x7f;
    text.as_bytes().iter().any(suspect) && text.chars().any(char::is_control)
}

/// Whether the text holds a character that is not seen, or turns around how others are: one of the categories Cc, Cf, Zl and Zp.
pub fn has_unseen(text: &str) -> bool {
    use GeneralCategory::{Control, Format, LineSeparator, ParagraphSeparator};
    text.chars().any(|c| {
        let kind = c.general_category();
        matches!(kind, Control | Format | LineSeparator | ParagraphSeparator)
    })
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

    #[test]
    fn what_is_not_seen_is_found() {
        for c in
            "\u{0}\u{ad}\u{200b}\u{200e}\u{202e}\u{2028}\u{2029}\u{2066}\u{feff}\u{e0001}".chars()
        {
            assert!(has_unseen(&format!("a{c}b")), "{c:?}");
        }
        assert!(!has_unseen("Zoë O’Hara 山田\u{a0}ا"));
    }

    proptest! {
        #[test]
        fn the_quick_look_for_controls_agrees_with_unicode(text in any::<String>()) {
            prop_assert_eq!(has_control(&text), text.chars().any(char::is_control));
        }
    }
}
