//! What a provider says, checked before it is kept: codes, ids and phones.

use domain::phone::PhoneNumber;
use serde_json::Value;

const MAX_CODE: usize = 32;
const MAX_ID: usize = 128;
/// The least digits of a phone number.
const PHONE_DIGITS: usize = 7;

/// A provider's code, if it is one: a short word or number that cannot quote a phone.
pub(crate) fn code(text: &str) -> Option<String> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let is_code =
        (1..=MAX_CODE).contains(&text.len()) && text.bytes().all(is_word) && digits < PHONE_DIGITS;
    is_code.then(|| text.to_owned())
}

/// An id that a provider gave, if it is visible ASCII of at most 128 characters.
pub(crate) fn id(text: &str) -> Option<String> {
    let is_id = (1..=MAX_ID).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic());
    is_id.then(|| text.to_owned())
}

/// A JSON string or whole number as text.
pub(crate) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) if number.is_i64() || number.is_u64() => Some(number.to_string()),
        _ => None,
    }
}

/// A phone in E.164 from what providers write: with `+`, with `00`, or the digits alone. `None` for anything else, such
/// as a short code or a name.
pub(crate) fn phone(text: &str) -> Option<String> {
    let phone = format!("+{}", digits(text.trim()));
    PhoneNumber::parse(&phone).is_ok().then_some(phone)
}

/// A number without what says that it is international.
pub(crate) fn digits(text: &str) -> &str {
    let digits = text.strip_prefix('+').or_else(|| text.strip_prefix("00"));
    digits.unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn codes_are_short_words_without_phones() {
        for text in ["21610", "30003", "EC_ABSENT-SUBSCRIBER", "000", "a.b"] {
            assert_eq!(code(text).as_deref(), Some(text));
        }
        for text in [
            "",
            "no such number",
            "491701234521",
            "to+49",
            "x".repeat(33).as_str(),
        ] {
            assert_eq!(code(text), None, "{text}");
        }
    }

    #[test]
    fn phones_are_read_as_providers_write_them() {
        for text in [
            "+491701234521",
            "491701234521",
            "00491701234521",
            " 491701234521",
        ] {
            assert_eq!(phone(text).as_deref(), Some("+491701234521"), "{text}");
        }
        for text in ["12345", "Acme", "", "whatsapp:+491701234521", "0170123452"] {
            assert_eq!(phone(text), None, "{text}");
        }
    }

    #[test]
    fn ids_are_visible_ascii() {
        assert_eq!(id("SM-1/a"), Some("SM-1/a".to_owned()));
        for text in ["", "a b", "ä", "a\n", "x".repeat(129).as_str()] {
            assert_eq!(id(text), None, "{text}");
        }
        assert_eq!(scalar(&json!(17)), Some("17".to_owned()));
        assert_eq!(scalar(&json!(1.5)), None);
        assert_eq!(scalar(&json!(["a"])), None);
    }

    proptest! {
        #[test]
        fn no_code_holds_a_phone(text in ".{0,20}", digits in "[0-9]{7,15}") {
            prop_assert_eq!(code(&format!("{text}{digits}")), None);
        }
    }
}
