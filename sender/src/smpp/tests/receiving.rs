//! Receipts and texts from phones.

use super::*;

#[tokio::test]
async fn receipts_come_before_and_after_the_answer() {
    let (smpp, _centre, mut peer) = bound(PATIENT, 10).await;
    let handed = send(&smpp, &["a", "b"]);
    let (first, submit) = peer.submit().await;
    assert_eq!(submit.short_message()[5..], [1, b'a']);
    let (second, _) = peer.submit().await;
    for (id, status) in [("1", "DELIVRD"), ("2", "EXPIRED")] {
        if id == "2" {
            peer.accept_part(second, "2").await;
            peer.accept_part(first, "1").await;
        }
        let text = format!("id:{id} stat:{status} err:000");
        peer.request(40, deliver_sm(4, 0, text.as_bytes())).await;
        let event = smpp.event().await;
        let EventKind::Receipt(receipt) = event.kind else {
            panic!("no receipt");
        };
        let Subject::Named(named) = &receipt.subject else {
            panic!("{receipt:?}");
        };
        assert_eq!(named.ids.first().map(String::as_str), Some(id));
        event.stored.send(None).unwrap();
        peer.expect_answer(40, CommandStatus::EsmeRok).await;
    }
    assert_eq!(handed.await.unwrap(), accepted(&["1", "2"]));
}

#[tokio::test]
async fn a_receipt_is_answered_when_it_is_stored() {
    let (smpp, _centre, mut peer) = bound(PATIENT, 10).await;
    peer.request(7, deliver_sm(4, 0, b"id:1 stat:DELIVRD"))
        .await;
    let event = smpp.event().await;
    // Its answer is the next: the receipt has none yet.
    peer.request(8, Pdu::EnquireLink).await;
    assert_eq!(peer.next().await.id(), CommandId::EnquireLinkResp);
    event.stored.send(None).unwrap();
    peer.expect_answer(7, CommandStatus::EsmeRok).await;
}

#[tokio::test]
async fn the_form_of_ids_is_learned_from_the_first_that_fits() {
    let (smpp, _centre, mut peer) = bound(PATIENT, 10).await;
    for (expected, fitting) in [
        (&["6699", "1a2b", "26265"][..], None),
        (&["6699", "1a2b", "26265"], Some(1)),
        (&["1a2b"], None),
    ] {
        peer.request(7, deliver_sm(4, 0, b"id:6699 stat:DELIVRD"))
            .await;
        let event = smpp.event().await;
        let EventKind::Receipt(receipt) = event.kind else {
            panic!("no receipt");
        };
        let Subject::Named(named) = receipt.subject else {
            panic!("{receipt:?}");
        };
        assert_eq!(named.ids, expected);
        assert_eq!(named.phones, ["+491701234521"]);
        event.stored.send(fitting).unwrap();
        peer.expect_answer(7, CommandStatus::EsmeRok).await;
    }
}

#[tokio::test]
async fn a_receipt_that_is_not_stored_is_asked_for_again() {
    let (smpp, _centre, mut peer) = bound(PATIENT, 10).await;
    peer.request(7, deliver_sm(4, 0, b"id:1 stat:DELIVRD"))
        .await;
    drop(smpp.event().await);
    peer.expect_answer(7, CommandStatus::EsmeRxTAppn).await;
}

#[tokio::test]
async fn what_cannot_be_read_ends_no_session() {
    let (_smpp, _centre, mut peer) = bound(PATIENT, 10).await;
    peer.write(&[0, 0, 0, 17, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 9, 1])
        .await;
    peer.expect_answer(9, CommandStatus::EsmeRxRAppn).await;
    peer.request(10, deliver_sm(4, 0, b"nothing")).await;
    peer.expect_answer(10, CommandStatus::EsmeRok).await;
    peer.write(&[0, 0, 0, 16, 0, 0, 7, 7, 0, 0, 0, 0, 0, 0, 0, 11])
        .await;
    let nack = peer.next().await;
    assert_eq!(nack.id(), CommandId::GenericNack);
    assert_eq!(nack.sequence_number(), 11);
}

#[tokio::test]
async fn a_text_in_parts_is_one() {
    let (smpp, _centre, mut peer) = bound(PATIENT, 10).await;
    peer.request(1, deliver_sm(0x40, 0, b"\x05\0\x03\x09\x02\x02 it"))
        .await;
    peer.expect_answer(1, CommandStatus::EsmeRok).await;
    peer.request(2, deliver_sm(0x40, 0, b"\x05\0\x03\x09\x02\x01stop"))
        .await;
    let event = smpp.event().await;
    let EventKind::Inbound(inbound) = event.kind else {
        panic!("no text");
    };
    assert_eq!((&*inbound.from, &*inbound.to), ("+491701234521", "12345"));
    assert_eq!(inbound.text, "stop it");
    event.stored.send(None).unwrap();
    peer.expect_answer(2, CommandStatus::EsmeRok).await;
    // It is done with: a part that comes now begins another.
    peer.request(3, deliver_sm(0x40, 0, b"\x05\0\x03\x09\x02\x01stop"))
        .await;
    peer.expect_answer(3, CommandStatus::EsmeRok).await;
}

#[tokio::test]
async fn a_swallowed_answer_is_unknown_until_a_receipt_echoes_our_number() {
    let timing = Timing {
        response: Duration::from_millis(300),
        ..PATIENT
    };
    let (smpp, _centre, mut peer) = bound(timing, 1).await;
    let handed = send(&smpp, &["a", "b"]);
    let (sequence, submit) = peer.submit().await;
    let number = submit.tlvs().first().and_then(|tlv| tlv.value()).cloned();
    assert_eq!(handed.await.unwrap(), unknown("smpp-timeout"));
    // Its place in the window is free, and its answer comes too late.
    let _next = send(&smpp, &["c"]);
    peer.submit().await;
    peer.accept_part(sequence, "1").await;

    let Some(TlvValue::UserMessageReference(number)) = number else {
        panic!("{number:?}");
    };
    let mut receipt = deliver_sm(4, 0, b"id:1 stat:DELIVRD err:000");
    receipt.push_tlv(MessageDeliveryRequestTlvValue::UserMessageReference(number));
    peer.request(3, receipt).await;
    let event = smpp.event().await;
    let EventKind::Receipt(receipt) = event.kind else {
        panic!("no receipt");
    };
    assert_eq!(receipt.subject, Subject::Reference("our-reference".into()));
    assert_eq!(receipt.status, ReceiptStatus::Delivered);
}
