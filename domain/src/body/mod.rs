//! A whole import body, read record by record from a `Read`, in bounded memory: a window of 64 KiB, or of
//! the largest record.
//!
//! A window slides over the body (`window`). Each kind of body finds the end of its next element (`json`, `ndjson`,
//! `csv`), and [`crate::record`] checks the element's members, which are spans of the window (`raw`). Decompression and
//! the limits on bytes and records live in `api/import`.
//!
//! A byte order mark at the front is skipped. Offsets count the bytes of the body from 0, the mark included.

mod csv;
mod element;
mod json;
mod ndjson;
mod raw;
mod row;
mod visit;
mod window;

use std::io::{self, Read};

use self::csv::Csv;
use self::json::Json;
use self::raw::RawRecord;
use self::window::Window;
use crate::record::ParsedRecord;

/// An element, line or row of more bytes is refused.
pub const MAX_RECORD_BYTES: usize = 16 << 20;

/// Why bytes are not what they should be.
#[derive(Debug, PartialEq, Eq)]
struct Broken {
    /// The offset from the front of the bytes.
    at: usize,
    detail: String,
}

impl Broken {
    fn new(at: usize, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self { at, detail }
    }
}

/// The usual size of the window.
const WINDOW_BYTES: usize = 64 << 10;

/// How a body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyKind {
    /// A JSON array of records, or `{"data": [ … ]}` with no other member (RFC 8259).
    Json,
    /// Comma-separated, with a header (RFC 4180).
    Csv,
    /// A JSON value a line.
    Ndjson,
}

/// Why a body is refused as a whole. Nothing of it is to be kept.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// Not one complete value of the expected outer shape, or not UTF-8 (`invalid_json`, `invalid_csv`).
    #[error("{detail}, at byte {offset}")]
    Syntax {
        /// Of the body's bytes, from 0, after decompression.
        offset: u64,
        /// A sentence for people. It quotes nothing of the body.
        detail: String,
    },
    /// An element, line or row has more than [`MAX_RECORD_BYTES`].
    #[error("record {index} has more than {MAX_RECORD_BYTES} bytes")]
    RecordTooLarge { index: u64 },
    #[error("the body could not be read")]
    Read(#[source] io::Error),
}

/// Reads the records of a body in their order.
pub struct RecordReader<R> {
    window: Window<R>,
    record: RawRecord,
    /// The length of the current element, which is at the front of the window.
    current: usize,
    kind: BodyKind,
    json: Json,
    csv: Csv,
}

impl<R: Read> RecordReader<R> {
    /// The reader is asked for large pieces, so it needs no buffer of its own.
    pub fn new(kind: BodyKind, reader: R) -> Self {
        Self::with_window(kind, reader, WINDOW_BYTES)
    }

    fn with_window(kind: BodyKind, reader: R, bytes: usize) -> Self {
        Self {
            window: Window::new(reader, bytes),
            record: RawRecord::default(),
            current: 0,
            kind,
            json: Json::default(),
            csv: Csv::default(),
        }
    }

    /// The next record, borrowed from the window until the next call; `None` at the true end of a complete
    /// body. After an error there is nothing more to read.
    #[expect(
        clippy::should_implement_trait,
        reason = "the record borrows the reader, which an iterator's item cannot"
    )]
    pub fn next(&mut self) -> Result<Option<ParsedRecord<'_>>, BodyError> {
        let (window, record) = (&mut self.window, &mut self.record);
        window.consume(std::mem::take(&mut self.current));
        window.skip_mark()?;
        let len = match self.kind {
            BodyKind::Json => self.json.next(window, record),
            BodyKind::Csv => self.csv.next(window, record),
            BodyKind::Ndjson => ndjson::next(window, record),
        };
        let Some(len) = len? else { return Ok(None) };
        self.current = len;
        window.index += 1;
        let element = window.bytes().get(..len).unwrap_or_default();
        Ok(Some(record.check(element)))
    }

    /// The beginning of all pointers into this body: `""`, or `/data` in the wrapped form. Known from the
    /// first record on.
    pub fn pointer_prefix(&self) -> &'static str {
        if self.json.is_wrapped { "/data" } else { "" }
    }
}

#[cfg(test)]
mod tests;
