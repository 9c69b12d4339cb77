use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::record::{COLUMNS, Record};
use crate::varint;

/// The values of all columns, of which others than these three are empty.
fn values<T: Copy + Default>(docid: T, phone: T, fields: T) -> [T; COLUMNS.len()] {
    COLUMNS.map(|column| match column.name {
        "docid" => docid,
        "phone" => phone,
        "fields" => fields,
        _ => T::default(),
    })
}

fn record<'a>(docid: &'a str, phone: &'a str, fields: &'a str) -> Record<'a> {
    Record::from_valid(values(docid, phone, fields))
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

/// What a payload of records (docid, phone and fields of each) is before it is compressed.
fn decoded(records: &[[&[u8]; 3]]) -> Vec<u8> {
    let rows = records.iter();
    let rows: Vec<_> = rows
        .map(|[docid, phone, fields]| values(*docid, *phone, *fields))
        .collect();
    let by_column = || (0..COLUMNS.len()).flat_map(|n| rows.iter().map(move |row| row[n]));
    let mut bytes = Vec::new();
    varint::write(&mut bytes, rows.len() as u64);
    for value in by_column() {
        varint::write(&mut bytes, value.len() as u64);
    }
    bytes.extend(by_column().flatten());
    bytes
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
    payload[0] = VERSION + 1;
    assert_eq!(
        Chunk::decode(&payload).err(),
        Some(DecodeError::UnknownVersion(VERSION + 1))
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
    let one = |docid, phone| decoded(&[[docid, phone, b"{}"]]);
    let two = |docids: [&[u8]; 2]| decoded(&docids.map(|docid| [docid, b"+1234567", b"{}"]));
    let good = one(b"a", b"+1234567");
    let mut cut = one("é".as_bytes(), b"+123456");
    cut[1] -= 1;
    cut[2] += 1;
    for decoded in [
        &b""[..],
        b"\x01",
        b"\x01\x01\x01",
        b"\xff\xff\xff\xff\x0f\x01\x01\x01",
        &good[..good.len() - 1],
        &[&*good, b"x"].concat(),
        &two([b"b", b"a"]),
        &two([b"a", b"a"]),
        &one(b"\xff", b"+1234567"),
        &cut,
        &one(b"", b"+1234567"),
        &one(b"a", b"+0234567"),
    ] {
        let refused = Chunk::decode(&forged(decoded));
        assert!(
            matches!(refused, Err(DecodeError::Corrupt(_))),
            "{decoded:?}"
        );
    }
    for decoded in [good, two([b"a", b"b"])] {
        assert!(Chunk::decode(&forged(&decoded)).is_ok());
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
