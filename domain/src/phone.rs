//! A phone number in the international form of ITU-T Recommendation E.164: `+`, then at most fifteen digits
//! that begin with a country code, so never with 0.
//!
//! Nothing is trimmed, guessed or looked up: whether a number is in service is not decided here.

use crate::invalid::NotValid;

/// A number such as `+491701234521`, whose `Debug` [masks](masked) it.
#[derive(Clone, Copy, PartialEq, Eq, derive_more::Debug)]
#[debug("{}", masked(_0))]
pub struct PhoneNumber<'a>(&'a str);

/// Of a number that ends too early, or too late.
pub(crate) const TOO_SHORT: NotValid = NotValid("has too few digits for a number");
pub(crate) const TOO_LONG: NotValid = NotValid("has too many digits for a number");

/// Digits of a phone that are shown where it is masked.
const SHOWN: usize = 3;

/// A phone of which the last digits are shown: `+*********521`.
pub fn masked(phone: &str) -> String {
    let hidden = phone.chars().count().saturating_sub(SHOWN);
    let mask = |(place, c)| if c == '+' || place >= hidden { c } else { '*' };
    phone.chars().enumerate().map(mask).collect()
}

/// What stands where a phone should be, of whose digits the last are shown: `n/a`, `***345`, `*.9E+11`.
pub fn masked_digits(text: &str) -> String {
    let digits = text.chars().filter(|c| c.is_numeric()).count();
    let mut hidden = digits.saturating_sub(SHOWN);
    let mask = |c: char| {
        let is_hidden = c.is_numeric() && hidden > 0;
        hidden -= usize::from(is_hidden);
        if is_hidden { '*' } else { c }
    };
    text.chars().map(mask).collect()
}

impl<'a> PhoneNumber<'a> {
    /// Reads `+` and 7 to 15 ASCII digits, the first not 0.
    pub fn parse(text: &'a str) -> Result<Self, NotValid> {
        let Some(digits) = text.as_bytes().strip_prefix(b"+") else {
            return Err(NotValid(
                "does not begin with `+` (E.164: `+` and 7 to 15 digits, the first not 0)",
            ));
        };
        if !digits.iter().all(u8::is_ascii_digit) {
            let detail = "holds something else than ASCII digits after the `+`";
            Err(NotValid(detail))
        } else if digits.first() == Some(&b'0') {
            Err(NotValid("begins with 0 after the `+`"))
        } else if digits.len() < 7 {
            Err(TOO_SHORT)
        } else if digits.len() > 15 {
            Err(TOO_LONG)
        } else {
            Ok(Self(text))
        }
    }

    /// A text that was parsed before.
    pub(crate) fn parsed(text: &'a str) -> Self {
        Self(text)
    }

    /// The whole number. Not for logs.
    pub fn get(self) -> &'a str {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn seven_to_fifteen_digits_after_a_plus_are_a_number() {
        for text in ["+1234567", "+491701234521", "+999999999999999"] {
            assert_eq!(PhoneNumber::parse(text).unwrap().get(), text);
        }
    }

    #[test]
    fn everything_else_is_refused_with_its_reason() {
        for (text, error) in [
            (
                "",
                "does not begin with `+` (E.164: `+` and 7 to 15 digits, the first not 0)",
            ),
            (
                "491701234521",
                "does not begin with `+` (E.164: `+` and 7 to 15 digits, the first not 0)",
            ),
            (
                " +491701234521",
                "does not begin with `+` (E.164: `+` and 7 to 15 digits, the first not 0)",
            ),
            (
                "++4917012345",
                "holds something else than ASCII digits after the `+`",
            ),
            (
                "+49 1701234521",
                "holds something else than ASCII digits after the `+`",
            ),
            (
                "+491701234521 ",
                "holds something else than ASCII digits after the `+`",
            ),
            (
                "+٤٩١٧٠١٢٣٤٥",
                "holds something else than ASCII digits after the `+`",
            ),
            ("+0491701234521", "begins with 0 after the `+`"),
            ("+", "has too few digits for a number"),
            ("+123456", "has too few digits for a number"),
            ("+1234567890123456", "has too many digits for a number"),
        ] {
            assert_eq!(PhoneNumber::parse(text), Err(NotValid(error)), "{text}");
        }
    }

    #[test]
    fn a_shown_number_is_masked() {
        let phone = PhoneNumber::parse("+491701234521").unwrap();
        assert_eq!(format!("{phone:?}"), "+*********521");
    }

    #[test]
    fn of_what_is_no_number_the_digits_are_masked() {
        for (text, shown) in [
            ("n/a", "n/a"),
            ("12", "12"),
            ("0170 123456", "**** ***456"),
            ("4.9E+11", "*.9E+11"),
        ] {
            assert_eq!(masked_digits(text), shown);
        }
    }

    proptest! {
        #[test]
        fn the_check_is_the_pattern(text in r"\+?[0-9+ ]{0,17}") {
            let digits = text.strip_prefix('+').unwrap_or("x");
            let by_pattern = (7..=15).contains(&digits.len())
                && digits.chars().all(|c| c.is_ascii_digit())
                && !digits.starts_with('0');
            prop_assert_eq!(PhoneNumber::parse(&text).is_ok(), by_pattern);
        }
    }
}
