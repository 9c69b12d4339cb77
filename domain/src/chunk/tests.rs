use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::docid::DocId;
use crate::phone::PhoneNumber;
use crate::record::Record;

fn record<'a>(docid: &'a str, phone: &'a str, fields: &'a str) -> Record<'a> {
    Record {
        docid: DocId::parse(docid).unwrap(),
        phone: PhoneNumber::parse(phone).unwrap(),
        fields,
    }
}

fn payload(docids: &[&str]) -> Vec<u8> {
    let mut builder = Run::default();
    for docid in docids {
        builder.push(&record(docid, "+491701234521", "{\"city\":\"Köln\"}"));
    }
    whole(builder.finish())
}

/// The only chunk of a run that is not cut.
fn whole(run: Run) -> Vec<u8> {
    let rows = run.len().max(1);
    let mut chunks = run.compress(rows);
    assert!(chunks.len() <= 1);
    chunks.pop().map_or_else(|| forged(&[0]), |chunk| chunk.1)
}

/// A payload around bytes that no builder writes.
fn forged(decoded: &[u8]) -> Vec<u8> {
    let mut payload = vec![VERSION];
    payload.extend(zstd::bulk::compress(decoded, ZSTD_LEVEL).unwrap());
    payload
}

fn docids(payload: &[u8]) -> Vec<String> {
    let chunk = Chunk::decode(payload).unwrap();
    chunk
        .records()
        .map(|record| record.docid.get().to_owned())
        .collect()
}

#[test]
fn records_come_back_in_the_byte_order_of_their_docids() {
    let payload = payload(&["b", "a", "é", "B", "ab", "A9", "A10"]);
    assert_eq!(docids(&payload), ["A10", "A9", "B", "a", "ab", "b", "é"]);
}

#[test]
fn an_empty_chunk_is_a_chunk() {
    assert!(Chunk::decode(&payload(&[])).unwrap().is_empty());
}

#[test]
fn a_builder_begins_anew_after_finish() {
    let mut builder = Run::default();
    builder.push(&record("a", "+1234567", "{}"));
    assert!(builder.is_full(1) && !builder.is_full(2));
    assert_eq!(builder.finish().len(), 1);
    assert!(builder.is_empty());
    builder.push(&record("b", "+1234567", "{}"));
    assert_eq!(docids(&whole(builder.finish())), ["b"]);
}

#[test]
fn a_builder_of_many_bytes_is_full_with_few_records() {
    let fields: BTreeMap<_, _> = (0..64)
        .map(|n| (format!("field-{n}"), "\u{1}".repeat(1_024)))
        .collect();
    let fields = serde_json::to_string(&fields).unwrap();
    let mut builder = Run::default();
    while !builder.is_full(5_000) {
        builder.push(&record(
            &format!("{:03}", builder.len()),
            "+1234567",
            &fields,
        ));
    }
    assert!(builder.len() < 150);
    assert!(Chunk::decode(&whole(builder.finish())).is_ok());
}

#[test]
fn another_version_is_told_apart_from_a_corrupt_payload() {
    let mut payload = payload(&["a"]);
    payload[0] = 2;
    assert_eq!(
        Chunk::decode(&payload).err(),
        Some(DecodeError::UnknownVersion(2))
    );
    assert!(matches!(Chunk::decode(&[]), Err(DecodeError::Corrupt(_))));
    assert!(matches!(
        Chunk::decode(&[VERSION]),
        Err(DecodeError::Corrupt(_))
    ));
}

#[test]
fn a_bomb_is_refused_before_it_takes_memory() {
    let bomb = forged(&vec![0; MAX_DECODED_BYTES + 1]);
    assert!(bomb.len() < 10_000);
    assert_eq!(
        Chunk::decode(&bomb).err(),
        Some(DecodeError::Corrupt("it is too large"))
    );
}

