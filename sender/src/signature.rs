//! Keyed hashes and how they are compared.

use hmac::{KeyInit, Mac};
use subtle::ConstantTimeEq;

/// An HMAC, such as `hmac::<Hmac<Sha256>>(key, &[data])`, of the pieces one after the other.
#[expect(clippy::expect_used, reason = "HMAC accepts keys of any length")]
pub(crate) fn hmac<M: Mac + KeyInit>(key: &[u8], pieces: &[&[u8]]) -> Vec<u8> {
    let mut mac = <M as KeyInit>::new_from_slice(key).expect("a key of any length");
    for piece in pieces {
        mac.update(piece);
    }
    mac.finalize().into_bytes().to_vec()
}

/// Whether two texts are equal. Constant time for texts of the same length.
pub(crate) fn equal(one: &str, other: &str) -> bool {
    one.as_bytes().ct_eq(other.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use hex::encode as hex;
    use hmac::Hmac;
    use md5::Md5;
    use sha1::Sha1;
    use sha2::{Sha256, Sha512};

    use super::*;

    /// RFC 2202 and RFC 4231, test case 2 of each.
    #[test]
    fn the_vectors_of_the_rfcs_hold() {
        let (key, data) = (b"Jefe", [b"what do ya want ".as_slice(), b"for nothing?"]);
        assert_eq!(
            hex(hmac::<Hmac<Md5>>(key, &data)),
            "750c783e6ab0b503eaa86e310a5db738"
        );
        assert_eq!(
            hex(hmac::<Hmac<Sha1>>(key, &data)),
            "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"
        );
        assert_eq!(
            hex(hmac::<Hmac<Sha256>>(key, &data)),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert!(hex(hmac::<Hmac<Sha512>>(key, &data)).starts_with("164b7a7bfcf819e2e395fbe7"));
    }

    #[test]
    fn only_equal_texts_are_equal() {
        assert!(equal("abc", "abc"));
        assert!(!equal("abc", "abd"));
        assert!(!equal("abc", "ab"));
    }
}
