use std::time::Instant;

use proptest::prelude::*;

use super::*;
use crate::smpp::join::{MAX_PART, PartialTexts};

/// A `deliver_sm` from +491701234521 to 12345.
fn body(esm_class: u8, data_coding: u8, text: &[u8], tlvs: &[(u16, &[u8])]) -> Vec<u8> {
    let mut body = b"\0\x01\x01491701234521\0\x03\x0012345\0".to_vec();
    body.extend([esm_class, 0, 0, 0, 0, 0, 0, data_coding, 0]);
    body.push(text.len().try_into().unwrap());
    body.extend(text);
    for (tag, value) in tlvs {
        body.extend(tag.to_be_bytes());
        body.extend(u16::try_from(value.len()).unwrap().to_be_bytes());
        body.extend(*value);
    }
    body
}

fn receipt(text: &str, tlvs: &[(u16, &[u8])]) -> Option<Receipt> {
    let body = body(4, 0, text.as_bytes(), tlvs);
    let deliver = Deliver::read(&body).unwrap();
    assert_eq!(deliver.kind(), DeliverKind::Receipt);
    deliver.receipt(|_, _| None)
}

fn named(read: &Receipt) -> &Named {
    match &read.subject {
        Subject::Named(named) => named,
        other => panic!("{other:?}"),
    }
}

const TEXT: &str = "id:0A1b sub:001 dlvrd:000 submit date:2401011200 done date:2401011201 \
    stat:UNDELIV err:04B text:id:7 stat:DELIVRD";

#[test]
fn a_receipt_is_read_from_its_text() {
    let read = receipt(TEXT, &[]).unwrap();
    assert_eq!(named(&read).ids, ["0A1b"]);
    assert_eq!(named(&read).phones, ["+491701234521"]);
    assert_eq!(read.status, ReceiptStatus::Undelivered);
    assert_eq!(read.code.unwrap(), "04B");
}

#[test]
fn a_blank_may_stand_before_a_value() {
    let read = receipt("id: 77 sub: 001 stat: DELIVRD err: 0", &[]).unwrap();
    assert_eq!(named(&read).ids, ["77"]);
    assert_eq!(read.status, ReceiptStatus::Delivered);
    assert!(receipt("id: stat:DELIVRD", &[]).is_none());
}

#[test]
fn an_echoed_number_names_a_message_without_an_id() {
    let read = receipt("stat:DELIVRD", &[(0x0204, &[1, 2])]).unwrap();
    assert_eq!(
        (named(&read).number, named(&read).ids.len()),
        (Some(0x0102), 0)
    );
}

#[test]
fn what_can_be_no_id_names_no_message() {
    assert!(receipt("id:a\0b stat:DELIVRD", &[]).is_none());
    let long = [b'1'; 5_000];
    assert!(receipt("stat:DELIVRD", &[(0x001E, &long)]).is_none());
}

#[test]
fn tlvs_come_before_the_text() {
    for id in [&b"77\0"[..], b"77"] {
        let read = receipt(TEXT, &[(0x0427, &[2]), (0x001E, id)]).unwrap();
        assert_eq!(named(&read).ids, ["77"]);
        assert_eq!(read.status, ReceiptStatus::Delivered);
    }
}

#[test]
fn the_state_of_the_message_is_read_by_name_and_by_number() {
    for (name, state, status) in [
        ("ENROUTE", 1, ReceiptStatus::Accepted),
        ("DELIVRD", 2, ReceiptStatus::Delivered),
        ("EXPIRED", 3, ReceiptStatus::Expired),
        ("DELETED", 4, ReceiptStatus::Undelivered),
        ("undeliv", 5, ReceiptStatus::Undelivered),
        ("ACCEPTD", 6, ReceiptStatus::Accepted),
        ("UNKNOWN", 7, ReceiptStatus::Accepted),
        ("REJECTD", 8, ReceiptStatus::Undelivered),
    ] {
        let by_name = receipt(&format!("id:1 stat:{name} err:000"), &[]).unwrap();
        let by_state = receipt("id:1", &[(0x0427, &[state])]).unwrap();
        assert_eq!(
            (by_name.status, by_state.status),
            (status, status),
            "{name}"
        );
        assert_eq!(by_name.code, None);
    }
}

