//! What providers send to the hooks. The signatures were made with Python's hmac after the providers' documents.

use std::sync::Arc;

use bytes::Bytes;
use sender::{HookError, HookRequest, Provider, Receipt, ReceiptStatus, Subject};

use crate::{PHONE, STATUS_URL, provider, signing_vonage};

const INBOUND_URL: &str = "https://feedback.example/hooks/x/key/inbound";
const NOW: i64 = 1_700_000_000;
const REFERENCE: Option<&str> = Some("the-reference");

/// An id, a phone, our number, a text, and whether it opts out.
type Text = (String, String, String, String, Option<bool>);

struct Hook<'a> {
    url: &'a str,
    headers: Vec<(&'a str, &'a str)>,
    body: &'a str,
}

impl Hook<'_> {
    fn with<T>(&self, read: impl FnOnce(&HookRequest<'_>) -> T) -> T {
        let headers = self.headers.iter();
        let headers: Vec<_> = headers
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let request = HookRequest {
            url: self.url,
            headers: &headers,
            body: &Bytes::copy_from_slice(self.body.as_bytes()),
            now: NOW,
            reference: None,
        };
        read(&request)
    }

    fn receipt(
        &self,
        provider: &Arc<dyn Provider>,
        reference: Option<&str>,
    ) -> Result<Option<Receipt>, HookError> {
        self.with(|request| {
            provider.receipt(&HookRequest {
                reference,
                ..request.clone()
            })
        })
    }

    fn inbound(&self, provider: &Arc<dyn Provider>) -> Result<Option<Text>, HookError> {
        let text = self.with(|request| provider.inbound(request))?;
        Ok(text.map(|text| (text.id, text.from, text.to, text.text, text.opts_out)))
    }
}

fn receipt(subject: Subject, status: ReceiptStatus, code: Option<&str>) -> Receipt {
    Receipt {
        subject,
        status,
        code: code.map(str::to_owned),
        opted_out: false,
    }
}

fn ours() -> Subject {
    Subject::Reference("the-reference".to_owned())
}

fn inbound(id: &str, to: &str, text: &str, opts_out: Option<bool>) -> Text {
    let [id, from, to, text] = [id, PHONE, to, text].map(str::to_owned);
    (id, from, to, text, opts_out)
}

fn signed<'a>(body: &'a str, signature: &'a str) -> Hook<'a> {
    Hook {
        url: STATUS_URL,
        headers: vec![
            ("webhook-id", "msg_1"),
            ("webhook-timestamp", "1700000000"),
            ("webhook-signature", signature),
        ],
        body,
    }
}

#[test]
fn https_reports_and_texts_are_signed() {
    let provider = provider("https");
    let body =
        r#"{"message_id":"00000000-0000-0000-0000-000000000007","status":"undelivered","code":17}"#;
    let report = signed(body, "v1,244V76eQhAlNHsQOT15EQmIvToNAjJk754y44PU+Avk=");
    let expected = receipt(ours(), ReceiptStatus::Undelivered, Some("17"));
    assert_eq!(report.receipt(&provider, REFERENCE), Ok(Some(expected)));
    assert_eq!(report.receipt(&provider, None), Err(HookError::Malformed));
    assert_eq!(report.inbound(&provider), Err(HookError::Malformed));

    let other = signed(
        r#"{"status":"read"}"#,
        "v1,xbxAqP5d5EqTxzVNCMXwzTBJaCGny6EOmBE8YlVWf6Q=",
    );
    assert_eq!(
        other.receipt(&provider, REFERENCE),
        Err(HookError::Malformed)
    );

    let body = r#"{"id":"in-1","from":"+491701234521","to":"12345","text":"STOP"}"#;
    let text = signed(body, "v1,Rq9D46AIn6634lsp8DcyBCyKRuA/mglyAV6r54tzGvA=");
    assert_eq!(
        text.inbound(&provider),
        Ok(Some(inbound("in-1", "12345", "STOP", None)))
    );

    let body = r#"{"id":"in-1","from":"Acme","to":"12345","text":"STOP"}"#;
    let name = signed(body, "v1,sc/KYMrfRhewYru7++eyV1a9AIsAciItv8HfY7mNFE8=");
    assert_eq!(name.inbound(&provider), Err(HookError::Malformed));
    for wrong in ["", "v1,Rq9D46AIn6634lsp8DcyBCyKRuA/mglyAV6r54tzGvA="] {
        let wrong = signed(body, wrong);
        assert_eq!(wrong.inbound(&provider), Err(HookError::Signature));
        assert_eq!(
            wrong.receipt(&provider, REFERENCE),
            Err(HookError::Signature)
        );
    }
}

