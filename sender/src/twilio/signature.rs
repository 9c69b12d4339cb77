//! Twilio's signature: the base64 of an HMAC-SHA1, under the auth token, of the URL and the sorted parameters.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::Hmac;
use sha1::Sha1;

use crate::hook::HookParameters;
use crate::signature::{equal, hmac};

/// Checks a signature by the URL with its port and without: Twilio signs one or the other.
pub(super) fn verify(signature: &str, url: &str, form: &HookParameters, token: &str) -> bool {
    let parameters = form.0.iter().map(|(name, value)| (name, value));
    // Twilio sorts by name, and the values of a name, each once.
    let parameters: BTreeSet<_> = parameters.collect();
    let parameters: String = parameters
        .into_iter()
        .flat_map(|(n, v)| [&**n, &**v])
        .collect();
    ports(url).iter().any(|url| {
        let pieces = [url.as_bytes(), parameters.as_bytes()];
        let mac = hmac::<Hmac<Sha1>>(token.as_bytes(), &pieces);
        equal(signature, &STANDARD.encode(mac))
    })
}

/// The URL as it is, and with its port taken out, or with the scheme's port put in.
fn ports(url: &str) -> [String; 2] {
    let start = url.find("://").map_or(0, |at| at + 3);
    let (scheme, rest) = url.split_at(start);
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    // The colons within the brackets of an IPv6 address are not followed by digits alone.
    let port = host.rsplit_once(':');
    let port = port.filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    let other = match port {
        Some((name, _)) => format!("{scheme}{name}{path}"),
        None if scheme == "https://" => format!("{scheme}{host}:443{path}"),
        None => format!("{scheme}{host}:80{path}"),
    };
    [url.to_owned(), other]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of Twilio's documentation.
    #[test]
    fn the_documented_signature_is_verified_with_and_without_port() {
        let form = [
            ("CallSid", "CA1234567890ABCDE"),
            ("Caller", "+14158675310"),
            ("Digits", "1234"),
            ("From", "+14158675310"),
            ("To", "+18005551212"),
        ];
        let mut form: Vec<_> = form.map(|(n, v)| (n.to_owned(), v.to_owned())).into();
        form.reverse();
        let form = HookParameters(form);
        let signature = "GvWf1cFY/Q7PnoempGyD5oXAezc=";
        let url = "https://mycompany.com/myapp.php?foo=1&bar=2";
        let with_port = "https://mycompany.com:8443/myapp.php?foo=1&bar=2";
        assert!(verify(signature, url, &form, "12345"));
        assert!(verify(signature, with_port, &form, "12345"));
        assert!(!verify(signature, url, &form, "1234"));
        assert!(!verify(signature, "https://mycompany.com/", &form, "12345"));
        assert!(!verify(signature, url, &HookParameters::default(), "12345"));
        assert!(!verify("", url, &form, "12345"));
    }

    #[test]
    fn the_port_is_taken_out_or_put_in() {
        for (url, other) in [
            ("https://a.example/x?y=:1", "https://a.example:443/x?y=:1"),
            ("http://a.example", "http://a.example:80"),
            ("https://a.example:8443?x", "https://a.example?x"),
            ("https://[::1]/x", "https://[::1]:443/x"),
            ("https://[::1]:80/x", "https://[::1]/x"),
        ] {
            assert_eq!(ports(url), [url, other]);
        }
    }
}
