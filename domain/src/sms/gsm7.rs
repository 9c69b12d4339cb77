//! The default alphabet of 3GPP TS 23.038 and its extension table.

/// What comes before a septet of the extension table.
pub const ESCAPE: u8 = 0x1b;

/// The default alphabet by septet. In the place of the escape is the no-break space as which the standard says it is shown.
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

const EXTENSION: [(u8, char); 10] = [
    (0x0a, '\u{c}'),
    (0x14, '^'),
    (0x28, '{'),
    (0x29, '}'),
    (0x2f, '\\'),
    (0x3c, '['),
    (0x3d, '~'),
    (0x3e, ']'),
    (0x40, '|'),
    (0x65, '€'),
];

/// The septet of a character, and whether it comes after an [`ESCAPE`]. `None` if the alphabet does not have it.
pub fn septet(c: char) -> Option<(bool, u8)> {
    let basic = (0..)
        .zip(BASIC)
        .find(|(septet, known)| *known == c && *septet != ESCAPE);
    let extension = || EXTENSION.into_iter().find(|(_, known)| *known == c);
    basic
        .map(|(septet, _)| (false, septet))
        .or_else(|| extension().map(|(septet, _)| (true, septet)))
}

/// The character of a septet. After an [`ESCAPE`] it is the basic one where the extension has none, as the standard says.
pub fn character(is_escaped: bool, septet: u8) -> Option<char> {
    let extension = EXTENSION
        .iter()
        .find(|(known, _)| is_escaped && *known == septet);
    let basic = || BASIC.get(usize::from(septet)).copied();
    extension.map(|(_, c)| *c).or_else(basic)
}

/// How many septets a character takes, or `None` if the alphabet does not have it.
pub(super) fn septets(c: char) -> Option<usize> {
    // Nearly all characters of a text are these.
    if c.is_ascii_alphanumeric() || c == ' ' {
        return Some(1);
    }
    septet(c).map(|(is_escaped, _)| 1 + usize::from(is_escaped))
}

#[cfg(test)]
mod tests {
    use super::*;

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
            if let Some((is_escaped, septet)) = septet(c) {
                assert_eq!(character(is_escaped, septet), Some(c));
            }
        }
    }

    #[test]
    fn an_escape_before_another_septet_changes_nothing() {
        assert_eq!(character(true, 0x41), Some('A'));
        assert_eq!(character(false, 0x80), None);
    }
}