fn twilio<'a>(url: &'a str, body: &'a str, signature: &'a str) -> Hook<'a> {
    let headers = vec![("x-twilio-signature", signature)];
    Hook { url, headers, body }
}

#[test]
fn twilio_reports_are_signed() {
    let provider = provider("twilio");
    let delivered = "MessageSid=SM1&MessageStatus=delivered&AccountSid=AC1&From=%2B15005550006\
                     &To=%2B491701234521&ApiVersion=2010-04-01";
    let report = twilio(STATUS_URL, delivered, "XYnyH5GcKfaX4mGYCZN+cfcX+WM=");
    let expected = receipt(ours(), ReceiptStatus::Delivered, None);
    assert_eq!(report.receipt(&provider, REFERENCE), Ok(Some(expected)));
    assert_eq!(report.receipt(&provider, None), Ok(None));

    let undelivered = "MessageSid=SM1&MessageStatus=undelivered&ErrorCode=30003";
    let report = twilio(STATUS_URL, undelivered, "e4K+RN8OgVcwwwwd/Vd7GgKPZwA=");
    let expected = receipt(ours(), ReceiptStatus::Undelivered, Some("30003"));
    assert_eq!(report.receipt(&provider, REFERENCE), Ok(Some(expected)));

    let failed = "MessageSid=SM1&MessageStatus=failed&ErrorCode=21610";
    let report = twilio(STATUS_URL, failed, "WoGNDW7w2/7gW5bSH08/wkaJSAQ=");
    let receipt_of_failed = report.receipt(&provider, REFERENCE).unwrap().unwrap();
    assert!(receipt_of_failed.opted_out && provider.is_opt_out("21610"));

    let sent = "MessageSid=SM1&MessageStatus=sent";
    let report = twilio(STATUS_URL, sent, "9gBIPCh/CLHHPPAvN9UcnVhdcXE=");
    let expected = receipt(ours(), ReceiptStatus::Accepted, None);
    assert_eq!(report.receipt(&provider, REFERENCE), Ok(Some(expected)));

    let new = "MessageSid=SM1&MessageStatus=new";
    let report = twilio(STATUS_URL, new, "Eav2Y6UCXie1VJO8LB0LpiO3Qj0=");
    assert_eq!(report.receipt(&provider, REFERENCE), Ok(None));
    let report = twilio(
        STATUS_URL,
        "MessageStatus=sent",
        "VHC8+E5LSkRkY+l5N2wjwPG75uk=",
    );
    assert_eq!(
        report.receipt(&provider, REFERENCE),
        Err(HookError::Malformed)
    );

    for (url, body, signature) in [
        (INBOUND_URL, sent, "9gBIPCh/CLHHPPAvN9UcnVhdcXE="),
        (STATUS_URL, failed, "9gBIPCh/CLHHPPAvN9UcnVhdcXE="),
        (STATUS_URL, sent, ""),
    ] {
        let wrong = twilio(url, body, signature);
        assert_eq!(
            wrong.receipt(&provider, REFERENCE),
            Err(HookError::Signature)
        );
    }
    let unsigned = Hook {
        url: STATUS_URL,
        headers: vec![],
        body: sent,
    };
    assert_eq!(
        unsigned.receipt(&provider, REFERENCE),
        Err(HookError::Signature)
    );
}

#[test]
fn twilio_texts_say_who_opts_out() {
    let provider = provider("twilio");
    for (body, signature, expected) in [
        (
            "MessageSid=SM2&From=%2B491701234521&To=%2B15005550006&Body=Nein+danke",
            "PTlPM3944nxsBti8A7q3j57E4rE=",
            Some(inbound("SM2", "+15005550006", "Nein danke", None)),
        ),
        (
            "MessageSid=SM3&From=%2B491701234521&To=%2B15005550006&Body=Stop&OptOutType=STOP",
            "OA8z8h4OmAWlU/F4+NDjnw6mFRM=",
            Some(inbound("SM3", "+15005550006", "Stop", Some(true))),
        ),
        (
            "MessageSid=SM4&From=%2B491701234521&To=12345&Body=&OptOutType=START",
            "HDTYCcJle0WRW6EXSe70HCIFy6o=",
            Some(inbound("SM4", "12345", "", Some(false))),
        ),
        (
            "MessageSid=SM5&From=54321&To=12345&Body=x",
            "F6ZeQh7OScKHoG+dj+eUJd1k4/c=",
            None,
        ),
    ] {
        let hook = twilio(INBOUND_URL, body, signature);
        assert_eq!(hook.inbound(&provider), Ok(expected), "{body}");
    }
    assert_eq!(provider.hook_answer(), ("text/xml", "<Response/>"));
}

