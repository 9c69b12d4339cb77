//! A business property: what a company tells its links apart by, such as `store:Berlin`.

use serde::{Deserialize, Serialize};

use crate::invalid::{Fault, code, read_line};

/// At most this many characters.
pub const MAX_CHARS: usize = 500;

/// A text `<name>:<value>`, split at its first `:`; neither part is empty, at most 500 characters, no control
/// character. Compared byte by byte; nothing is trimmed or folded.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BusProp(String);

impl BusProp {
    pub fn parse(text: &str) -> Result<Self, Fault> {
        match text.split_once(':') {
            Some((name, value)) if !name.is_empty() && !value.is_empty() => {}
            _ => {
                return Err(Fault::new(
                    code::MALFORMED,
                    "is not of the shape <name>:<value>",
                ));
            }
        }
        read_line(text, MAX_CHARS).map(Self)
    }

    /// The whole, `<name>:<value>`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What stands before the first `:`.
    pub fn name(&self) -> &str {
        self.0.split_once(':').map_or("", |(name, _)| name)
    }

    /// What stands after the first `:`.
    pub fn value(&self) -> &str {
        self.0.split_once(':').map_or("", |(_, value)| value)
    }
}

/// A business property of one form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BusPropEntry {
    /// From 1, given once in the form and never reused.
    pub id: u32,
    pub text: BusProp,
    /// Off new links; still in old ones and in reports.
    pub retired: bool,
}

/// A `bus_prop_id`: a number from 1 in plain digits, no sign, no leading zero.
pub(crate) fn parse_bus_prop_id(text: &str) -> Option<u32> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|_| plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_business_property_is_split_at_its_first_colon() {
        for (text, name, value) in [
            ("store:Berlin", "store", "Berlin"),
            ("url:http://a", "url", "http://a"),
            ("a::", "a", ":"),
            (" a : b ", " a ", " b "),
        ] {
            let parsed = BusProp::parse(text).unwrap();
            assert_eq!((parsed.name(), parsed.value()), (name, value));
            assert_eq!(parsed.as_str(), text);
        }
        assert!(BusProp::parse(&format!("é:{}", "é".repeat(498))).is_ok());
    }

    #[test]
    fn everything_else_is_refused_with_its_reason() {
        let long = format!("a:{}", "b".repeat(499));
        for (text, code) in [
            ("", code::MALFORMED),
            ("store", code::MALFORMED),
            (":Berlin", code::MALFORMED),
            ("store:", code::MALFORMED),
            (":", code::MALFORMED),
            (&long, code::TOO_LONG),
            ("store:a\0", code::CONTROL_CHARACTER),
            ("st\nore:a", code::CONTROL_CHARACTER),
            ("store:\u{85}", code::CONTROL_CHARACTER),
        ] {
            assert_eq!(BusProp::parse(text).unwrap_err().code, code, "{text}");
        }
    }
}
