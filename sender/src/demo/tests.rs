use std::collections::HashSet;

use domain::sms::Encoding;
use tokio::time::{Instant, sleep, timeout};

use super::*;
use crate::Deadline;

fn demo(query: &str) -> Demo {
    Demo::read("", &mut Query::new(query)).unwrap()
}

fn message(number: u128) -> Outbound {
    Outbound {
        message_id: Uuid::from_u128(number),
        reference: format!("reference-{number}"),
        to: "+491701234521".to_owned(),
        from: String::new(),
        text: "Hello".to_owned(),
        encoding: Encoding::Gsm7,
        parts: vec!["Hello".to_owned()],
        number: 0,
        validity: Duration::from_mins(1),
        deadline: Deadline::at(std::time::Instant::now() + Duration::from_mins(1)),
        status_url: "https://example.com/".to_owned(),
        wants_receipts: true,
    }
}

fn receipt(event: &Event) -> &Receipt {
    let EventKind::Receipt(receipt) = &event.kind else {
        panic!("a receipt");
    };
    receipt
}

#[test]
fn a_delay_is_a_number_with_its_unit() {
    for (text, delay) in [
        ("0", Some(Duration::ZERO)),
        ("0s", Some(Duration::ZERO)),
        ("500ms", Some(Duration::from_millis(500))),
        ("2s", Some(Duration::from_secs(2))),
        ("2", None),
        ("2m", None),
        ("-1s", None),
        ("99999999999s", None),
        ("", None),
    ] {
        assert_eq!(read_delay(text), delay, "{text}");
    }
}

#[test]
fn the_share_that_fails_is_the_same_for_a_seed() {
    let failing = |query: &str| -> HashSet<u128> {
        let demo = demo(query);
        let fails = |number: &u128| demo.fails(Uuid::from_u128(*number));
        (0..10_000).filter(fails).collect()
    };
    let first = failing("seed=1&failures=10");
    assert!((900..1_100).contains(&first.len()), "{}", first.len());
    assert_eq!(first, failing("seed=1&failures=10"));
    assert_ne!(first, failing("seed=2&failures=10"));
    assert_eq!(failing("failures=0").len(), 0);
    assert_eq!(failing("failures=100").len(), 10_000);
    assert!((150..250).contains(&failing("").len()));
}

#[tokio::test(start_paused = true)]
async fn a_receipt_comes_after_the_delay() {
    let demo = demo("failures=0");
    let handed = demo.send(&message(1)).await;
    let Handed::Accepted { provider_ids } = handed else {
        panic!("accepted");
    };
    assert_eq!(provider_ids.len(), 1);
    let sent = Instant::now();
    let event = demo.event().await;
    assert_eq!(sent.elapsed(), DEFAULT_DELAY);
    assert_eq!(receipt(&event).status, ReceiptStatus::Delivered);
    let reference = Subject::Reference("reference-1".to_owned());
    assert_eq!(receipt(&event).subject, reference);
    event.stored.send(None).unwrap();
    let more = timeout(Duration::from_hours(1), demo.event()).await;
    assert!(more.is_err(), "it came twice");
}

#[tokio::test(start_paused = true)]
async fn a_receipt_that_was_not_stored_comes_again() {
    let demo = demo("failures=100&delay=0");
    demo.send(&message(1)).await;
    let first = demo.event().await;
    let again = async {
        let again = demo.event().await;
        assert_eq!(receipt(&again).status, ReceiptStatus::Undelivered);
        again.stored.send(None).unwrap();
    };
    let drop_later = async {
        sleep(Duration::from_secs(5)).await;
        drop(first);
    };
    let start = Instant::now();
    tokio::join!(again, drop_later);
    assert_eq!(start.elapsed(), Duration::from_secs(6));
}

#[tokio::test(start_paused = true)]
async fn a_message_wakes_who_waits() {
    let demo = demo("delay=500ms");
    let waited = timeout(Duration::from_secs(10), demo.event());
    let send = async {
        sleep(Duration::from_secs(1)).await;
        demo.send(&message(1)).await;
    };
    let (event, ()) = tokio::join!(waited, send);
    assert!(event.is_ok());
}

#[tokio::test]
async fn of_many_messages_each_is_reported() {
    let demo = demo("delay=0&failures=0");
    let subject = |number| Subject::Reference(format!("reference-{number}"));
    let mut waiting = Vec::new();
    for number in 0..10_000 {
        demo.send(&message(number)).await;
        waiting.push(subject(number));
    }
    let mut reported = Vec::new();
    for _ in &waiting {
        let event = demo.event().await;
        reported.push(receipt(&event).subject.clone());
        event.stored.send(None).unwrap();
    }
    let place = |subject: &Subject| format!("{subject:?}");
    waiting.sort_by_key(place);
    reported.sort_by_key(place);
    assert_eq!(reported, waiting);
}

#[tokio::test(start_paused = true)]
async fn without_receipts_none_come() {
    let demo = demo("delay=0");
    let message = Outbound {
        wants_receipts: false,
        ..message(1)
    };
    demo.send(&message).await;
    assert!(
        timeout(Duration::from_secs(10), demo.event())
            .await
            .is_err()
    );
}
