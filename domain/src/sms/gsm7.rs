//! The default alphabet of 3GPP TS 23.038 and its extension table, with one septet an octet.

const ESCAPE: u8 = 0x1B;

/// The default alphabet by septet. The escape septet stands for no character; its place holds a no-break space, as the
/// standard says it is shown.
const BASIC: [char; 128] = [
    '@', '£', '$', '¥', 'è', 'é', 'ù', 'ì', 'ò', 'Ç', '\n', 'Ø', 'ø', '\r', 'Å', 'å', //
    'Δ', '_', 'Φ', 'Γ', 'Λ', 'Ω', 'Π', 'Ψ', 'Σ', 'Θ', 'Ξ', '\u{a0}', 'Æ', 'æ', 'ß', 'É', //
    ' ', '!', '"', '#', '¤', '%', '&', '\'', '(', ')', '*', '+', ',', '-', '.', '/', //
    '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', ':', ';', '<', '=', '>', '?', //
    '¡', 'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L', 'M', 'N', 'O', //
    'P', 'Q', 'R', 'S', 'T', 'U', 'V', 'W', 'X', 'Y', 'Z', 'Ä', 'Ö', 'Ñ', 'Ü', '§', //
    '¿', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', //
    'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z', 'ä', 'ö', 'ñ', 'ü', 'à',
];

/// What follows an escape septet.
const EXTENSION: [(u8, char); 10] = [
    (0x0A, '\u{c}'),
    (0x14, '^'),
    (0x28, '{'),
    (0x29, '}'),
    (0x2F, '\\'),
    (0x3C, '['),
    (0x3D, '~'),
    (0x3E, ']'),
    (0x40, '|'),
    (0x65, '€'),
];

/// How many septets a character takes, or `None` if the alphabet does not have it.
pub(super) fn septets(c: char) -> Option<usize> {
    // Nearly all characters of a text are these.
    if c.is_ascii_alphanumeric() || c == ' ' {
        return Some(1);
    }
    find(c).map(|(escape, _)| 1 + escape.len())
}

/// What comes before the septet of a character, and the septet.
fn find(c: char) -> Option<(&'static [u8], u8)> {
    let basic = (0..).zip(BASIC);
    let mut basic = basic.filter(|(septet, _)| *septet != ESCAPE);
    if let Some((septet, _)) = basic.find(|(_, known)| *known == c) {
        return Some((&[], septet));
    }
    let (septet, _) = EXTENSION.into_iter().find(|(_, known)| *known == c)?;
    Some((&[ESCAPE], septet))
}

/// A text in septets, one an octet, or `None` where the alphabet lacks a character.
pub fn encode(text: &str) -> Option<Vec<u8>> {
    text.chars().try_fold(Vec::new(), |mut octets, c| {
        let (escape, septet) = find(c)?;
        octets.extend_from_slice(escape);
        octets.push(septet);
        Some(octets)
    })
}

/// The text of septets, one an octet. What is no septet becomes U+FFFD.
pub fn decode(octets: &[u8]) -> String {
    let mut septets = octets.iter().copied();
    let mut text = String::with_capacity(octets.len());
    while let Some(first) = septets.next() {
        let is_escaped = first == ESCAPE;
        let septet = if is_escaped { septets.next() } else { None }.unwrap_or(first);
        let mut extension = EXTENSION.iter();
        let extension = extension.find(|(known, _)| is_escaped && *known == septet);
        // The standard shows the basic character where the extension has none.
        let basic = || BASIC.get(usize::from(septet)).copied();
        let c = extension.map(|(_, c)| *c).or_else(basic);
        text.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_extension_character_is_two_septets() {
        assert_eq!(encode("a€@").unwrap(), [0x61, 0x1B, 0x65, 0x00]);
    }

    #[test]
    fn what_the_alphabet_lacks_is_refused() {
        assert_eq!(encode("ç"), None);
        assert_eq!(encode("\u{a0}"), None);
    }

    #[test]
    fn what_is_no_character_is_replaced() {
        assert_eq!(decode(&[0x41, 0xC1]), "A\u{fffd}");
    }

    #[test]
    fn an_unknown_extension_is_the_basic_character() {
        assert_eq!(decode(&[0x1B, 0x41, 0x1B]), "A\u{a0}");
    }

    proptest! {
        #[test]
        fn a_text_comes_back(text in "[A-Za-z0-9 @£ÄÖÜäöüß€\\^{}\\[\\]~|\\\\\n]{0,160}") {
            prop_assert_eq!(decode(&encode(&text).unwrap()), text);
        }

        #[test]
        fn any_octets_are_read(octets: Vec<u8>) {
            decode(&octets);
        }
    }

    #[test]
    fn the_alphabet_is_that_of_the_standard() {
        // In the order of the standard; its code 0x1b is the escape.
        let default = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?\
                       ¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
        let extension = "\u{c}^{}\\[~]|€";
        assert_eq!(default.chars().count(), 127);
        for c in '\0'..=char::MAX {
            let in_standard = if default.contains(c) {
                Some(1)
            } else if extension.contains(c) {
                Some(2)
            } else {
                None
            };
            assert_eq!(septets(c), in_standard, "{c:?}");
        }
    }
}
