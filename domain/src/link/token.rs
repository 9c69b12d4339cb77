//! The secret part of a link's address.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Serialize, Serializer};

use crate::invalid::NotValid;

/// What opens a link. `Debug` hides it.
///
/// Most are 128 random bits: as text 22 characters of base64url (RFC 4648, section 5, without padding). That of a message's
/// link is 11 random letters and digits, because each character of a message costs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, derive_more::Debug)]
#[debug("Token(…)")]
pub struct Token(TokenKind);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum TokenKind {
    Bits([u8; 16]),
    /// Letters and digits of ASCII.
    OfMessage([u8; MESSAGE_CHARS]),
}

const MESSAGE_CHARS: usize = 11;

impl Token {
    /// From random bytes.
    pub fn new(bytes: [u8; 16]) -> Self {
        Self(TokenKind::Bits(bytes))
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            TokenKind::Bits(bytes) => f.write_str(&URL_SAFE_NO_PAD.encode(bytes)),
            TokenKind::OfMessage(chars) => f.write_str(str::from_utf8(chars).unwrap_or_default()),
        }
    }
}

impl FromStr for Token {
    type Err = NotValid;

    /// Each token has one text; everything else is refused.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Ok(chars) = <[u8; MESSAGE_CHARS]>::try_from(text.as_bytes()) {
            let is_token = chars.iter().all(u8::is_ascii_alphanumeric);
            return is_token
                .then_some(Self(TokenKind::OfMessage(chars)))
                .ok_or(NotValid("not a token"));
        }
        let mut bytes = [0; 16];
        match URL_SAFE_NO_PAD.decode_slice(text, &mut bytes) {
            Ok(16) => Ok(Self::new(bytes)),
            _ => Err(NotValid("not a token")),
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
            "AAAAAAAAAA-",
            "AAAAAAAAAA",
        ] {
            assert_eq!(
                text.parse::<Token>(),
                Err(NotValid("not a token")),
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn a_token_reads_back(bytes: [u8; 16]) {
            let token = Token::new(bytes);
            let text = token.to_string();
            prop_assert_eq!(text.len(), 22);
            prop_assert_eq!(text.parse::<Token>(), Ok(token));
        }

        #[test]
        fn a_message_s_token_reads_back(text in "[A-Za-z0-9]{11}") {
            let token = text.parse::<Token>();
            prop_assert_eq!(token.map(|token| token.to_string()), Ok(text));
        }

        #[test]
        fn a_token_has_one_text(text in "[A-Za-z0-9_-]{22}") {
            if let Ok(token) = text.parse::<Token>() {
                prop_assert_eq!(token.to_string(), text);
            }
        }
    }
}
