use super::*;
use crate::Deadline;

fn message(from: &str, parts: &[&str], encoding: Encoding) -> Outbound {
    Outbound {
        message_id: uuid::Uuid::nil(),
        reference: "reference".into(),
        to: "+491701234521".into(),
        from: from.into(),
        text: parts.concat(),
        encoding,
        parts: parts.iter().map(|part| (*part).to_owned()).collect(),
        number: 0xFFFF,
        validity: Duration::from_hours(26),
        deadline: Deadline::at(std::time::Instant::now() + Duration::from_mins(1)),
        status_url: String::new(),
        wants_receipts: true,
    }
}

#[test]
fn parts_have_a_header_and_a_reference_each() {
    let two = message("+4930123456", &["a€", "b"], Encoding::Gsm7);
    let pdus = pdus(&two, Style::default()).unwrap();
    let [first, second] = &pdus[..] else {
        panic!("{} PDUs", pdus.len());
    };
    assert_eq!(
        first.short_message()[..],
        [5, 0, 3, 0xFF, 2, 1, 0x61, 0x1B, 0x65]
    );
    assert_eq!(second.short_message()[..], [5, 0, 3, 0xFF, 2, 2, 0x62]);
    assert_eq!(u8::from(second.esm_class), 0x40);
    assert_eq!(u8::from(second.registered_delivery), 1);
    assert_eq!(second.validity_period.as_str(), "000001020000000R");
    assert_eq!(second.destination_addr.as_str(), "491701234521");
    let reference = Tlv::UserMessageReference(0.into());
    assert_eq!(second.tlvs(), [reference.into()]);
}

#[test]
fn one_part_is_plain() {
    let pdus = pdus(&message("Shop", &["Ж"], Encoding::Ucs2), Style::default()).unwrap();
    assert_eq!(pdus[0].short_message()[..], [0x04, 0x16]);
    assert_eq!(pdus[0].data_coding, DataCoding::Ucs2);
    assert_eq!(u8::from(pdus[0].esm_class), 0);
}

fn style(charset: Charset, long: Long) -> Style {
    Style { charset, long }
}

#[test]
fn a_charset_that_lacks_a_character_is_left_where_the_text_fits() {
    let latin = style(Charset::Latin1, Long::Udh);
    let written = pdus(&message("Shop", &["Ä[@"], Encoding::Gsm7), latin).unwrap();
    assert_eq!(written[0].short_message()[..], [0xC4, b'[', b'@']);
    assert_eq!(written[0].data_coding, DataCoding::McSpecific);
    let written = pdus(&message("Shop", &["€"], Encoding::Gsm7), latin).unwrap();
    assert_eq!(written[0].short_message()[..], [0x20, 0xAC]);
    assert_eq!(written[0].data_coding, DataCoding::Ucs2);
    let ascii = style(Charset::Ascii, Long::Udh);
    let long = "ä".repeat(71);
    let refused = Handed::Refused {
        code: "smpp-charset".into(),
    };
    let no_room = pdus(&message("Shop", &[&long], Encoding::Gsm7), ascii);
    assert_eq!(no_room.unwrap_err(), refused);
}

#[test]
fn a_long_text_goes_as_the_centre_takes_it() {
    let two = message("Shop", &["a", "b"], Encoding::Gsm7);
    let parts = pdus(&two, style(Charset::Gsm7, Long::Sar)).unwrap();
    assert_eq!(parts[1].short_message()[..], *b"b");
    assert_eq!(u8::from(parts[1].esm_class), 0);
    let tlvs = [
        Tlv::UserMessageReference(0.into()),
        Tlv::SarMsgRefNum(0xFFFF),
        Tlv::SarTotalSegments(2),
        Tlv::SarSegmentSeqnum(2),
    ];
    assert_eq!(parts[1].tlvs(), tlvs.map(Into::into));

    let payload = style(Charset::Gsm7, Long::Payload);
    let whole = pdus(&two, payload).unwrap();
    assert!(whole[0].short_message().is_empty());
    let text = MessagePayload::new(AnyOctetString::from_slice(b"ab"));
    assert_eq!(whole[0].tlvs()[1], Tlv::MessagePayload(text).into());
    assert_eq!(whole.len(), 1);
    let one = message("Shop", &[&"x".repeat(160)], Encoding::Gsm7);
    let one = pdus(&one, payload).unwrap();
    assert_eq!(one[0].short_message().len(), 160);
}

