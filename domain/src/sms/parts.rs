//! Into how many parts a text goes, and where it is cut.
//!
//! A text is GSM-7 if that has all of its characters, else UCS-2. A part of several is shorter than one that stands alone,
//! because it carries a header that joins it to the others.

use super::Encoding;
use super::gsm7::septets;

/// A text as it is sent, never without a part. Joined, the parts are the text. `Debug` tells how many there are, not what they
/// say.
#[derive(Clone, PartialEq, Eq, derive_more::Debug)]
#[debug("Parts({encoding:?}, {})", texts.len())]
pub struct Parts {
    pub encoding: Encoding,
    pub texts: Vec<String>,
}

impl Parts {
    /// Cuts a text as late as its encoding allows. No character is split, so neither is an escape sequence or a surrogate
    /// pair.
    pub fn of(text: &str) -> Self {
        let (encoding, units, alone, of_several) =
            match text.chars().map(septets).sum::<Option<usize>>() {
                Some(units) => (Encoding::Gsm7, units, 160, 153),
                None => (Encoding::Ucs2, text.encode_utf16().count(), 70, 67),
            };
        let limit = if units <= alone { alone } else { of_several };
        let (mut texts, mut part, mut used) = (Vec::new(), String::new(), 0);
        for c in text.chars() {
            let width = match encoding {
                Encoding::Gsm7 => septets(c).unwrap_or_default(),
                Encoding::Ucs2 => c.len_utf16(),
            };
            if used + width > limit {
                texts.push(std::mem::take(&mut part));
                used = 0;
            }
            part.push(c);
            used += width;
        }
        texts.push(part);
        Self { encoding, texts }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lengths(text: &str) -> (Encoding, Vec<usize>) {
        let parts = Parts::of(text);
        let lengths = parts.texts.iter().map(|part| part.chars().count());
        (parts.encoding, lengths.collect())
    }

    #[test]
    fn a_part_alone_is_longer_than_one_of_several() {
        for (text, encoding, expected) in [
            (String::new(), Encoding::Gsm7, vec![0]),
            ("a".repeat(160), Encoding::Gsm7, vec![160]),
            ("a".repeat(161), Encoding::Gsm7, vec![153, 8]),
            ("a".repeat(306), Encoding::Gsm7, vec![153, 153]),
            ("a".repeat(307), Encoding::Gsm7, vec![153, 153, 1]),
            ("ж".repeat(70), Encoding::Ucs2, vec![70]),
            ("ж".repeat(71), Encoding::Ucs2, vec![67, 4]),
            ("ж".repeat(134), Encoding::Ucs2, vec![67, 67]),
            ("ж".repeat(135), Encoding::Ucs2, vec![67, 67, 1]),
        ] {
            assert_eq!(lengths(&text), (encoding, expected), "{text}");
        }
    }

    #[test]
    fn an_extension_character_takes_two_septets_and_stays_whole() {
        assert_eq!(lengths(&"€".repeat(80)), (Encoding::Gsm7, vec![80]));
        assert_eq!(lengths(&"€".repeat(81)), (Encoding::Gsm7, vec![76, 5]));
        let text = format!("{}€{}", "a".repeat(152), "a".repeat(10));
        assert_eq!(lengths(&text), (Encoding::Gsm7, vec![152, 11]));
        let text = format!("{}€{}", "a".repeat(151), "a".repeat(10));
        assert_eq!(lengths(&text), (Encoding::Gsm7, vec![152, 10]));
    }

    #[test]
    fn a_surrogate_pair_takes_two_units_and_stays_whole() {
        assert_eq!(lengths(&"😀".repeat(35)), (Encoding::Ucs2, vec![35]));
        assert_eq!(lengths(&"😀".repeat(36)), (Encoding::Ucs2, vec![33, 3]));
    }

    #[test]
    fn one_character_beyond_the_alphabet_makes_all_ucs2() {
        for text in ["Grüße für 5 €", "Ça va"] {
            assert_eq!(Parts::of(text).encoding, Encoding::Gsm7, "{text}");
        }
        for text in ["ça va", "`", "\t", "Привет", "“Hi”"] {
            assert_eq!(Parts::of(text).encoding, Encoding::Ucs2, "{text}");
        }
    }

    #[test]
    fn what_is_shown_of_parts_is_not_their_text() {
        let shown = format!("{:?}", Parts::of("secret"));
        assert_eq!(shown, "Parts(Gsm7, 1)");
    }

    fn texts() -> impl Strategy<Value = String> {
        prop_oneof!["[a-zà€{~\n]{0,700}", "[aж😀€]{0,300}", any::<String>()]
    }

    fn units(encoding: Encoding, text: &str) -> usize {
        match encoding {
            Encoding::Gsm7 => text.chars().map(|c| septets(c).unwrap()).sum(),
            Encoding::Ucs2 => text.encode_utf16().count(),
        }
    }

    proptest! {
        #[test]
        fn joined_the_parts_are_the_text(text in texts()) {
            prop_assert_eq!(Parts::of(&text).texts.concat(), text);
        }

        #[test]
        fn each_part_is_within_its_limit_and_full(text in texts()) {
            let Parts { encoding, texts } = Parts::of(&text);
            let limit = match (encoding, texts.len()) {
                (Encoding::Gsm7, 1) => 160,
                (Encoding::Gsm7, _) => 153,
                (Encoding::Ucs2, 1) => 70,
                (Encoding::Ucs2, _) => 67,
            };
            for part in &texts {
                prop_assert!(units(encoding, part) <= limit);
            }
            for pair in texts.windows(2) {
                let first: String = pair[1].chars().take(1).collect();
                prop_assert!(units(encoding, &pair[0]) + units(encoding, &first) > limit);
            }
        }
    }
}
