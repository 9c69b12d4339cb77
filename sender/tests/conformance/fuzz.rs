//! Whatever comes to a hook, also where it is signed, and whatever the setting of senders says.

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bolero::check;
use bytes::Bytes;
use domain::phone::PhoneNumber;
use hmac::{Hmac, KeyInit, Mac};
use sender::{HookRequest, setting};
use sha1::Sha1;
use sha2::Sha256;
use url::form_urlencoded;

use crate::{SECRET, STATUS_URL, provider};

const NOW: i64 = 1_700_000_000;

/// What the senders that sign would send with a body.
fn headers(url: &str, body: &[u8]) -> Vec<(String, String)> {
    let key = STANDARD.decode(&SECRET["whsec_".len()..]).unwrap();
    let mut standard = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    standard.update(format!("a.{NOW}.").as_bytes());
    standard.update(body);
    let mut twilio = Hmac::<Sha1>::new_from_slice(b"zzz").unwrap();
    twilio.update(url.as_bytes());
    let form: BTreeSet<_> = form_urlencoded::parse(body).collect();
    for (name, value) in form {
        twilio.update(name.as_bytes());
        twilio.update(value.as_bytes());
    }
    let [standard, twilio] = [
        STANDARD.encode(standard.finalize().into_bytes()),
        STANDARD.encode(twilio.finalize().into_bytes()),
    ];
    let is_json = body.starts_with(b"{");
    let kind = if is_json {
        "application/json"
    } else {
        "application/x-www-form-urlencoded"
    };
    [
        ("content-type", kind.to_owned()),
        ("webhook-id", "a".to_owned()),
        ("webhook-timestamp", NOW.to_string()),
        ("webhook-signature", format!("v1,{standard}")),
        ("x-twilio-signature", twilio),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

/// By the query, as Kannel does, and as a body.
#[test]
fn whatever_comes_to_a_hook_is_read() {
    let kinds = AssertUnwindSafe(["https", "twilio", "vonage", "kannel"].map(provider));
    check!().for_each(|bytes: &[u8]| {
        let query = String::from_utf8_lossy(bytes);
        let requests = [
            (STATUS_URL.to_owned(), Bytes::copy_from_slice(bytes)),
            (format!("{STATUS_URL}&{query}"), Bytes::new()),
        ];
        for (url, body) in requests {
            let headers = headers(&url, &body);
            let request = HookRequest {
                url: &url,
                headers: &headers,
                body: &body,
                now: NOW,
                reference: Some("the-reference"),
            };
            for provider in kinds.iter() {
                if let Ok(Some(receipt)) = provider.receipt(&request) {
                    assert!(receipt.code.is_none_or(|code| code.len() <= 32));
                }
                if let Ok(Some(text)) = provider.inbound(&request) {
                    assert!(PhoneNumber::parse(&text.from).is_ok());
                    assert!(text.id.len() <= 128 && text.text.len() <= 3 * bytes.len());
                }
            }
        }
    });
}

#[test]
fn whatever_a_setting_says_is_read_or_refused_in_a_line() {
    check!().for_each(|bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        // A table of prices is a file.
        if text.contains("prices") {
            return;
        }
        match setting::parse(&text) {
            Ok(settings) => assert!(settings.len() <= bytes.len()),
            Err(said) => assert!(!said.contains('\n') && said.len() < 400, "{said}"),
        }
    });
}
