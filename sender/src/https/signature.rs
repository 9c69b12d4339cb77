//! Signatures as in Standard Webhooks: `v1,` and the base64 of an HMAC-SHA256 of `id.timestamp.body`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::Hmac;
use sha2::Sha256;

use crate::hook::{HookError, HookRequest};
use crate::signature::{equal, hmac};

pub(super) const ID: &str = "webhook-id";
pub(super) const TIMESTAMP: &str = "webhook-timestamp";
pub(super) const SIGNATURE: &str = "webhook-signature";
/// How far the clocks of both sides may differ, in seconds.
const TOLERANCE: u64 = 5 * 60;
const PREFIX: &str = "whsec_";

/// A shared secret, of 24 to 64 bytes.
#[derive(Clone)]
pub(super) struct Secret(Vec<u8>);

impl Secret {
    /// Reads `whsec_` and base64.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let bytes = STANDARD.decode(text.strip_prefix(PREFIX)?).ok()?;
        (24..=64).contains(&bytes.len()).then_some(Self(bytes))
    }

    pub(super) fn sign(&self, id: &str, timestamp: &str, body: &[u8]) -> String {
        let pieces = [id.as_bytes(), b".", timestamp.as_bytes(), b".", body];
        let mac = hmac::<Hmac<Sha256>>(&self.0, &pieces);
        format!("v1,{}", STANDARD.encode(mac))
    }

    /// Checks that the request has a signature by this secret, made within the last or next five minutes. While a
    /// secret is changed there are several signatures, between spaces.
    pub(super) fn verify(&self, request: &HookRequest<'_>) -> Result<(), HookError> {
        let header = |name| request.header(name).ok_or(HookError::Signature);
        let (id, timestamp, signatures) = (header(ID)?, header(TIMESTAMP)?, header(SIGNATURE)?);
        let made: i64 = timestamp.parse().map_err(|_| HookError::Signature)?;
        let expected = self.sign(id, timestamp, request.body);
        let is_signed = signatures
            .split(' ')
            .any(|signature| equal(signature, &expected));
        if is_signed && made.abs_diff(request.now) <= TOLERANCE {
            Ok(())
        } else {
            Err(HookError::Signature)
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const BODY: &str = r#"{"test": 2432232314}"#;
    const NOW: i64 = 1_614_265_330;

    fn verify(signature: &str, body: &'static str, now: i64) -> Result<(), HookError> {
        let headers = [
            (ID, "msg_p5jXN8AQM9LWM0D4loKWxJek"),
            (TIMESTAMP, "1614265330"),
            (SIGNATURE, signature),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let request = HookRequest {
            url: "https://example.com/",
            headers: &headers,
            body: &Bytes::from_static(body.as_bytes()),
            now,
            reference: None,
        };
        Secret::parse(SECRET).unwrap().verify(&request)
    }

    /// The example of the specification.
    #[test]
    fn the_documented_signature_is_made_and_verified() {
        let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        let secret = Secret::parse(SECRET).unwrap();
        let made = secret.sign(
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            "1614265330",
            BODY.as_bytes(),
        );
        assert_eq!(made, signature);
        assert_eq!(verify(signature, BODY, NOW), Ok(()));
        let several = format!("v1a,other v1,AAAA {signature}");
        assert_eq!(verify(&several, BODY, NOW), Ok(()));
    }

    #[test]
    fn another_body_signature_or_time_is_refused() {
        let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        for (signature, body, now) in [
            (signature, "{}", NOW),
            ("v1,AAAA", BODY, NOW),
            ("", BODY, NOW),
            (signature, BODY, NOW + 301),
            (signature, BODY, NOW - 301),
        ] {
            assert_eq!(verify(signature, body, now), Err(HookError::Signature));
        }
        for now in [NOW - 300, NOW + 300] {
            assert_eq!(verify(signature, BODY, now), Ok(()));
        }
    }

    #[test]
    fn a_secret_is_whsec_and_base64() {
        for text in [
            "whsec_",
            "whsec_AAAA",
            "whsec_%%%",
            "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        ] {
            assert!(Secret::parse(text).is_none(), "{text}");
        }
    }
}