#[test]
fn forged_lengths_counts_orders_encodings_and_values_are_corrupt() {
    for decoded in [
        &b""[..],
        b"\x01",
        b"\x01\x01\x01",
        b"\xff\xff\xff\xff\x0f\x01\x01\x01",
        b"\x01\x01\x08\x02a+1234567{",
        b"\x01\x01\x08\x02a+1234567{}x",
        b"\x02\x01\x01\x08\x08\x02\x02ba+1234567+1234567{}{}",
        b"\x02\x01\x01\x08\x08\x02\x02aa+1234567+1234567{}{}",
        b"\x01\x01\x08\x02\xff+1234567{}",
        "\x01\x01\x08\x02é+123456{}".as_bytes(),
        b"\x01\x00\x08\x02+1234567{}",
        b"\x01\x01\x08\x02a+0234567{}",
    ] {
        let refused = Chunk::decode(&forged(decoded));
        assert!(
            matches!(refused, Err(DecodeError::Corrupt(_))),
            "{decoded:?}"
        );
    }
    for decoded in [
        &b"\x01\x01\x08\x02a+1234567{}"[..],
        b"\x02\x01\x01\x08\x08\x02\x02ab+1234567+1234567{}{}",
    ] {
        assert!(Chunk::decode(&forged(decoded)).is_ok());
    }
}

#[test]
fn no_debug_output_shows_a_phone() {
    let payload = payload(&["a"]);
    let chunk = Chunk::decode(&payload).unwrap();
    let shown = format!("{:?}", chunk.records().next());
    assert!(
        shown.contains("+*********521") && !shown.contains("1701234"),
        "{shown}"
    );
}

prop_compose! {
    fn any_row()(phone in r"\+[1-9][0-9]{6,14}", fields in ".{0,20}") -> (String, String) { (phone, fields) }
}

proptest! {
    #[test]
    fn what_went_in_comes_out_sorted(
        rows in prop::collection::btree_map("(pre)?[a-cé/]{1,10}", any_row(), 0..40),
        shuffle: u64,
    ) {
        let mut order: Vec<_> = rows.iter().collect();
        order.sort_by_key(|(docid, _)| docid.bytes().fold(shuffle, |h, b| h.wrapping_mul(31) ^ u64::from(b)));
        let mut builder = Run::default();
        for (docid, (phone, fields)) in order {
            builder.push(&record(docid, phone, fields));
        }
        let payload = whole(builder.finish());

        let chunk = Chunk::decode(&payload).unwrap();
        prop_assert_eq!(chunk.len(), rows.len());
        for (read, (docid, (phone, fields))) in chunk.records().zip(&rows) {
            prop_assert_eq!(read, record(docid, phone, fields));
        }
    }

    #[test]
    fn a_run_is_cut_into_chunks_in_the_order_of_docids(
        docids in prop::collection::btree_set("[a-z]{1,6}", 0..60),
        rows in 1..20_usize,
    ) {
        let mut builder = Run::default();
        for docid in docids.iter().rev() {
            builder.push(&record(docid, "+1234567", "{}"));
        }
        let run = builder.finish();
        let announced = run.chunks(rows);
        let chunks = run.compress(rows);
        prop_assert_eq!(chunks.len(), announced);
        let mut all = Vec::new();
        for (n, (length, payload)) in chunks.iter().enumerate() {
            let chunk = self::docids(payload);
            prop_assert_eq!(chunk.len(), *length);
            prop_assert!(chunk.len() == rows || n + 1 == announced);
            all.extend(chunk);
        }
        prop_assert_eq!(all, docids.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn a_damaged_payload_is_refused_or_still_whole(at: prop::sample::Index, byte: u8, cut: prop::sample::Index) {
        let mut payload = payload(&["a", "b", "c", "d"]);
        let at = at.index(payload.len());
        payload[at] = byte;
        payload.truncate(cut.index(payload.len() + 1));
        if let Ok(chunk) = Chunk::decode(&payload) {
            prop_assert_eq!(chunk.records().len(), chunk.len());
        }
    }
}
