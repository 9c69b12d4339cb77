//! How connections begin and end.

use rusmpp::pdus::{BindReceiverResp, BindTransmitterResp};

use super::*;

#[tokio::test]
async fn a_cut_in_mid_pdu_is_unknown_and_what_waits_goes_by_the_next_connection() {
    let (smpp, centre, mut peer) = bound(PATIENT, 1).await;
    let written = send(&smpp, &["a"]);
    peer.submit().await;
    let waits = send(&smpp, &["b"]);
    peer.write(&[0, 0, 0, 18, 0x80, 0, 0, 4, 0]).await;
    drop(peer);
    assert_eq!(written.await.unwrap(), unknown("smpp-lost"));
    let mut peer = centre.accept().await;
    let (sequence, submit) = peer.submit().await;
    assert_eq!(submit.short_message()[..], *b"b");
    peer.accept_part(sequence, "2").await;
    assert_eq!(waits.await.unwrap(), accepted(&["2"]));
}

#[tokio::test]
async fn after_a_lost_connection_a_message_waits_for_the_next() {
    let timing = Timing {
        retry: (SHORT, SHORT),
        ..PATIENT
    };
    let (smpp, centre, peer) = bound(timing, 1).await;
    let mut states = smpp.shared.state.subscribe();
    drop(peer);
    assert!(states.wait_for(Binds::is_connecting).await.is_ok());
    let handed = send(&smpp, &["a"]);
    let mut peer = centre.accept().await;
    let (sequence, _) = peer.submit().await;
    peer.accept_part(sequence, "1").await;
    assert_eq!(handed.await.unwrap(), accepted(&["1"]));
}

#[tokio::test]
async fn the_centre_is_asked_when_idle() {
    let timing = Timing {
        idle: SHORT,
        ..PATIENT
    };
    let (_smpp, _centre, mut peer) = bound(timing, 10).await;
    for _ in 0..2 {
        let enquiry = peer.next().await;
        assert_eq!(enquiry.id(), CommandId::EnquireLink);
        peer.answer(&enquiry, Pdu::EnquireLinkResp).await;
    }
}

#[tokio::test]
async fn a_centre_that_stays_silent_is_left() {
    let timing = Timing {
        response: SHORT,
        idle: SHORT,
        ..PATIENT
    };
    let (_smpp, centre, mut peer) = bound(timing, 10).await;
    assert_eq!(peer.next().await.id(), CommandId::EnquireLink);
    assert!(peer.ended().await);
    centre.accept().await;
}

#[tokio::test]
async fn with_tls_nothing_is_said_in_the_clear() {
    let centre = Centre::new().await;
    let mut config = config(&centre);
    config.tls = true;
    let smpp = Arc::new(Smpp::new(config, PATIENT));
    let handed = send(&smpp, &["a"]);
    let mut peer = centre.connection().await;
    assert_eq!(peer.first_octet().await, TLS_HANDSHAKE);
    peer.write(b"no TLS").await;
    assert_eq!(handed.await.unwrap(), Handed::not_sent("smpp-unbound"));
}

#[tokio::test]
async fn a_wrong_password_is_the_senders_fault() {
    let centre = Centre::new().await;
    let smpp = smpp(&centre, PATIENT, 10);
    let handed = send(&smpp, &["a"]);
    let mut peer = centre.connection().await;
    let bind = peer.bind().await;
    assert_eq!(bind.password.as_str(), "hush");
    peer.answer_bind(CommandStatus::EsmeRinvpaswd).await;
    let fault = Handed::SenderFault {
        code: "smpp-0x0e".into(),
    };
    assert_eq!(handed.await.unwrap(), fault);
}

