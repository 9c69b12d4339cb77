//! Texts as octets: the GSM 7-bit default alphabet of 3GPP TS 23.038 with one septet an octet, UCS-2 and Latin-1.

use domain::sms::Encoding;

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

/// The octets of a text, or `None` where its encoding lacks a character.
pub(super) fn encode(text: &str, encoding: Encoding) -> Option<Vec<u8>> {
    match encoding {
        Encoding::Gsm7 => text.chars().try_fold(Vec::new(), |mut octets, c| {
            push_septets(c, &mut octets).then_some(octets)
        }),
        Encoding::Ucs2 => Some(text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
    }
}

fn push_septets(c: char, octets: &mut Vec<u8>) -> bool {
    let basic = (0u8..)
        .zip(&BASIC)
        .find(|&(septet, known)| *known == c && septet != ESCAPE);
    if let Some((septet, _)) = basic {
        octets.push(septet);
    } else if let Some((septet, _)) = EXTENSION.iter().find(|(_, known)| *known == c) {
        octets.extend([ESCAPE, *septet]);
    } else {
        return false;
    }
    true
}

/// The text of octets, by their `data_coding`. What is no character becomes U+FFFD.
pub(super) fn decode(octets: &[u8], data_coding: u8) -> String {
    match data_coding {
        // The latter two carry a message class.
        0x00 | 0x10..=0x13 | 0xF0..=0xF3 => from_septets(octets),
        0x08 | 0x18..=0x1B => from_ucs2(octets),
        _ => octets.iter().map(|&octet| char::from(octet)).collect(),
    }
}

fn from_septets(octets: &[u8]) -> String {
    let mut septets = octets.iter().copied();
    let mut text = String::with_capacity(octets.len());
    while let Some(septet) = septets.next() {
        let (escaped, septet) = match septet {
            ESCAPE => (true, septets.next().unwrap_or(ESCAPE)),
            septet => (false, septet),
        };
        let extension = EXTENSION
            .iter()
            .find(|(known, _)| escaped && *known == septet);
        // The standard shows the basic character where the extension has none.
        let basic = || BASIC.get(usize::from(septet)).copied();
        let c = extension.map(|(_, c)| *c).or_else(basic);
        text.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    text
}

fn from_ucs2(octets: &[u8]) -> String {
    let (units, _) = octets.as_chunks();
    let units = units.iter().map(|unit| u16::from_be_bytes(*unit));
    char::decode_utf16(units)
        .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_extension_character_is_two_septets() {
        let octets = encode("a€@", Encoding::Gsm7).unwrap();
        assert_eq!(octets, [0x61, 0x1B, 0x65, 0x00]);
    }

    #[test]
    fn what_the_alphabet_lacks_is_refused() {
        assert_eq!(encode("ç", Encoding::Gsm7), None);
        assert_eq!(encode("\u{a0}", Encoding::Gsm7), None);
    }

    #[test]
    fn what_is_no_character_is_replaced() {
        assert_eq!(decode(&[0x41, 0xC1], 0), "A\u{fffd}");
        assert_eq!(decode(&[0xD8, 0x3D, 0x00, 0x41], 8), "\u{fffd}A");
        assert_eq!(decode(&[0x41, 0xC4], 3), "AÄ");
    }

    #[test]
    fn an_unknown_extension_is_the_basic_character() {
        assert_eq!(decode(&[0x1B, 0x41, 0x1B], 0), "A\u{a0}");
    }

    proptest! {
        #[test]
        fn a_text_comes_back(text in "[A-Za-z0-9 @£ÄÖÜäöüß€\\^{}\\[\\]~|\\\\\n]{0,160}") {
            let octets = encode(&text, Encoding::Gsm7).unwrap();
            prop_assert_eq!(decode(&octets, 0), text);
        }

        #[test]
        fn any_text_comes_back_by_ucs2(text in any::<String>()) {
            let octets = encode(&text, Encoding::Ucs2).unwrap();
            prop_assert_eq!(decode(&octets, 8), text);
        }

        #[test]
        fn any_octets_are_read(octets: Vec<u8>, data_coding: u8) {
            decode(&octets, data_coding);
        }
    }
}
