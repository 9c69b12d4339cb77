//! The session against a centre that these tests play, by the codec of `rusmpp` over TCP.

mod binding;
mod centre;
mod receiving;

use domain::sms::Encoding;
use rusmpp::tlvs::{MessageDeliveryRequestTlvValue, TlvValue};
use rusmpp::values::Ton;
use rusmpp::{CommandId, CommandStatus, Pdu};

use self::centre::{Centre, Peer, deliver_sm};
use super::config::{Mode, Style};
use super::*;
use crate::{EventKind, ReceiptStatus, Subject};

/// No test waits for any of these.
const LONG: Duration = Duration::from_mins(1);
/// What tests that wait for a time-out wait for.
const SHORT: Duration = Duration::from_millis(50);

/// The type of a TLS record that begins a connection.
const TLS_HANDSHAKE: u8 = 22;

const PATIENT: Timing = Timing {
    bind: LONG,
    response: LONG,
    idle: LONG,
    retry: (Duration::from_millis(1), Duration::from_millis(1)),
};

fn config(centre: &Centre) -> BindConfig {
    BindConfig {
        system_id: "feedback".into(),
        password: "hush".into(),
        host: "127.0.0.1".into(),
        port: centre.port(),
        tls: false,
        system_type: String::new(),
        window: 10,
        binds: 1,
        mode: Mode::Trx,
        style: Style::default(),
        ids: None,
    }
}

fn smpp(centre: &Centre, timing: Timing, window: usize) -> Arc<Smpp> {
    let config = BindConfig {
        window,
        ..config(centre)
    };
    Arc::new(Smpp::new(config, timing))
}

/// A sender that is bound, and the centre's end.
async fn bound(timing: Timing, window: usize) -> (Arc<Smpp>, Centre, Peer) {
    let centre = Centre::new().await;
    let smpp = smpp(&centre, timing, window);
    smpp.start();
    let peer = centre.accept().await;
    (smpp, centre, peer)
}

fn message(parts: &[&str]) -> Outbound {
    Outbound {
        message_id: uuid::Uuid::nil(),
        reference: "our-reference".into(),
        to: "+491701234521".into(),
        from: "Shop".into(),
        text: parts.concat(),
        encoding: Encoding::Gsm7,
        parts: parts.iter().map(|part| (*part).to_owned()).collect(),
        number: 258,
        validity: Duration::from_hours(1),
        deadline: Deadline::at(std::time::Instant::now() + Duration::from_mins(1)),
        status_url: String::new(),
        wants_receipts: true,
    }
}

/// Hands a message over in a task of its own.
fn send(smpp: &Arc<Smpp>, parts: &[&str]) -> tokio::task::JoinHandle<Handed> {
    let (smpp, message) = (Arc::clone(smpp), message(parts));
    tokio::spawn(async move { smpp.send(&message).await })
}

fn unknown(code: &str) -> Handed {
    Handed::Unknown { code: code.into() }
}

fn accepted(ids: &[&str]) -> Handed {
    let provider_ids = ids.iter().map(|id| (*id).to_owned()).collect();
    Handed::Accepted { provider_ids }
}

#[tokio::test]
async fn a_message_is_submitted_and_accepted() {
    let (smpp, _centre, mut peer) = bound(PATIENT, 10).await;
    let handed = send(&smpp, &["hello@"]);
    let (sequence, submit) = peer.submit().await;
    assert_eq!(submit.short_message()[..], *b"hello\0");
    assert_eq!(submit.source_addr_ton, Ton::Alphanumeric);
    assert_eq!(submit.validity_period.as_str(), "000000010000000R");
    peer.accept_part(sequence, "0aF").await;
    assert_eq!(handed.await.unwrap(), accepted(&["0aF"]));
}

#[tokio::test]
async fn a_throttled_message_is_not_taken() {
    let (smpp, _centre, mut peer) = bound(PATIENT, 10).await;
    let handed = send(&smpp, &["a"]);
    let (sequence, _) = peer.submit().await;
    peer.refuse_part(sequence, CommandStatus::EsmeRthrottled)
        .await;
    assert_eq!(handed.await.unwrap(), Handed::Busy);
}

#[tokio::test]
async fn two_parts_with_one_refused_are_unknown() {
    let (smpp, _centre, mut peer) = bound(PATIENT, 10).await;
    let handed = send(&smpp, &["a", "b"]);
    let (first, _) = peer.submit().await;
    let (second, _) = peer.submit().await;
    peer.refuse_part(second, CommandStatus::EsmeRinvdstadr)
        .await;
    peer.accept_part(first, "1").await;
    assert_eq!(handed.await.unwrap(), unknown("smpp-0x0b"));
}

#[tokio::test]
async fn a_throttled_part_of_a_message_is_tried_again() {
    let (smpp, _centre, mut peer) = bound(PATIENT, 10).await;
    let handed = send(&smpp, &["a", "b"]);
    let (first, submit) = peer.submit().await;
    assert_eq!(submit.short_message()[5..], [1, b'a']);
    let (second, _) = peer.submit().await;
    peer.refuse_part(second, CommandStatus::EsmeRthrottled)
        .await;
    peer.accept_part(first, "1").await;
    let (again, submit) = peer.submit().await;
    assert_eq!(submit.short_message()[5..], [2, b'b']);
    peer.accept_part(again, "2").await;
    assert_eq!(handed.await.unwrap(), accepted(&["1", "2"]));
}

#[tokio::test]
async fn after_a_refused_part_the_window_holds_back_the_others() {
    let (smpp, _centre, mut peer) = bound(PATIENT, 1).await;
    let handed = send(&smpp, &["a", "b"]);
    let (first, _) = peer.submit().await;
    // The second would come before this answer if it were not held back.
    peer.request(5, Pdu::EnquireLink).await;
    assert_eq!(peer.next().await.id(), CommandId::EnquireLinkResp);
    peer.refuse_part(first, CommandStatus::EsmeRinvdstadr).await;
    let refused = Handed::Refused {
        code: "smpp-0x0b".into(),
    };
    assert_eq!(handed.await.unwrap(), refused);
    let next = send(&smpp, &["c"]);
    let (sequence, submit) = peer.submit().await;
    assert_eq!(submit.short_message()[..], *b"c");
    peer.accept_part(sequence, "3").await;
    assert_eq!(next.await.unwrap(), accepted(&["3"]));
}

#[tokio::test]
async fn a_part_that_nobody_waits_for_is_not_written() {
    let (smpp, _centre, mut peer) = bound(PATIENT, 2).await;
    smpp.shared.bound().await.unwrap();
    let [pdu] = submit::pdus(&message(&["a"]), Style::default())
        .unwrap()
        .try_into()
        .unwrap();
    let (begun, nobody) = oneshot::channel();
    drop(nobody);
    let (answer, answered) = oneshot::channel();
    let submission = Submission {
        pdu,
        begin_by: Deadline::at(std::time::Instant::now() + Duration::from_mins(1)),
        begun,
        answer,
    };
    assert!(smpp.shared.queue.send(submission).await.is_ok());
    assert!(answered.await.is_err());
    let handed = send(&smpp, &["b"]);
    let (sequence, submit) = peer.submit().await;
    assert_eq!(submit.short_message()[..], *b"b");
    peer.accept_part(sequence, "2").await;
    assert_eq!(handed.await.unwrap(), accepted(&["2"]));
}