#[tokio::test]
async fn a_session_that_still_stands_is_waited_for() {
    let centre = Centre::new().await;
    let smpp = smpp(&centre, PATIENT, 10);
    let first = send(&smpp, &["a"]);
    let mut peer = centre.connection().await;
    peer.bind().await;
    peer.answer_bind(CommandStatus::EsmeRalybnd).await;
    assert_eq!(first.await.unwrap(), Handed::not_sent("smpp-0x05"));
    let mut peer = centre.accept().await;
    let second = send(&smpp, &["b"]);
    let (sequence, _) = peer.submit().await;
    peer.accept_part(sequence, "2").await;
    assert_eq!(second.await.unwrap(), accepted(&["2"]));
}

#[tokio::test]
async fn a_centre_that_does_not_answer_the_bind_is_not_reached() {
    let centre = Centre::new().await;
    let timing = Timing {
        bind: SHORT,
        ..PATIENT
    };
    let smpp = smpp(&centre, timing, 10);
    let handed = send(&smpp, &["a"]);
    let _peer = centre.connection().await;
    assert_eq!(handed.await.unwrap(), Handed::not_sent("smpp-unbound"));
}

#[tokio::test]
async fn without_a_centre_nothing_is_sent() {
    let centre = Centre::new().await;
    let smpp = smpp(&centre, PATIENT, 10);
    drop(centre);
    let handed = smpp.send(&message(&["a"])).await;
    assert_eq!(handed, Handed::not_sent("smpp-unbound"));
}

#[tokio::test]
async fn closing_waits_for_what_is_under_way_and_unbinds() {
    let (smpp, _centre, mut peer) = bound(PATIENT, 10).await;
    let handed = send(&smpp, &["a"]);
    let (sequence, _) = peer.submit().await;
    let mut closing = smpp.close();
    assert!(futures::poll!(&mut closing).is_pending());
    assert_eq!(
        smpp.send(&message(&["b"])).await,
        Handed::not_sent("smpp-closed")
    );
    // The end would come before this answer if it did not wait.
    peer.request(5, Pdu::EnquireLink).await;
    assert_eq!(peer.next().await.id(), CommandId::EnquireLinkResp);
    peer.accept_part(sequence, "1").await;
    assert_eq!(handed.await.unwrap(), accepted(&["1"]));
    let centre = async {
        let unbind = peer.next().await;
        assert_eq!(unbind.id(), CommandId::Unbind);
        peer.answer(&unbind, Pdu::UnbindResp).await;
    };
    tokio::join!(closing, centre);
    assert!(peer.ended().await);
}

#[tokio::test]
async fn when_the_centre_unbinds_the_sender_binds_anew() {
    let (_smpp, centre, mut peer) = bound(PATIENT, 10).await;
    peer.request(9, Pdu::Unbind).await;
    assert_eq!(peer.next().await.id(), CommandId::UnbindResp);
    assert!(peer.ended().await);
    centre.accept().await;
}

#[tokio::test]
async fn when_the_centre_unbinds_what_is_under_way_gets_its_answer() {
    let (smpp, centre, mut peer) = bound(PATIENT, 10).await;
    let [first, second] = [send(&smpp, &["a"]), send(&smpp, &["b"])];
    let (one, submit) = peer.submit().await;
    let is_first = submit.short_message()[..] == *b"a";
    let (two, _) = peer.submit().await;
    peer.request(9, Pdu::Unbind).await;
    // Its answer would come before this one if it did not wait.
    peer.request(10, Pdu::EnquireLink).await;
    assert_eq!(peer.next().await.id(), CommandId::EnquireLinkResp);
    let later = send(&smpp, &["c"]);
    peer.accept_part(one, "1").await;
    peer.request(11, Pdu::EnquireLink).await;
    assert_eq!(peer.next().await.id(), CommandId::EnquireLinkResp);
    peer.accept_part(two, "2").await;
    assert_eq!(peer.next().await.id(), CommandId::UnbindResp);
    assert!(peer.ended().await);
    let (of_first, of_second) = if is_first { ("1", "2") } else { ("2", "1") };
    assert_eq!(first.await.unwrap(), accepted(&[of_first]));
    assert_eq!(second.await.unwrap(), accepted(&[of_second]));
    let mut peer = centre.accept().await;
    let (sequence, submit) = peer.submit().await;
    assert_eq!(submit.short_message()[..], *b"c");
    peer.accept_part(sequence, "3").await;
    assert_eq!(later.await.unwrap(), accepted(&["3"]));
}

