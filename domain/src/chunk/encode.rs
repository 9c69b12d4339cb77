//! From records to payloads.

use super::{FULL_BYTES, VERSION, ZSTD_LEVEL};
use crate::record::{COLUMNS, Record};
use crate::varint;

/// So many records of a run are looked at for its range of docids.
const SAMPLE: usize = 256;

/// The records of one run, neither sorted nor compressed.
#[derive(Default)]
pub struct Run {
    text: Vec<u8>,
    rows: Vec<RunRecord>,
}

/// A record of a run: its values are one after the other from `start`.
#[derive(Clone, Copy)]
struct RunRecord {
    start: usize,
    lens: [usize; COLUMNS.len()],
}

impl Run {
    /// Adds a record. Its docid must be new to the import.
    pub fn push(&mut self, record: &Record<'_>) {
        let start = self.text.len();
        let values = record.values();
        for value in values {
            self.text.extend_from_slice(value.as_bytes());
        }
        self.rows.push(RunRecord {
            start,
            lens: values.map(str::len),
        });
    }

    /// The lowest and the highest docid of a sample of the records: nearly those of all.
    pub fn docids(&self) -> Option<[&[u8]; 2]> {
        let every = self.rows.len() / SAMPLE;
        let sample = self.rows.iter().step_by(every.max(1));
        let docids = sample.map(|row| self.value(row, 0));
        Some([docids.clone().min()?, docids.max()?])
    }

    /// The records so far.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether the run has `records` records, or [`FULL_BYTES`], and is to be finished before more is added.
    pub fn is_full(&self, records: usize) -> bool {
        self.len() >= records || self.text.len() >= FULL_BYTES
    }

    /// Returns the run and begins the next. Sorting and compressing are left to [`Run::compress`], which may run on
    /// another thread.
    #[must_use]
    pub fn finish(&mut self) -> Self {
        let next = Self {
            text: Vec::with_capacity(self.text.len() + self.text.len() / 8),
            rows: Vec::with_capacity(self.rows.len()),
        };
        std::mem::replace(self, next)
    }

    /// The chunks that the run is cut into, `records` records each but for the last.
    pub fn chunks(&self, records: usize) -> usize {
        self.len().div_ceil(records)
    }

    /// The chunks in the order of their docids: the records of each, and its payload as [`super::Chunk::decode`] reads it.
    pub fn compress(self, records: usize) -> Vec<(usize, Vec<u8>)> {
        self.in_docid_order()
            .chunks(records)
            .map(|chunk| (chunk.len(), compress(&self.encode(chunk))))
            .collect()
    }

    fn encode(&self, rows: &[RunRecord]) -> Vec<u8> {
        let texts: usize = rows.iter().flat_map(|row| row.lens).sum();
        let mut out = Vec::with_capacity(texts + rows.len() * (COLUMNS.len() + 1));
        varint::write(&mut out, rows.len() as u64);
        for column in 0..COLUMNS.len() {
            for row in rows {
                varint::write(&mut out, row.lens[column] as u64);
            }
        }
        for column in 0..COLUMNS.len() {
            for row in rows {
                out.extend_from_slice(self.value(row, column));
            }
        }
        out
    }

    fn in_docid_order(&self) -> Vec<RunRecord> {
        let docid = |row: &RunRecord| self.value(row, 0);
        let rows = &self.rows;
        // Docids of one body often begin alike. Past that, eight bytes mostly decide, and a comparison
        // needs no look at the text.
        let first = rows.first().map_or(&[][..], docid);
        let alike = rows
            .iter()
            .fold(first.len(), |alike, row| common(first, docid(row), alike));
        let mut keyed: Vec<(u64, RunRecord)> = rows
            .iter()
            .map(|row| (head(docid(row).get(alike..).unwrap_or_default()), *row))
            .collect();
        keyed.sort_unstable_by(|(a, x), (b, y)| a.cmp(b).then_with(|| docid(x).cmp(docid(y))));
        keyed.into_iter().map(|(_, row)| row).collect()
    }

    fn value(&self, row: &RunRecord, column: usize) -> &[u8] {
        let start = row.start + row.lens[..column].iter().sum::<usize>();
        let text = self.text.get(start..start + row.lens[column]);
        text.unwrap_or_default()
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
