//! What is sent.

use std::collections::HashMap;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::sms::Encoding;
use hmac::{Hmac, KeyInit, Mac};
use sender::Outbound;
use serde_json::{Value, json};
use sha2::Sha256;
use url::form_urlencoded;

use crate::peer::{Peer, Reply, answer};
use crate::{PHONE, SECRET, STATUS_URL, TEXT, connect, entries, message};

struct Request {
    line: String,
    headers: HashMap<String, String>,
    body: String,
}

impl Request {
    fn parse(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let mut lines = head.lines();
        let line = lines.next().unwrap().to_owned();
        let headers = lines.map(|line| line.split_once(": ").unwrap());
        Self {
            line,
            headers: headers
                .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
                .collect(),
            body: body.to_owned(),
        }
    }

    fn form(&self) -> HashMap<String, String> {
        form_urlencoded::parse(self.body.as_bytes())
            .into_owned()
            .collect()
    }
}

async fn sent(kind: &str, more: &str, message: &Outbound) -> Request {
    let peer = Peer::start(Reply::Keep(answer(200, "", "{}"))).await;
    let entries = HashMap::from(entries(&peer.address.to_string()));
    let provider = connect(&format!("{}{more}", entries[kind]), Duration::from_secs(20));
    provider.send(message).await;
    Request::parse(&peer.requests()[0])
}

#[tokio::test]
async fn https_posts_signed_json() {
    let mut message = message("Acme");
    message.parts = vec!["a".to_owned(), "b".to_owned()];
    let request = sent("https", "&+x=%20", &message).await;
    assert_eq!(request.line, "POST /send?key=1&+x=%20 HTTP/1.1");
    let body: Value = serde_json::from_str(&request.body).unwrap();
    let expected = json!({
        "message_id": "00000000-0000-0000-0000-000000000007", "to": PHONE, "from": "Acme", "text": TEXT, "parts": 2,
        "encoding": "gsm7", "status_url": STATUS_URL,
    });
    assert_eq!(body, expected);
    let header = |name: &str| request.headers[name].as_str();
    assert_eq!(header("content-type"), "application/json");
    assert_eq!(header("webhook-id"), "00000000-0000-0000-0000-000000000007");
    let key = STANDARD
        .decode(SECRET.trim_start_matches("whsec_"))
        .unwrap();
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    let (id, timestamp) = (header("webhook-id"), header("webhook-timestamp"));
    mac.update(format!("{id}.{timestamp}.{}", request.body).as_bytes());
    let signature = STANDARD.encode(mac.finalize().into_bytes());
    assert_eq!(header("webhook-signature"), format!("v1,{signature}"));
}

#[tokio::test]
async fn only_a_receiver_that_says_so_is_idempotent() {
    for (kind, entry) in entries("127.0.0.1:1") {
        let is_idempotent = |entry: &str| connect(entry, Duration::ZERO).is_idempotent();
        assert!(!is_idempotent(&entry), "{kind}");
        if kind == "https" {
            assert!(is_idempotent(&format!("{entry}&idempotent=on")));
        }
    }
}

#[tokio::test]
async fn twilio_posts_a_form() {
    let request = sent("twilio", "", &message("+15005550006")).await;
    assert_eq!(
        request.line,
        "POST /2010-04-01/Accounts/AC1/Messages.json HTTP/1.1"
    );
    let basic = format!("Basic {}", STANDARD.encode("AC1:zzz"));
    assert_eq!(request.headers["authorization"], basic);
    let callback = format!("{STATUS_URL}#rc=5&rp=all");
    let expected = [
        ("To", PHONE),
        ("From", "+15005550006"),
        ("Body", TEXT),
        ("ValidityPeriod", "3600"),
        ("StatusCallback", &callback),
    ];
    let expected = expected.map(|(n, v)| (n.to_owned(), v.to_owned()));
    assert_eq!(request.form(), HashMap::from(expected));
}

#[tokio::test]
async fn vonage_posts_a_form() {
    let mut message = message("+447700900000");
    message.encoding = Encoding::Ucs2;
    let request = sent("vonage", "", &message).await;
    assert_eq!(request.line, "POST /sms/json HTTP/1.1");
    let expected = [
        ("api_key", "key"),
        ("api_secret", "zzz"),
        ("from", "447700900000"),
        ("to", "491701234521"),
        ("text", TEXT),
        ("type", "unicode"),
        ("ttl", "3600000"),
        ("client-ref", "the-reference"),
        ("status-report-req", "1"),
        ("callback", STATUS_URL),
    ];
    let expected = expected.map(|(n, v)| (n.to_owned(), v.to_owned()));
    assert_eq!(request.form(), HashMap::from(expected));
}

#[tokio::test]
async fn vonage_is_told_no_address_that_it_finds_too_long() {
    let mut message = message("Acme");
    let address = format!("https://{}.example/status", "a".repeat(60));
    message.status_url = format!("{address}?ref={}", "b".repeat(38));
    let request = sent("vonage", "", &message).await;
    assert_eq!(request.form()["callback"], address);
}

#[tokio::test]
async fn twilio_is_told_of_a_messaging_service() {
    let service = "MG0123456789abcdef0123456789abcdef";
    let form = sent("twilio", "", &message(service)).await.form();
    assert_eq!(form["MessagingServiceSid"], service);
    assert!(!form.contains_key("From"));
}

#[tokio::test]
async fn kannel_posts_the_text_and_headers() {
    let request = sent("kannel", "", &message("12345")).await;
    assert_eq!(request.line, "POST /cgi-bin/sendsms HTTP/1.1");
    assert_eq!(request.body, TEXT);
    let report = format!("{STATUS_URL}&dlr=%d");
    for (name, value) in [
        ("content-type", "text/plain; charset=utf-8"),
        ("x-kannel-username", "user"),
        ("x-kannel-password", "zzz"),
        ("x-kannel-from", "12345"),
        ("x-kannel-to", PHONE),
        ("x-kannel-coding", "0"),
        ("x-kannel-validity", "60"),
        ("x-kannel-dlr-mask", "27"),
        ("x-kannel-dlr-url", &report),
    ] {
        assert_eq!(request.headers[name], value);
    }
}

#[tokio::test]
async fn without_receipts_none_are_asked_for() {
    let mut message = message("12345");
    message.wants_receipts = false;
    let twilio = sent("twilio", "", &message).await;
    assert!(!twilio.form().contains_key("StatusCallback"));
    let vonage = sent("vonage", "", &message).await;
    assert_eq!(vonage.form()["status-report-req"], "0");
    assert!(!vonage.form().contains_key("callback"));
    let kannel = sent("kannel", "", &message).await;
    assert!(!kannel.headers.contains_key("x-kannel-dlr-url"));
}
