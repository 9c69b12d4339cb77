//! Every provider that speaks HTTP, against a server that answers as the provider does, or not at all.

#![expect(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod fuzz;
mod hooks;
mod peer;
mod requests;
mod results;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::sms::Encoding;
use sender::{Deadline, Outbound, Provider, setting};
use uuid::Uuid;

const PHONE: &str = "+491701234521";
const TEXT: &str = "Wie war es? https://example.com/f/abc & mehr";
/// `zzz` is in every secret and nowhere else.
const SECRET: &str = "whsec_zzz9r8GKYqrTwjUPD8ILPZIo2LaLaSw0";
const STATUS_URL: &str = "https://feedback.example/hooks/x/key/status?ref=the-reference";

/// What each entry of the setting is, for a server at this address.
fn entries(address: &str) -> [(&'static str, String); 4] {
    [
        (
            "https",
            format!("x=http://{address}/send?key=1&accounts=*&secret={SECRET}"),
        ),
        (
            "twilio",
            format!("x=twilio://AC1:zzz@{address}?accounts=*&from=+15005550006&tls=off"),
        ),
        (
            "vonage",
            format!("x=vonage://key:zzz@{address}?accounts=*&from=Acme&tls=off"),
        ),
        (
            "kannel",
            format!("x=kannel://user:zzz@{address}?accounts=*&from=12345&tls=off"),
        ),
    ]
}

fn connect(entry: &str, timeout: Duration) -> Arc<dyn Provider> {
    let settings = setting::parse_within(entry, timeout).unwrap();
    settings[0].connect()
}

/// A provider whose hooks are used.
fn provider(kind: &str) -> Arc<dyn Provider> {
    let entries = HashMap::from(entries("127.0.0.1:1"));
    connect(&entries[kind], Duration::ZERO)
}

/// A Vonage account that signs its webhooks.
fn signing_vonage() -> Arc<dyn Provider> {
    let entry = &HashMap::from(entries("127.0.0.1:1"))["vonage"];
    let signed = format!("{entry}&signature_secret=zzz&signature_method=sha256");
    connect(&signed, Duration::ZERO)
}

fn message(from: &str) -> Outbound {
    Outbound {
        message_id: Uuid::from_u128(7),
        reference: "the-reference".to_owned(),
        to: PHONE.to_owned(),
        from: from.to_owned(),
        text: TEXT.to_owned(),
        encoding: Encoding::Gsm7,
        parts: vec![TEXT.to_owned()],
        number: 0,
        validity: Duration::from_hours(1),
        deadline: Deadline::at(Instant::now() + Duration::from_mins(1)),
        status_url: STATUS_URL.to_owned(),
        wants_receipts: true,
    }
}

/// Fails if a text that may be logged shows a phone, the message or a secret.
fn check_shown(shown: &str) {
    for hidden in ["1701234521", "Wie war", "zzz", "the-reference"] {
        assert!(!shown.contains(hidden), "{shown}");
    }
}