#[test]
fn the_longest_parts_fit() {
    let text = "€".repeat(76) + "x";
    assert!(
        pdus(
            &message("12345", &[&text, &text], Encoding::Gsm7),
            Style::default()
        )
        .is_ok()
    );
}

#[test]
fn the_source_has_the_type_of_its_form() {
    for (from, ton, npi) in [
        ("+4930123456", Ton::International, Npi::Isdn),
        ("12345", Ton::NetworkSpecific, Npi::Unknown),
        ("Shop 24", Ton::Alphanumeric, Npi::Unknown),
    ] {
        let (found_ton, found_npi, _) = source(from).unwrap();
        assert_eq!((found_ton, found_npi), (ton, npi), "{from}");
    }
}

#[test]
fn what_cannot_be_written_is_said_before_anything_is() {
    let no_from = message("ä", &["a"], Encoding::Gsm7);
    let fault = Handed::SenderFault {
        code: "smpp-0x0a".into(),
    };
    assert_eq!(pdus(&no_from, Style::default()).unwrap_err(), fault);
    let text = message("Shop", &["Ж"], Encoding::Gsm7);
    let refused = Handed::Refused {
        code: "smpp-0x01".into(),
    };
    assert_eq!(pdus(&text, Style::default()).unwrap_err(), refused);
}

#[test]
fn a_validity_is_at_least_a_second_and_at_most_30_days() {
    for (validity, text) in [
        (Duration::ZERO, "000000000001000R"),
        (Duration::from_secs(3_661), "000000010101000R"),
        (Duration::from_hours(100 * 24), "000030000000000R"),
    ] {
        assert_eq!(validity_period(validity).as_str(), text);
    }
}

#[test]
fn parts_that_differ_are_unknown() {
    let accepted = || PartOutcome::Accepted("1".into());
    for (parts, code) in [
        (vec![accepted(), PartOutcome::Refused(0x58)], "smpp-0x58"),
        (vec![accepted(), PartOutcome::Unsent], "smpp-unsent"),
        (
            vec![PartOutcome::Refused(0x0B), PartOutcome::Lost("smpp-lost")],
            "smpp-lost",
        ),
        (
            vec![PartOutcome::Lost("smpp-timeout"), PartOutcome::Unsent],
            "smpp-timeout",
        ),
    ] {
        let unknown = Handed::Unknown { code: code.into() };
        assert_eq!(handed(parts), unknown);
    }
}

#[test]
fn parts_none_of_which_was_taken_are_certain() {
    let refused = Handed::Refused {
        code: "smpp-0x0b".into(),
    };
    assert_eq!(
        handed(vec![PartOutcome::Refused(0x0B), PartOutcome::Unsent]),
        refused
    );
    assert_eq!(
        handed(vec![PartOutcome::Unsent, PartOutcome::Unsent]),
        Handed::not_sent("smpp-unsent")
    );
}

#[test]
fn a_status_blames_the_sender_the_message_or_the_moment() {
    for status in [0x04, 0x05, 0x0D, 0x0E, 0x0F] {
        assert!(matches!(verdict(status), Handed::SenderFault { .. }));
    }
    for status in [0x0A, 0x0B, 0x45, 0x0400] {
        assert!(matches!(verdict(status), Handed::Refused { .. }));
    }
    for status in [0x14, 0x58] {
        assert_eq!(verdict(status), Handed::Busy);
    }
    assert_eq!(verdict(0x08), Handed::not_sent("smpp-0x08"));
}
