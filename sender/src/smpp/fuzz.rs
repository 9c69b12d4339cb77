//! What a centre sends, whatever it is, and what it would read of what is sent.

use std::time::{Duration, Instant};

use bolero::check;
use bytes::BytesMut;
use domain::sms::{Parts, plain};
use rusmpp::pdus::SubmitSm;
use rusmpp::tokio_codec::CommandCodec;
use rusmpp::{Command, CommandStatus};
use tokio_util::codec::{Decoder, Encoder};

use super::config::{Charset, Long, Style};
use super::deliver::Deliver;
use super::join::PartialTexts;
use super::submit::pdus;
use super::wire::{RawPdu, codec};
use crate::{Deadline, Outbound};

fn message(text: &str) -> Outbound {
    let Parts { encoding, texts } = Parts::of(text);
    Outbound {
        message_id: uuid::Uuid::nil(),
        reference: String::new(),
        to: "+491701234521".into(),
        from: "Shop".into(),
        text: text.to_owned(),
        encoding,
        parts: texts,
        number: 0,
        validity: Duration::from_hours(1),
        deadline: Deadline::at(Instant::now()),
        status_url: String::new(),
        wants_receipts: true,
    }
}

/// The body of a PDU as it arrives.
fn body(pdu: SubmitSm) -> BytesMut {
    let mut octets = BytesMut::new();
    let command = Command::new(CommandStatus::EsmeRok, 1, pdu);
    CommandCodec::new().encode(command, &mut octets).unwrap();
    let frame = codec().decode(&mut octets).unwrap().unwrap();
    RawPdu::read(frame).unwrap().body
}

/// A `submit_sm` has the fields of a `deliver_sm`.
#[test]
fn a_message_is_read_as_it_was_written() {
    check!().for_each(|bytes: &[u8]| {
        // As long as no payload is cut.
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(1_000)]);
        let message = message(&plain(&text));
        for charset in [Charset::Gsm7, Charset::Latin1, Charset::Ascii] {
            for long in [Long::Udh, Long::Sar, Long::Payload] {
                let Ok(pdus) = pdus(&message, Style { charset, long }) else {
                    continue;
                };
                assert!(!pdus.is_empty() && pdus.len() <= message.parts.len());
                let mut texts = PartialTexts::of(charset);
                let read = pdus.into_iter().filter_map(|pdu| {
                    let body = body(pdu);
                    let part = Deliver::read(&body).unwrap().text();
                    texts.add(&part.key, part.number, part.octets, Instant::now())
                });
                assert_eq!(read.last().as_ref(), Some(&message.text));
            }
        }
    });
}

#[test]
fn whatever_a_centre_sends_is_read() {
    check!().for_each(|octets: &[u8]| {
        let mut texts = PartialTexts::default();
        let mut src = BytesMut::from(octets);
        while let Ok(Some(frame)) = codec().decode(&mut src) {
            let Some(pdu) = RawPdu::read(frame) else {
                break;
            };
            let Some(deliver) = Deliver::read(&pdu.body) else {
                continue;
            };
            deliver.kind();
            if let Some(receipt) = deliver.receipt(|_, _| None) {
                assert!(receipt.code.is_none_or(|code| code.len() <= 32));
            }
            let part = deliver.text();
            let text = texts.add(&part.key, part.number, part.octets, Instant::now());
            assert!(text.is_none_or(|text| text.chars().count() <= octets.len()));
        }
    });
}
