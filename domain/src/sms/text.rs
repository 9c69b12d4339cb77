//! Typographic characters become plain ones where one of them alone would make a text UCS-2, of which less than half as
//! much fits a part.

use std::borrow::Cow;

use super::gsm7::septets;

/// The text with plain quotes, dashes, spaces and dots if it then is GSM-7, else as it is.
pub fn plain(text: &str) -> Cow<'_, str> {
    let is_gsm7 = |text: &str| text.chars().all(|c| septets(c).is_some());
    if is_gsm7(text) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if septets(c).is_some() {
            plain.push(c);
        } else if let Some(instead) = replacement(c) {
            plain.push_str(instead);
        } else {
            return Cow::Borrowed(text);
        }
    }
    Cow::Owned(plain)
}

/// The first character for which less than half as much fits a part, because no plain one stands for it.
#[must_use]
pub fn special_character(text: &str) -> Option<char> {
    text.chars()
        .find(|c| septets(*c).is_none() && replacement(*c).is_none())
}

/// What says the same in GSM-7.
fn replacement(c: char) -> Option<&'static str> {
    let plain = match c {
        // Quotes, accents in their place, and primes.
        '`' | '´' | '\u{2b9}' | '\u{2bb}'..='\u{2bc}' | '‘'..='‛' | '′' | '‵' | '‹' | '›' => {
            "'"
        }
        '«' | '»' | '\u{2ba}' | '“'..='‟' | '″' | '‶' => "\"",
        // Hyphens, dashes and the minus sign.
        '\u{2010}'..='\u{2015}' | '\u{2043}' | '\u{2212}' => "-",
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
            " "
        }
        '\u{2028}' | '\u{2029}' => "\n",
        '…' => "...",
        // The soft hyphen, and spaces of no width.
        '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}' => "",
        _ => return None,
    };
    Some(plain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::sms::{Encoding, Parts};

    #[test]
    fn a_special_character_is_named() {
        for (text, expected) in [
            ("Grüße – für 5 € …", None),
            ("Zoë — ë", Some('ë')),
            ("Danke 🙂", Some('🙂')),
        ] {
            assert_eq!(special_character(text), expected, "{text}");
        }
    }

    #[test]
    fn typography_becomes_plain_where_that_saves_ucs2() {
        for (text, expected) in [
            ("", ""),
            ("Grüße für 5 €", "Grüße für 5 €"),
            ("“How was it?”", "\"How was it?\""),
            ("„Gut“ – it’s 5\u{a0}€…", "\"Gut\" - it's 5 €..."),
            ("«non\u{202f}» l\u{2011}\u{200b}b\u{2028}", "\"non \" l-b\n"),
            ("‘a‹b›´`c", "'a'b'''c"),
        ] {
            assert_eq!(plain(text), expected);
        }
    }

    #[test]
    fn a_text_that_stays_ucs2_stays_as_it_is() {
        for text in ["“Привет” – как дела…", "Thanks – 😀", "ça – va", "a–\t"]
        {
            assert!(matches!(plain(text), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn what_stands_for_a_character_is_gsm7_and_the_character_is_not() {
        for c in '\0'..=char::MAX {
            if let Some(instead) = replacement(c) {
                assert_eq!(septets(c), None, "{c:?}");
                assert!(instead.chars().all(|c| septets(c) == Some(1)), "{c:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn a_changed_text_is_gsm7_and_does_not_change_again(text in "[ab“–…\u{a0}ж]{0,20}") {
            let once = plain(&text);
            prop_assert!(once == text || Parts::of(&once).encoding == Encoding::Gsm7);
            prop_assert_eq!(plain(&once), once.as_ref());
        }
    }
}