const VONAGE_REPORT: &str = "messageId=0A1&status=failed&err-code=6&msisdn=491701234521&to=Acme\
                             &client-ref=the-reference&timestamp=1700000000&nonce=n";
const VONAGE_SIG: &str = "c530b07cdcd247c2af3bb707682f2eee553a282059c2e5a2b78556bb3b4fee17";
/// Of a report whose URL had our reference before.
const VONAGE_SIG_WITH_URL: &str =
    "8c87f69d19f498bba77ceb9c0cd1571d67a9477d22028705fb5989232a451e0e";

fn vonage_part() -> Subject {
    Subject::Part {
        reference: "the-reference".to_owned(),
        provider_id: "0A1".to_owned(),
    }
}

#[test]
fn vonage_reports_come_in_three_forms() {
    let provider = signing_vonage();
    let expected = receipt(vonage_part(), ReceiptStatus::Undelivered, Some("6"));
    for sig in [VONAGE_SIG, VONAGE_SIG_WITH_URL] {
        let form = format!("{VONAGE_REPORT}&sig={}", sig.to_uppercase());
        let members: Vec<_> = form
            .split('&')
            .map(|pair| pair.split_once('=').unwrap())
            .map(|(name, value)| format!(r#""{name}":"{value}""#))
            .collect();
        let json = format!("{{{}}}", members.join(","));
        let query = format!("{STATUS_URL}&{form}");
        for (url, content_type, body) in [
            (
                STATUS_URL,
                "application/x-www-form-urlencoded",
                form.as_str(),
            ),
            (STATUS_URL, "application/json", &json),
            (&query, "", ""),
        ] {
            let headers = vec![("content-type", content_type)];
            let hook = Hook { url, headers, body };
            let receipts = hook.receipt(&provider, REFERENCE);
            assert_eq!(receipts, Ok(Some(expected.clone())), "{content_type}");
        }
    }
    for sig in ["", "&sig=", "&sig=0000"] {
        let body = format!("{VONAGE_REPORT}{sig}");
        let hook = Hook {
            url: STATUS_URL,
            headers: vec![],
            body: &body,
        };
        assert_eq!(
            hook.receipt(&provider, REFERENCE),
            Err(HookError::Signature)
        );
    }
}

#[test]
fn what_vonage_signed_is_taken_for_a_day() {
    let provider = signing_vonage();
    let expected = receipt(vonage_part(), ReceiptStatus::Undelivered, Some("6"));
    // Made with Python's hmac, as the others.
    for (timestamp, sig, is_taken) in [
        (
            "1699910000",
            "207c01d8a983f424c389d0cc0088368b17c73808447f97827c5def2f55109abf",
            true,
        ),
        (
            "1699909999",
            "821ccdd3db089665abda1c1b908fdc2790b4e15dc441d8f9d5bb6e5f4250de96",
            false,
        ),
        (
            "1700003600",
            "6426f726cd64a500d89e9f41fa9169b8bc0ebfecd38abd75a5dd7b5924f3bc66",
            true,
        ),
        (
            "1700003601",
            "7ca302425ee8d3d4fb607e7d706f0d4a53077dc593c0d8bb49c0b25e55976e91",
            false,
        ),
        (
            "2023-11-14 22:13:20",
            "e9a9e1bb3c989860ee855a4197fa1ad57a3672cce9116f255b0b12a9e884d788",
            true,
        ),
    ] {
        let report = VONAGE_REPORT.replace("1700000000", timestamp);
        let body = format!("{report}&sig={sig}");
        let taken = if is_taken {
            Ok(Some(expected.clone()))
        } else {
            Err(HookError::Signature)
        };
        let report = unsigned(&body).receipt(&provider, REFERENCE);
        assert_eq!(report, taken, "{timestamp}");
    }
}

#[test]
fn a_vonage_report_is_of_the_message_that_it_names() {
    let body = format!("{VONAGE_REPORT}&sig={VONAGE_SIG}");
    let hook = unsigned(&body);
    let expected = receipt(vonage_part(), ReceiptStatus::Undelivered, Some("6"));
    for provider in [signing_vonage(), provider("vonage")] {
        let of_other = hook.receipt(&provider, Some("another-reference"));
        assert_eq!(of_other, Err(HookError::Signature));
        for reference in [REFERENCE, None] {
            let taken = hook.receipt(&provider, reference);
            assert_eq!(taken, Ok(Some(expected.clone())));
        }
    }
}

fn unsigned(body: &str) -> Hook<'_> {
    Hook {
        url: INBOUND_URL,
        headers: vec![],
        body,
    }
}

#[test]
fn vonage_texts_are_signed_only_if_the_setting_says_so() {
    let text =
        "messageId=0B1&msisdn=491701234521&to=447700900000&text=A%3Db+%26+c&type=text&keyword=A";
    let signed =
        format!("{text}&sig=e25bf9985fb1ca9eee64ca44d7930e232c9eebaf242b2dffda31aa128377fbf0");
    let expected = Some(inbound("0B1", "+447700900000", "A=b & c", None));
    let signing = signing_vonage();
    assert_eq!(unsigned(&signed).inbound(&signing), Ok(expected.clone()));
    assert_eq!(unsigned(text).inbound(&signing), Err(HookError::Signature));
    let plain = provider("vonage");
    assert_eq!(unsigned(text).inbound(&plain), Ok(expected));
    assert_eq!(
        unsigned("messageId=1&to=1").inbound(&plain),
        Err(HookError::Malformed)
    );
    let name = "messageId=0B1&msisdn=Acme&to=447700900000&text=x";
    assert_eq!(unsigned(name).inbound(&plain), Ok(None));

    for (status, expected) in [
        ("delivered", ReceiptStatus::Delivered),
        ("expired", ReceiptStatus::Expired),
        ("rejected", ReceiptStatus::Undelivered),
        ("accepted", ReceiptStatus::Accepted),
        ("buffered", ReceiptStatus::Accepted),
        ("unknown", ReceiptStatus::Accepted),
    ] {
        let body = format!("messageId=0A1&status={status}&err-code=0");
        let receipts = unsigned(&body).receipt(&plain, REFERENCE);
        assert_eq!(receipts, Ok(Some(receipt(vonage_part(), expected, None))));
    }
}

#[test]
fn kannel_reports_in_the_query() {
    let provider = provider("kannel");
    for (dlr, status, code) in [
        ("1", ReceiptStatus::Delivered, None),
        ("2", ReceiptStatus::Undelivered, Some("2")),
        ("4", ReceiptStatus::Accepted, None),
        ("8", ReceiptStatus::Accepted, None),
        ("16", ReceiptStatus::Undelivered, Some("16")),
    ] {
        let url = format!("{STATUS_URL}&dlr={dlr}");
        let hook = Hook {
            url: &url,
            headers: vec![],
            body: "",
        };
        let expected = receipt(ours(), status, code);
        assert_eq!(hook.receipt(&provider, REFERENCE), Ok(Some(expected)));
        assert_eq!(hook.receipt(&provider, None), Err(HookError::Malformed));
    }
    for query in ["", "?dlr=", "?dlr=3", "?dlr=%25d"] {
        let url = format!("https://feedback.example/status{query}");
        let hook = Hook {
            url: &url,
            headers: vec![],
            body: "",
        };
        assert_eq!(
            hook.receipt(&provider, REFERENCE),
            Err(HookError::Malformed)
        );
    }
}

#[test]
fn kannel_texts_come_in_the_query() {
    let provider = provider("kannel");
    let read = |query: &str| {
        let url = format!("{INBOUND_URL}?{query}");
        let hook = Hook {
            url: &url,
            headers: vec![],
            body: "",
        };
        hook.inbound(&provider)
    };
    let expected = inbound("uuid-1", "12345", "Gr\u{fc}\u{df}e & mehr", None);
    let text = "from=%2B491701234521&to=12345&text=Gr%C3%BC%C3%9Fe+%26+mehr&id=uuid-1";
    assert_eq!(read(text), Ok(Some(expected)));
    assert_eq!(read("from=Acme&to=12345&text=x&id=1"), Ok(None));
    assert_eq!(
        read("from=491701234521&to=12345&text=x"),
        Err(HookError::Malformed)
    );
}
