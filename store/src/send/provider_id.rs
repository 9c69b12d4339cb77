//! The names under which providers know messages: their own ids, and numbers of ours that receipts echo.

use std::fmt;
use std::str::FromStr;

use domain::pepper::Pepper;
use uuid::Uuid;

use crate::{Error, Result};

/// An id as it is looked for: in hexadecimal digits zeros in front, and upper and lower case, do not count.
pub fn key(provider_id: &str) -> String {
    let is_number = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
    if !provider_id.bytes().all(is_number) {
        return provider_id.to_owned();
    }
    let digits = provider_id.trim_start_matches('0');
    if digits.is_empty() {
        "0".to_owned()
    } else {
        digits.to_ascii_lowercase()
    }
}

/// What receipts echo of a message: the number of its first part, and a hash of its phone, as numbers come again soon.
pub(super) struct Echo {
    number: u16,
    phone: String,
}

impl Echo {
    /// Of a message to a phone whose first part has this number.
    pub(super) fn of(number: u16, phone: &str, pepper: &Pepper) -> Self {
        // Of no account: none is known of a receipt.
        let phone = hash(&pepper.phone_mac(Uuid::nil(), phone));
        Self { number, phone }
    }

    /// Under the current secret, then under older ones.
    pub(super) fn all_of<'a>(
        number: u16,
        phone: &'a str,
        pepper: &'a Pepper,
    ) -> impl Iterator<Item = Self> + 'a {
        let macs = pepper.phone_macs(Uuid::nil(), phone);
        macs.map(move |mac| Self {
            number,
            phone: hash(&mac),
        })
    }

    /// What stands for a part, counted from 0, in the place of a provider's id, which has no blank.
    pub(super) fn key_of_part(&self, part: u16) -> String {
        let Self { number, phone } = self;
        format!("echo {} {phone}", number.wrapping_add(part))
    }
}

/// The first half of a MAC.
fn hash(mac: &[u8; 32]) -> String {
    let half = mac.first_chunk().copied().unwrap_or_default();
    format!("{:032x}", u128::from_be_bytes(half))
}

impl fmt::Display for Echo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.number, self.phone)
    }
}

impl FromStr for Echo {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let read = text.split_once(' ').and_then(|(number, phone)| {
            Some(Self {
                number: number.parse().ok()?,
                phone: phone.to_owned(),
            })
        });
        read.ok_or_else(|| Error::broken("an echo without a number"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_in_front_and_case_count_in_no_number() {
        for (id, expected) in [
            ("0A1b", "a1b"),
            ("000", "0"),
            ("10", "10"),
            (
                "0198F000-0000-7000-8000-00000000ABCD",
                "198f000-0000-7000-8000-00000000abcd",
            ),
            ("0Mx", "0Mx"),
            ("m-1", "m-1"),
        ] {
            assert_eq!(key(id), expected);
        }
    }

    #[test]
    fn an_echo_is_of_a_number_and_a_phone() {
        let pepper = Pepper::parse(&"0f".repeat(32)).unwrap();
        let echo = Echo::of(65_535, "+491701234521", &pepper);
        let read: Echo = echo.to_string().parse().unwrap();
        assert_eq!(read.key_of_part(1), echo.key_of_part(1));
        assert!(echo.key_of_part(1).starts_with("echo 0 "));
        let sought: Vec<_> = Echo::all_of(0, "+491701234521", &pepper).collect();
        assert_eq!(sought[0].key_of_part(0), echo.key_of_part(1));
        let other = Echo::of(0, "+491701234522", &pepper);
        assert_ne!(other.key_of_part(0), echo.key_of_part(1));
    }
}