#[tokio::test]
async fn a_centre_that_unbinds_and_answers_nothing_is_left() {
    let timing = Timing {
        response: SHORT,
        ..PATIENT
    };
    let (smpp, centre, mut peer) = bound(timing, 10).await;
    let handed = send(&smpp, &["a"]);
    peer.submit().await;
    peer.request(9, Pdu::Unbind).await;
    assert_eq!(handed.await.unwrap(), unknown("smpp-timeout"));
    assert_eq!(peer.next().await.id(), CommandId::UnbindResp);
    assert!(peer.ended().await);
    centre.accept().await;
}

#[tokio::test]
async fn several_connections_share_what_is_sent() {
    let centre = Centre::new().await;
    let config = BindConfig {
        binds: 2,
        system_type: "VMA".into(),
        ..config(&centre)
    };
    let smpp = Arc::new(Smpp::new(config, PATIENT));
    smpp.start();
    let mut first = centre.connection().await;
    assert_eq!(first.bind().await.system_type.as_str(), "VMA");
    first.answer_bind(CommandStatus::EsmeRok).await;
    let mut second = centre.accept().await;
    let mut states = smpp.shared.state.subscribe();
    let are_bound = |binds: &Binds| {
        let mut each = binds.each.iter();
        each.all(|state| matches!(state, BindState::Bound))
    };
    assert!(states.wait_for(are_bound).await.is_ok());
    let messages = [send(&smpp, &["a"]), send(&smpp, &["b"])];
    for peer in [&mut first, &mut second] {
        let (sequence, _) = peer.submit().await;
        peer.accept_part(sequence, "1").await;
    }
    for handed in messages {
        assert_eq!(handed.await.unwrap(), accepted(&["1"]));
    }
    // One of them is enough.
    drop(first);
    let is_lost = states.wait_for(|binds| !are_bound(binds)).await.is_ok();
    assert!(is_lost);
    let handed = send(&smpp, &["c"]);
    let (sequence, _) = second.submit().await;
    second.accept_part(sequence, "2").await;
    assert_eq!(handed.await.unwrap(), accepted(&["2"]));
}

#[tokio::test]
async fn a_transmitter_sends_and_a_receiver_receives() {
    let centre = Centre::new().await;
    let config = BindConfig {
        mode: Mode::Txrx,
        ..config(&centre)
    };
    let smpp = Arc::new(Smpp::new(config, PATIENT));
    smpp.start();
    let (mut transmitter, mut receiver) = (None, None);
    for _ in 0..2 {
        let mut peer = centre.connection().await;
        let bind = peer.next().await;
        match bind.pdu() {
            Some(Pdu::BindTransmitter(_)) => {
                let answer = Pdu::BindTransmitterResp(BindTransmitterResp::default());
                peer.answer(&bind, answer).await;
                transmitter = Some(peer);
            }
            Some(Pdu::BindReceiver(_)) => {
                let answer = Pdu::BindReceiverResp(BindReceiverResp::default());
                peer.answer(&bind, answer).await;
                receiver = Some(peer);
            }
            other => panic!("{other:?}"),
        }
    }
    let (mut transmitter, mut receiver) = (transmitter.unwrap(), receiver.unwrap());
    let handed = send(&smpp, &["a"]);
    let (sequence, _) = transmitter.submit().await;
    transmitter.accept_part(sequence, "1").await;
    assert_eq!(handed.await.unwrap(), accepted(&["1"]));
    receiver
        .request(7, deliver_sm(4, 0, b"id:1 stat:DELIVRD"))
        .await;
    smpp.event().await.stored.send(None).unwrap();
    receiver.expect_answer(7, CommandStatus::EsmeRok).await;
}
