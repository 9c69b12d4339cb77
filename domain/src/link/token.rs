//! The secret part of a link's address.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Serialize, Serializer};

/// 128 random bits. As text 22 characters of base64url (RFC 4648, section 5, without padding); `Debug` hides them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Token([u8; 16]);

/// The text is not a token, so no link has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a token")]
pub struct NotAToken;

impl Token {
    /// From random bytes.
    pub fn new(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&URL_SAFE_NO_PAD.encode(self.0))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

impl FromStr for Token {
    type Err = NotAToken;

    /// Each token has one text; everything else is refused.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bytes = [0; 16];
        match URL_SAFE_NO_PAD.decode_slice(text, &mut bytes) {
            Ok(16) => Ok(Self(bytes)),
            _ => Err(NotAToken),
        }
    }
}

impl Serialize for Token {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_token_is_22_characters_that_debug_hides() {
        let token = Token::new([0xff; 16]);
        assert_eq!(token.to_string(), "_____________________w");
        assert_eq!(Token::new([0; 16]).to_string(), "A".repeat(22));
        assert_eq!(format!("{token:?}"), "Token(…)");
        let json = serde_json::to_string(&token).unwrap();
        assert_eq!(json, "\"_____________________w\"");
    }

    #[test]
    fn everything_else_is_no_token() {
        let a = "A".repeat(22);
        for text in [
            "",
            "A",
            &a[1..],
            &format!("{a}A"),
            &format!("{a}=="),
            &format!("{a}AA"),
            &"A".repeat(1_000),
            // The last character holds two bits of the sixteenth byte; the others must be 0.
            &format!("{}B", &a[1..]),
            &format!("{}+", &a[1..]),
            &format!("{}/", &a[1..]),
            &format!("{} ", &a[1..]),
            "ÄÄÄÄÄÄÄÄÄÄÄ",
        ] {
            assert_eq!(text.parse::<Token>(), Err(NotAToken), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_token_reads_back(bytes: [u8; 16]) {
            let token = Token::new(bytes);
            let text = token.to_string();
            prop_assert_eq!(text.len(), 22);
            prop_assert_eq!(text.parse::<Token>(), Ok(token));
            prop_assert_eq!(token.as_bytes(), &bytes);
        }

        #[test]
        fn a_token_has_one_text(text in "[A-Za-z0-9_-]{22}") {
            if let Ok(token) = text.parse::<Token>() {
                prop_assert_eq!(token.to_string(), text);
            }
        }
    }
}
