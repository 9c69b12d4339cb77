//! A phone number in the international form of ITU-T Recommendation E.164: `+`, then at most fifteen digits
//! that begin with a country code, so never with 0.
//!
//! Nothing is trimmed, guessed or looked up: whether a number is in service is not decided here.

use std::fmt;

/// A number such as `+491701234521`. `Debug` and `Display` mask it (`+49…21`); [`PhoneNumber::as_str`]
/// shows it whole.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PhoneNumber(String);

/// Why a text is no phone number. It never holds the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PhoneError {
    #[error("does not begin with `+`")]
    NoPlus,
    #[error("holds something else than ASCII digits after the `+`")]
    NotDigits,
    #[error("begins with 0 after the `+`")]
    LeadingZero,
    #[error("does not have 7 to 15 digits")]
    Length,
}

impl PhoneNumber {
    pub fn parse(text: &str) -> Result<Self, PhoneError> {
        check(text).map(|()| Self(text.to_owned()))
    }

    /// The whole number. Not for logs.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PhoneNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        masked(&self.0, f)
    }
}

impl fmt::Debug for PhoneNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        masked(&self.0, f)
    }
}

/// Whether the text is `+` and 7 to 15 ASCII digits, the first not 0.
pub fn is_e164(text: &str) -> bool {
    check(text).is_ok()
}

/// As [`is_e164`], and what is wrong.
pub(crate) fn check(text: &str) -> Result<(), PhoneError> {
    let Some(digits) = text.as_bytes().strip_prefix(b"+") else {
        return Err(PhoneError::NoPlus);
    };
    if !digits.iter().all(u8::is_ascii_digit) {
        return Err(PhoneError::NotDigits);
    }
    if digits.first() == Some(&b'0') {
        return Err(PhoneError::LeadingZero);
    }
    if !(7..=15).contains(&digits.len()) {
        return Err(PhoneError::Length);
    }
    Ok(())
}

/// Writes the country's first digits and the last two, e.g. `+49…21`; of a text that is too short to mask,
/// nothing.
pub(crate) fn masked(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match (text.get(..3), text.len().checked_sub(2)) {
        (Some(head), Some(tail)) if text.len() >= 8 => {
            write!(f, "{head}…{}", text.get(tail..).unwrap_or_default())
        }
        _ => f.write_str("…"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn seven_to_fifteen_digits_after_a_plus_are_a_number() {
        for text in ["+1234567", "+491701234521", "+999999999999999"] {
            assert_eq!(PhoneNumber::parse(text).unwrap().as_str(), text);
            assert!(is_e164(text));
        }
    }

    #[test]
    fn everything_else_is_refused_with_its_reason() {
        for (text, error) in [
            ("", PhoneError::NoPlus),
            ("491701234521", PhoneError::NoPlus),
            (" +491701234521", PhoneError::NoPlus),
            ("++4917012345", PhoneError::NotDigits),
            ("+49 1701234521", PhoneError::NotDigits),
            ("+491701234521 ", PhoneError::NotDigits),
            ("+٤٩١٧٠١٢٣٤٥", PhoneError::NotDigits),
            ("+0491701234521", PhoneError::LeadingZero),
            ("+", PhoneError::Length),
            ("+123456", PhoneError::Length),
            ("+1234567890123456", PhoneError::Length),
        ] {
            assert_eq!(PhoneNumber::parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn a_shown_number_is_masked() {
        let phone = PhoneNumber::parse("+491701234521").unwrap();
        assert_eq!(format!("{phone} {phone:?}"), "+49…21 +49…21");
    }

    proptest! {
        #[test]
        fn the_check_is_the_pattern(text in r"\+?[0-9+ ]{0,17}") {
            let digits = text.strip_prefix('+').unwrap_or("x");
            let by_pattern = (7..=15).contains(&digits.len())
                && digits.chars().all(|c| c.is_ascii_digit())
                && !digits.starts_with('0');
            prop_assert_eq!(is_e164(&text), by_pattern);
        }
    }
}
