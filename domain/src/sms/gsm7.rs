//! The default alphabet of 3GPP TS 23.038 and its extension table: which characters they have, and how many septets each
//! takes.

/// The septets of a character, or `None` if the alphabet does not have it.
pub(super) fn septets(c: char) -> Option<usize> {
    let width = match u8::try_from(c) {
        Ok(byte) => LATIN_1[usize::from(byte)],
        Err(_) => width(c),
    };
    (width > 0).then_some(usize::from(width))
}

/// The widths of U+0000 to U+00FF, of which nearly all texts consist.
const LATIN_1: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0_u8;
    loop {
        table[byte as usize] = width(byte as char);
        if byte == u8::MAX {
            break table;
        }
        byte += 1;
    }
};

const fn width(c: char) -> u8 {
    if is_default(c) {
        1
    } else if is_extension(c) {
        // An escape comes before it.
        2
    } else {
        0
    }
}

const fn is_default(c: char) -> bool {
    matches!(c, '\n' | '\r' | ' '..='Z' | '_' | 'a'..='z')
        || matches!(
            c,
            '¡' | '£' | '¤' | '¥' | '§' | '¿' | 'Ç' | 'É' | 'Ñ' | 'Ø' | 'ß'
        )
        || matches!(c, 'Ä'..='Æ' | 'Ö' | 'Ü' | 'à' | 'ä'..='æ' | 'è' | 'é' | 'ì')
        || matches!(c, 'ñ' | 'ò' | 'ö' | 'ø' | 'ù' | 'ü')
        || matches!(c, 'Γ' | 'Δ' | 'Θ' | 'Λ' | 'Ξ' | 'Π' | 'Σ' | 'Φ' | 'Ψ' | 'Ω')
}

const fn is_extension(c: char) -> bool {
    matches!(c, '\u{c}' | '['..='^' | '{'..='~' | '€')
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
        }
    }
}
