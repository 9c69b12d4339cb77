//! Vonage's signature: over the sorted parameters, by one of five methods that the account chooses.

use std::str::FromStr;

use hmac::Hmac;
use md5::{Digest, Md5};
use sha1::Sha1;
use sha2::{Sha256, Sha512};
use strum::EnumString;

use crate::provider_url::{Query, UrlError, bad_parameter};
use crate::signature::{equal, hmac};

const PARAMETER: &str = "sig";

/// How the account's webhooks are signed.
#[derive(Clone)]
pub(super) struct Signature {
    secret: String,
    method: Method,
}

#[derive(Clone, Copy, EnumString)]
#[strum(serialize_all = "kebab-case")]
enum Method {
    /// Of the parameters followed by the secret; the others are HMACs.
    Md5Hash,
    Md5,
    Sha1,
    Sha256,
    Sha512,
}

impl Signature {
    /// Takes `signature_secret` and `signature_method`, of which one needs the other.
    pub(super) fn read(query: &mut Query<'_>) -> Result<Option<Self>, UrlError> {
        let methods = "is none of md5-hash, md5, sha1, sha256, sha512";
        let method = |value: &str| Method::from_str(value).ok();
        let method = query.parsed("signature_method", methods, method)?;
        let secret = query.take("signature_secret")?;
        match (secret.filter(|secret| !secret.is_empty()), method) {
            (Some(secret), Some(method)) => Ok(Some(Self { secret, method })),
            (None, None) => Ok(None),
            (None, Some(_)) => Err(bad_parameter("signature_secret", "is missing")),
            (Some(_), None) => Err(bad_parameter("signature_method", "is missing")),
        }
    }

    /// Whether the parameters are signed.
    pub(super) fn verify(&self, parameters: &[(String, String)]) -> bool {
        let mut named = parameters.iter().filter(|(name, _)| name == PARAMETER);
        named
            .next()
            .is_some_and(|(_, signature)| equal(&signature.to_lowercase(), &self.sign(parameters)))
    }

    fn sign(&self, parameters: &[(String, String)]) -> String {
        let mut signed: Vec<_> = parameters
            .iter()
            .filter(|(name, _)| name != PARAMETER)
            .collect();
        // By name: `concat` comes before `concat-part`, which it does not with its `=`.
        signed.sort();
        let signed = signed.into_iter();
        let signed =
            signed.map(|(name, value)| format!("&{name}={}", value.replace(['&', '='], "_")));
        let (text, secret) = (signed.collect::<String>(), self.secret.as_bytes());
        let pieces = [text.as_bytes()];
        hex::encode(match self.method {
            Method::Md5Hash => Md5::new()
                .chain_update(&text)
                .chain_update(secret)
                .finalize()
                .to_vec(),
            Method::Md5 => hmac::<Hmac<Md5>>(secret, &pieces),
            Method::Sha1 => hmac::<Hmac<Sha1>>(secret, &pieces),
            Method::Sha256 => hmac::<Hmac<Sha256>>(secret, &pieces),
            Method::Sha512 => hmac::<Hmac<Sha512>>(secret, &pieces),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(method: &str) -> Signature {
        let query = format!("signature_secret=my%26secret&signature_method={method}");
        Signature::read(&mut Query::new(&query)).unwrap().unwrap()
    }

    fn parameters(sig: &str) -> Vec<(String, String)> {
        [
            ("to", "447700900000"),
            ("messageId", "0A00=1&x"),
            ("sig", sig),
            ("msisdn", "491701234521"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into()
    }

    /// Made with Python's hashlib and hmac of `&messageId=0A00_1_x&msisdn=491701234521&to=447700900000`.
    #[test]
    fn every_method_is_verified_without_case() {
        for (method, sig) in VECTORS {
            let signature = signature(method);
            assert!(signature.verify(&parameters(sig)), "{method}");
            assert!(
                signature.verify(&parameters(&sig.to_uppercase())),
                "{method}"
            );
            assert!(!signature.verify(&parameters(&sig[1..])), "{method}");
            assert!(!signature.verify(&parameters("")), "{method}");
            let mut more = parameters(sig);
            more.push(("text".to_owned(), "x".to_owned()));
            assert!(!signature.verify(&more), "{method}");
        }
    }

    #[test]
    fn secret_and_method_come_together() {
        for query in [
            "signature_secret=a",
            "signature_method=md5",
            "signature_secret=&signature_method=md5",
            "signature_secret=a&signature_method=md4",
        ] {
            assert!(Signature::read(&mut Query::new(query)).is_err(), "{query}");
        }
        assert!(Signature::read(&mut Query::new("")).unwrap().is_none());
    }

    const VECTORS: [(&str, &str); 5] = [
        ("md5-hash", "6fe9f9ac6a9b903f2f7ba6752c42a159"),
        ("md5", "eefd84bbdbf086362bbe0edfcb26f70a"),
        ("sha1", "ca115b7a8ff7dd673962adb933ba939b0108b272"),
        (
            "sha256",
            "2af1211b1f6f79360781c84aff5460520a3455c7136fc2638a138225e1d9fd0d",
        ),
        (
            "sha512",
            "785f841c1f1730d71600690eeacc65ba2bfe0d911f93eb67ea299830d2e8b8f7f2938564a81fb5a9701eee4bd72731db76b30a2dcae78e2f5db8560db8b6fec8",
        ),
    ];
}