#[test]
fn what_names_no_message_or_no_state_is_no_receipt() {
    assert_eq!(receipt("stat:DELIVRD", &[]), None);
    assert_eq!(receipt("id:1", &[]), None);
    assert_eq!(receipt("text:id:1 stat:DELIVRD", &[]), None);
}

#[test]
fn our_own_reference_comes_before_the_id() {
    let body = body(4, 0, TEXT.as_bytes(), &[(0x0204, &[1, 2])]);
    let deliver = Deliver::read(&body).unwrap();
    let known = |number, digits: [&str; 2]| {
        let ours = number == 0x0102 && digits.contains(&"491701234521");
        ours.then(|| "ours".to_owned())
    };
    let read = deliver.receipt(known).unwrap();
    assert_eq!(read.subject, Subject::Reference("ours".into()));
}

#[test]
fn only_what_looks_like_a_code_is_one() {
    let code = |text: &str| receipt(text, &[]).unwrap().code;
    assert_eq!(code("id:1 stat:EXPIRED err:+491701234521"), None);
    assert_eq!(code("id:1 stat:EXPIRED err:00"), None);
    let error = (0x0423, &[3, 1, 0][..]);
    let read = receipt("id:1 stat:EXPIRED err:000", &[error]).unwrap();
    assert_eq!(read.code.unwrap(), "3-256");
}

fn text(body: &[u8]) -> TextPart {
    let deliver = Deliver::read(body).unwrap();
    assert_eq!(deliver.kind(), DeliverKind::Text);
    deliver.text()
}

#[test]
fn a_text_is_read_by_its_coding() {
    for (data_coding, octets, expected) in [
        (0, &b"STOP\x1B\x65"[..], "STOP€"),
        (3, b"\xC4", "Ä"),
        (8, b"\x04\x16", "Ж"),
    ] {
        let read = text(&body(0, data_coding, octets, &[]));
        assert_eq!((&*read.key.from, &*read.key.to), ("+491701234521", "12345"));
        let joined =
            PartialTexts::default().add(&read.key, read.number, read.octets, Instant::now());
        assert_eq!(joined.as_deref(), Some(expected));
    }
}

#[test]
fn a_long_text_comes_as_payload() {
    let read = text(&body(0, 0, b"", &[(0x0424, b"long")]));
    assert_eq!(read.octets.octets, b"long");
    // Whatever a centre sends, a part stays small.
    let read = text(&body(0, 0, b"", &[(0x0424, &vec![b'a'; 60_000])]));
    assert_eq!(read.octets.octets, [b'a'; MAX_PART]);
}

#[test]
fn a_part_is_known_by_its_header_or_by_sar() {
    for (esm_class, octets, tlvs, reference) in [
        (0x40, &b"\x05\x00\x03\x07\x02\x01hi"[..], &[][..], 7),
        (
            0x40,
            b"\x0A\x05\x02\x00\x00\x08\x04\x01\x07\x02\x01hi",
            &[],
            0x0107,
        ),
        (
            0,
            b"hi",
            &[(0x020C, &[1, 7][..]), (0x020E, &[2]), (0x020F, &[1])],
            0x0107,
        ),
    ] {
        let read = text(&body(esm_class, 0, octets, tlvs));
        let (key, number) = (read.key, read.number);
        assert_eq!((key.reference, key.total, number), (reference, 2, 1));
        assert_eq!(read.octets.octets, b"hi");
    }
}

#[test]
fn a_number_is_international_where_it_may_be() {
    for (ton, address, phone) in [
        (1, "491701234521", "+491701234521"),
        (0, "+491701234521", "+491701234521"),
        (0, "00491701234521", "+491701234521"),
        (0, "01701234521", "01701234521"),
        (2, "1701234521", "1701234521"),
        (0, "12345", "12345"),
        (5, "Shop", "Shop"),
    ] {
        let text = address.to_owned();
        assert_eq!(Address { ton, text }.phone(), phone);
    }
}

proptest! {
    #[test]
    fn any_body_is_read(octets: Vec<u8>, esm_class: u8, data_coding: u8, cut in 0_usize..80) {
        let octets = octets.get(..255).unwrap_or(&octets);
        let whole = body(esm_class, data_coding, octets, &[(0x0427, &[2])]);
        let cut = whole.get(..whole.len() - cut.min(whole.len())).unwrap();
        if let Some(deliver) = Deliver::read(cut) {
            deliver.receipt(|_, _| None);
            deliver.text();
        }
    }
}
