//! What several kinds of text need: the search for control characters and others that nobody sees, the beginning of a long text, and ids.

use unicode_normalization::char::canonical_combining_class;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};
use uuid::Uuid;

/// The joiner and the non-joiner of zero width.
const ZWJ: char = '\u{200d}';
const ZWNJ: char = '\u{200c}';
/// The combining class of the signs that take the vowel from a letter.
const VIRAMA: u8 = 9;

/// Whether the text holds a character of Unicode's category Cc (U+0000–U+001F, U+007F–U+009F).
pub fn has_control(text: &str) -> bool {
    // Most texts are ASCII: one look at the bytes decides, and only others are decoded.
    let suspect = |byte: &u8| *byte < 0x20 || *byte >= 0x7f;
    text.as_bytes().iter().any(suspect) && text.chars().any(char::is_control)
}

/// Whether the text holds a character that is not seen, or turns around how others are. One that changes how the letters, or the
/// pictures, beside it are written is seen there, once.
pub fn has_unseen(text: &str) -> bool {
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if is_unseen(c) && !is_written(before, c, chars.peek().copied()) {
            return true;
        }
        before = Some(c);
    }
    false
}

/// Whether nothing of the text is seen.
pub fn looks_empty(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || is_unseen(c))
}

/// Whether a character by itself is not seen: of the categories Cc, Cf, Zl and Zp, a filler or blank, or one that chooses how another is drawn.
pub fn is_unseen(c: char) -> bool {
    use GeneralCategory::{Control, Format, LineSeparator, ParagraphSeparator};
    let kind = c.general_category();
    matches!(kind, Control | Format | LineSeparator | ParagraphSeparator)
        || is_selector(c)
        || matches!(c,
            // The fillers of Hangul, the blanks of Braille and of music, and what is ignored by default.
            '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{2800}' | '\u{1d159}'
            | '\u{34f}' | '\u{17b4}' | '\u{17b5}' | '\u{2065}' | '\u{fff0}'..='\u{fff8}'
            | '\u{fffc}' | '\u{16fe4}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character chooses one of the ways in which the one before it is drawn.
fn is_selector(c: char) -> bool {
    matches!(c, '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Whether a character that is not seen by itself changes how its neighbours are written (RFC 5892, A.1 and A.2; UTS 51).
fn is_written(before: Option<char>, c: char, after: Option<char>) -> bool {
    let (Some(before), Some(after)) = (before, after) else {
        return before.is_some_and(|before| is_selector(c) && is_drawn_by(before, c));
    };
    let is_after_virama = canonical_combining_class(before) == VIRAMA && after.is_alphabetic();
    match c {
        // Persian and others part letters that would be joined.
        ZWNJ => is_after_virama || (joins_next(before) && is_of_arabic(after)),
        ZWJ => is_after_virama || (is_picture(before) && is_picture(after)),
        _ => is_selector(c) && is_drawn_by(before, c),
    }
}

/// Whether a selector has a meaning behind this character: of a picture, of an ideograph, or of a letter of Mongolian.
fn is_drawn_by(before: char, selector: char) -> bool {
    match selector {
        '\u{fe0e}' | '\u{fe0f}' => before.general_category() == GeneralCategory::OtherSymbol,
        '\u{fe00}'..='\u{fe0d}' | '\u{e0100}'..='\u{e01ef}' => matches!(before,
            '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}'),
        _ => matches!(before, '\u{1820}'..='\u{18aa}'),
    }
}

/// Whether a character is a picture, or ends one: a selector, or a tone of skin.
fn is_picture(c: char) -> bool {
    c.general_category() == GeneralCategory::OtherSymbol
        || matches!(c, '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}')
}

fn is_of_arabic(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{8ff}') && c.is_alphabetic()
}

/// Whether a letter of Arabic script is joined to the next one, so that it is seen where they are parted.
fn joins_next(c: char) -> bool {
    let joins_none = matches!(c,
        '\u{621}'..='\u{625}' | '\u{627}' | '\u{629}' | '\u{62f}'..='\u{632}' | '\u{648}'
        | '\u{671}'..='\u{677}' | '\u{688}'..='\u{699}' | '\u{6c0}' | '\u{6c3}'..='\u{6cb}'
        | '\u{6cd}' | '\u{6cf}' | '\u{6d2}'..='\u{6d5}' | '\u{6ee}' | '\u{6ef}');
    is_of_arabic(c) && !joins_none
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

    #[test]
    fn what_looks_empty_is_not_seen() {
        let blanks = "\u{3164}\u{115f}\u{1160}\u{ffa0}\u{2800}\u{34f}\u{fe0f}\u{e0100}\u{fffc}\u{200d}\u{200c}";
        for c in blanks.chars() {
            assert!(has_unseen(&format!("a{c}b")), "{c:?}");
            assert!(looks_empty(&format!(" {c}{c} ")), "{c:?}");
            assert!(!looks_empty(&format!("{c}b")), "{c:?}");
        }
        assert!(looks_empty("") && looks_empty(" \u{3000}\n"));
    }

    #[test]
    fn joiners_stand_where_they_are_written() {
        for name in [
            // Persian, Devanagari, Sinhala, a family, a heart in colour, a woman who works on health, an ideograph in its older shape.
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "ක්\u{200d}ෂ",
            "👩\u{200d}👩\u{200d}👧",
            "❤\u{fe0f}\u{200d}🔥",
            "👩🏽\u{200d}⚕\u{fe0f}",
            "葛\u{e0100}",
        ] {
            assert!(!has_unseen(name), "{name}");
        }
        for name in [
            "\u{200c}می",
            "می\u{200c}",
            "می\u{200c}\u{200c}خ",
            "می\u{200d}خ",
            // What comes before is joined to nothing.
            "دا\u{200c}ر",
            "a\u{200d}da",
            "क्\u{200d}",
            "क\u{200d}ष",
            "👩\u{200d}",
            "a\u{fe0f}",
            "❤\u{fe0f}\u{fe0f}",
            "a\u{e0100}",
        ] {
            assert!(has_unseen(name), "{name:?}");
        }
    }

    proptest! {
        #[test]
        fn the_quick_look_for_controls_agrees_with_unicode(text in any::<String>()) {
            prop_assert_eq!(has_control(&text), text.chars().any(char::is_control));
        }
    }
}
