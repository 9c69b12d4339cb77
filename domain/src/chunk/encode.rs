//! From records to payloads.

use super::{FULL_BYTES, VERSION, ZSTD_LEVEL};
use crate::record::Record;
use crate::varint;

/// Gathers the records of one run.
#[derive(Default)]
pub struct RunBuilder {
    text: Vec<u8>,
    rows: Vec<Span>,
    /// The bytes that the lengths of all rows take.
    lengths: usize,
}

/// One row in the builder: docid, phone and fields lie one after the other from `start`.
#[derive(Clone, Copy)]
struct Span {
    start: usize,
    docid: usize,
    phone: usize,
    fields: usize,
}

impl RunBuilder {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a record. Its docid must be new to the import.
    pub fn push(&mut self, record: &Record<'_>) {
        let start = self.text.len();
        self.text.extend_from_slice(record.docid.as_bytes());
        self.text.extend_from_slice(record.phone.as_bytes());
        let fields_start = self.text.len();
        write_fields(&mut self.text, record);
        let span = Span {
            start,
            docid: record.docid.len(),
            phone: record.phone.len(),
            fields: self.text.len() - fields_start,
        };
        self.lengths +=
            varint::len(span.docid) + varint::len(span.phone) + varint::len(span.fields);
        self.rows.push(span);
    }

    /// The rows so far.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The bytes of the run, as one chunk, before compression.
    pub fn encoded_len(&self) -> usize {
        varint::len(self.rows.len()) + self.lengths + self.text.len()
    }

    /// Whether the run has `rows` rows, or [`FULL_BYTES`], and is to be finished before more is added.
    pub fn is_full(&self, rows: usize) -> bool {
        self.len() >= rows || self.encoded_len() >= FULL_BYTES
    }

    /// Hands out what was gathered and begins anew. Sorting and compressing are left to [`Run::compress`], which may
    /// run elsewhere.
    pub fn finish(&mut self) -> Run {
        let next = Self {
            text: Vec::with_capacity(self.text.len() + self.text.len() / 8),
            rows: Vec::with_capacity(self.rows.len()),
            lengths: 0,
        };
        Run(std::mem::replace(self, next))
    }
}

/// The tracking fields as canonical JSON: one object, names in the order of their bytes, no spaces, only
/// what RFC 8259 wants escaped is escaped.
fn write_fields(out: &mut Vec<u8>, record: &Record<'_>) {
    out.push(b'{');
    for (n, (name, value)) in record.fields.iter().enumerate() {
        if n > 0 {
            out.push(b',');
        }
        write_string(out, name);
        out.push(b':');
        write_string(out, value);
    }
    out.push(b'}');
}

#[expect(
    clippy::expect_used,
    reason = "a Vec takes every byte and every str has a JSON form; no input reaches this"
)]
fn write_string(out: &mut Vec<u8>, text: &str) {
    serde_json::to_writer(out, text).expect("a str in a Vec");
}

/// A finished run that is neither sorted nor compressed yet.
pub struct Run(RunBuilder);

impl Run {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The chunks that the run is cut into, `rows` rows each but for the last.
    pub fn chunks(&self, rows: usize) -> usize {
        self.len().div_ceil(rows)
    }

    /// The chunks in the order of their docids: the rows of each, and its payload as [`super::Chunk::decode`] reads it.
    pub fn compress(self, rows: usize) -> Vec<(usize, Vec<u8>)> {
        self.in_docid_order()
            .chunks(rows)
            .map(|chunk| (chunk.len(), compress(&self.encode(chunk))))
            .collect()
    }

    fn encode(&self, rows: &[Span]) -> Vec<u8> {
        let texts: usize = rows
            .iter()
            .map(|row| row.docid + row.phone + row.fields)
            .sum();
        let mut out = Vec::with_capacity(texts + rows.len() * 4);
        varint::write(&mut out, rows.len() as u64);
        for length in [|s: &Span| s.docid, |s: &Span| s.phone, |s: &Span| s.fields] {
            for row in rows {
                varint::write(&mut out, length(row) as u64);
            }
        }
        for row in rows {
            out.extend_from_slice(self.text(row.start, row.docid));
        }
        for row in rows {
            out.extend_from_slice(self.text(row.start + row.docid, row.phone));
        }
        for row in rows {
            out.extend_from_slice(self.text(row.start + row.docid + row.phone, row.fields));
        }
        out
    }

    fn in_docid_order(&self) -> Vec<Span> {
        let docid = |row: &Span| self.text(row.start, row.docid);
        let rows = &self.0.rows;
        // Docids of one body often begin alike. Past that, eight bytes mostly decide, and a comparison
        // needs no look at the text.
        let first = rows.first().map_or(&[][..], docid);
        let alike = rows
            .iter()
            .fold(first.len(), |alike, row| common(first, docid(row), alike));
        let mut keyed: Vec<(u64, Span)> = rows
            .iter()
            .map(|row| (head(docid(row).get(alike..).unwrap_or_default()), *row))
            .collect();
        keyed.sort_unstable_by(|(a, x), (b, y)| a.cmp(b).then_with(|| docid(x).cmp(docid(y))));
        keyed.into_iter().map(|(_, row)| row).collect()
    }

    fn text(&self, start: usize, len: usize) -> &[u8] {
        self.0.text.get(start..start + len).unwrap_or_default()
    }
}

#[expect(
    clippy::expect_used,
    reason = "zstd has room for its worst case, so that it cannot fail; no input reaches this"
)]
fn compress(encoded: &[u8]) -> Vec<u8> {
    let frame = zstd::bulk::compress(encoded, ZSTD_LEVEL).expect("room enough");
    let mut payload = Vec::with_capacity(1 + frame.len());
    payload.push(VERSION);
    payload.extend_from_slice(&frame);
    payload
}

/// How many bytes the two begin with alike, at most `limit`.
fn common(a: &[u8], b: &[u8], limit: usize) -> usize {
    a.iter()
        .zip(b)
        .take(limit)
        .take_while(|(x, y)| x == y)
        .count()
}

/// The first eight bytes as a number that sorts as they do; what is missing counts as 0.
fn head(bytes: &[u8]) -> u64 {
    let mut head = [0; 8];
    for (to, from) in head.iter_mut().zip(bytes) {
        *to = *from;
    }
    u64::from_be_bytes(head)
}
