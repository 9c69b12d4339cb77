//! What each answer makes of a message.

use std::collections::HashMap;
use std::net::TcpListener;
use std::time::Duration;

use sender::Handed;
use uuid::Uuid;

use crate::peer::{Peer, Reply, answer};
use crate::{check_shown, connect, entries, message};

const LONG: Duration = Duration::from_secs(20);

fn accepted(ids: &[&str]) -> Handed {
    let provider_ids = ids.iter().copied().map(str::to_owned).collect();
    Handed::Accepted { provider_ids }
}

fn refused(code: &str) -> Handed {
    Handed::Refused { code: code.into() }
}

fn fault(code: &str) -> Handed {
    Handed::SenderFault { code: code.into() }
}

fn throttled(seconds: Option<u64>) -> Handed {
    let retry_after = seconds.map(Duration::from_secs);
    Handed::Throttled { retry_after }
}

fn unknown(code: &str) -> Handed {
    Handed::Unknown { code: code.into() }
}

fn not_sent(code: &str) -> Handed {
    Handed::NotSent { code: code.into() }
}

async fn send(kind: &str, address: &str, timeout: Duration) -> Handed {
    let entries = HashMap::from(entries(address));
    let provider = connect(&entries[kind], timeout);
    let handed = provider.send(&message("12345")).await;
    check_shown(&format!("{handed:?}"));
    handed
}

/// Each case is a status, headers, a body and what comes of it.
async fn check(kind: &str, cases: &[(u16, &str, &str, Handed)]) {
    for (status, headers, body, expected) in cases {
        let peer = Peer::start(Reply::Keep(answer(*status, headers, body))).await;
        let handed = send(kind, &peer.address.to_string(), LONG).await;
        assert_eq!(handed, *expected, "{kind}: {status} {body}");
        assert_eq!(peer.requests().len(), 1, "{kind}: {status} {body}");
    }
}

#[tokio::test]
async fn https() {
    let retry = "retry-after: 7\r\n";
    check(
        "https",
        &[
            (200, "", r#"{"id":"m-1"}"#, accepted(&["m-1"])),
            (202, "", r#"{"id":17,"more":1}"#, accepted(&["17"])),
            (200, "", "", unknown("no_id")),
            (200, "", "<html>", unknown("no_id")),
            (200, "", r#"{"id":null}"#, unknown("no_id")),
            (200, "", r#"{"id":"with space"}"#, unknown("no_id")),
            (400, "", r#"{"error":"+491701234521"}"#, refused("http_400")),
            (404, "", "", refused("http_404")),
            (401, "", "", fault("http_401")),
            (403, "", "", fault("http_403")),
            (429, retry, "", throttled(Some(7))),
            (429, "", "", throttled(None)),
            (503, retry, "", throttled(Some(7))),
            (500, "", "", unknown("http_500")),
            (502, retry, "", unknown("http_502")),
            (307, "location: /send\r\n", "", unknown("http_307")),
        ],
    )
    .await;
}

#[tokio::test]
async fn twilio() {
    let error =
        |code: u32| format!(r#"{{"code":{code},"message":"To +491701234521","status":400}}"#);
    let refuse = error(21_211);
    let opted_out = error(21_610);
    let other = error(21_617);
    let (no_from, trial) = (error(21_606), error(21_608));
    let (password, busy) = (error(20_003), error(20_429));
    check(
        "twilio",
        &[
            (
                201,
                "",
                r#"{"sid":"SM1","status":"queued"}"#,
                accepted(&["SM1"]),
            ),
            (201, "", r#"{"status":"queued"}"#, unknown("no_id")),
            (200, "", "<html>", unknown("no_id")),
            (400, "", &refuse, refused("21211")),
            (400, "", &opted_out, refused("21610")),
            (400, "", &other, refused("21617")),
            (400, "", &no_from, fault("21606")),
            (400, "", &trial, fault("21608")),
            (401, "", &password, fault("20003")),
            (403, "", "", fault("http_403")),
            (404, "", "", fault("http_404")),
            (429, "retry-after: 2\r\n", &busy, throttled(Some(2))),
            (400, "", "<html>", unknown("http_400")),
            (400, "", r#"{"code":"+491701234521"}"#, unknown("http_400")),
            (500, "", &error(20_500), unknown("20500")),
            (503, "", "", unknown("http_503")),
            (302, "location: /\r\n", "", unknown("http_302")),
        ],
    )
    .await;
}

#[tokio::test]
async fn vonage() {
    let part = |status: &str| {
        format!(r#"{{"status":"{status}","message-id":"id{status}","error-text":"+491701234521"}}"#)
    };
    let parts = |statuses: &[&str]| {
        let parts: Vec<_> = statuses.iter().map(|status| part(status)).collect();
        format!(
            r#"{{"message-count":"1","messages":[{}]}}"#,
            parts.join(",")
        )
    };
    check(
        "vonage",
        &[
            (200, "", &parts(&["0"]), accepted(&["id0"])),
            (200, "", &parts(&["0", "0"]), accepted(&["id0", "id0"])),
            (200, "", &parts(&["0", "1"]), unknown("1")),
            (200, "", &parts(&["6", "0"]), unknown("6")),
            (200, "", &parts(&["3", "1"]), unknown("3")),
            (200, "", &parts(&["1", "10"]), throttled(None)),
            (200, "", &parts(&["6", "6"]), refused("6")),
            (200, "", &parts(&["3"]), refused("3")),
            (200, "", &parts(&["33"]), refused("33")),
            (200, "", &parts(&["4"]), fault("4")),
            (200, "", &parts(&["9"]), fault("9")),
            (200, "", &parts(&["29"]), fault("29")),
            (200, "", &parts(&["5"]), unknown("5")),
            (200, "", &parts(&["99"]), unknown("99")),
            (200, "", &parts(&["+491701234521"]), unknown("no_code")),
            (
                200,
                "",
                r#"{"messages":[{"status":"0"}]}"#,
                unknown("no_id"),
            ),
            (200, "", r#"{"messages":[]}"#, unknown("no_id")),
            (200, "", "<html>", unknown("no_id")),
            (429, "retry-after: 3\r\n", "", throttled(Some(3))),
            (401, "", "", fault("http_401")),
            (500, "", "", unknown("http_500")),
            (404, "", "", unknown("http_404")),
        ],
    )
    .await;
}

#[tokio::test]
async fn kannel() {
    let denied = "Number(s) has/have been denied by white- and/or black-lists.";
    let no_sender = "Sender missing and no global set, rejected";
    let later = "Temporal failure, try again later.";
    check(
        "kannel",
        &[
            (202, "", "0: Accepted for delivery", accepted(&[])),
            (202, "", "3: Queued for later delivery", accepted(&[])),
            (202, "", "Sent. Message splits: 2", accepted(&[])),
            (202, "", "<html>", unknown("http_202")),
            (200, "", "0: Accepted for delivery", unknown("http_200")),
            (
                403,
                "",
                "Not routable. Do not try again.",
                refused("http_403"),
            ),
            (
                403,
                "",
                "Authorization failed for sendsms",
                fault("http_403"),
            ),
            (400, "", denied, refused("http_400")),
            (400, "", no_sender, fault("http_400")),
            (404, "", "Unknown request.", fault("http_404")),
            (503, "", later, throttled(None)),
            (503, "retry-after: 5\r\n", later, throttled(Some(5))),
            (500, "", "Sending failed.", unknown("http_500")),
        ],
    )
    .await;
}

#[tokio::test]
async fn without_a_whole_answer_only_a_status_that_needs_no_body_is_certain() {
    let cut = |status: u16| format!("HTTP/1.1 {status} X\r\ncontent-length: 100\r\n\r\n{{\"id\":");
    let garbage = || "SSH-2.0-OpenSSH_9.2\r\n".to_owned();
    let half = || "HTTP/1.1 200 OK\r\ncontent-len".to_owned();
    for (kind, _) in entries("") {
        for (reply, timeout, expected) in [
            (Reply::Hang, 300, unknown("timeout")),
            (
                Reply::Close(String::new()),
                20_000,
                unknown("connection_lost"),
            ),
            (
                Reply::Reset(String::new()),
                20_000,
                unknown("connection_lost"),
            ),
            (Reply::Reset(half()), 20_000, unknown("connection_lost")),
            (Reply::Close(half()), 20_000, unknown("connection_lost")),
            (Reply::Keep(garbage()), 20_000, unknown("connection_lost")),
            (Reply::Keep(cut(500)), 300, unknown("http_500")),
            (Reply::Close(cut(500)), 20_000, unknown("http_500")),
        ] {
            let peer = Peer::start(reply).await;
            let timeout = Duration::from_millis(timeout);
            let handed = send(kind, &peer.address.to_string(), timeout).await;
            assert_eq!(handed, expected, "{kind}");
            assert_eq!(peer.requests().len(), 1, "{kind}");
        }
        for reply in [Reply::Close(cut(200)), Reply::Reset(cut(200))] {
            let peer = Peer::start(reply).await;
            let handed = send(kind, &peer.address.to_string(), LONG).await;
            assert!(matches!(handed, Handed::Unknown { .. }), "{kind}");
        }
    }
    let long = " ".repeat(100_000);
    let with_id = format!(r#"{{"id":"1","pad":"{long}"}}"#);
    let cases = [
        (200, "", with_id.as_str(), unknown("no_id")),
        (429, "", &long, throttled(None)),
    ];
    check("https", &cases).await;
}

#[tokio::test]
async fn where_nobody_listens_nothing_is_sent() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap().to_string();
    drop(free);
    for (kind, _) in entries("") {
        assert_eq!(send(kind, &address, LONG).await, not_sent("connect"));
    }
}

/// The connection is closed after each answer without a word, so that some requests meet a closed one.
#[tokio::test]
async fn a_closed_connection_never_sends_twice() {
    let peer = Peer::start(Reply::Close(answer(200, "", r#"{"id":"1"}"#))).await;
    let entries = HashMap::from(entries(&peer.address.to_string()));
    let provider = connect(&entries["https"], LONG);
    let mut results = Vec::new();
    for number in 0..200 {
        let mut message = message("12345");
        message.message_id = Uuid::from_u128(number);
        results.push((message.message_id, provider.send(&message).await));
    }
    let requests = peer.requests();
    for (id, handed) in results {
        let id = format!(r#""message_id":"{id}""#);
        let sent = requests
            .iter()
            .filter(|request| request.contains(&id))
            .count();
        match handed {
            Handed::Accepted { .. } => assert_eq!(sent, 1),
            Handed::NotSent { .. } => assert_eq!(sent, 0),
            Handed::Unknown { .. } => assert!(sent <= 1),
            other => panic!("{other:?}"),
        }
    }
}
