//! A whole import body, read record by record from a `Read`, in bounded memory: a window of 64 KiB, or of
//! the largest record.
//!
//! Three kinds, one way: a window slides over the body (`window`), each kind finds where its next element
//! ends (`json`, `ndjson`, `csv`), the element's members become a draft of places in the window (`draft`),
//! and [`crate::record`] judges them. Decompression, the limits on bytes and records, and who asked live in
//! `api`.
//!
//! A byte order mark at the front is skipped. Offsets count the bytes of the body from 0, the mark included.

mod csv;
mod draft;
mod element;
mod json;
mod ndjson;
mod plain;
mod row;
mod visit;
mod window;

use std::io::{self, Read};

use self::csv::Csv;
use self::json::Json;
use self::ndjson::Ndjson;
use self::window::Window;
use crate::record::Parsed;

/// An element, line or row of more bytes is refused.
pub const MAX_RECORD_BYTES: usize = 16 << 20;

/// How much of the body is looked at at once, in bytes.
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

/// Why a body cannot be read on. Nothing of it is to be kept.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// Not one complete value of the expected outer shape, or not UTF-8 (`invalid_json`, `invalid_csv`).
    #[error("{detail}, at byte {offset}")]
    Syntax {
        /// Of the body's bytes, from 0, after decompression.
        offset: u64,
        /// For people. It quotes nothing of the body.
        detail: String,
    },
    /// An element, line or row has more than [`MAX_RECORD_BYTES`].
    #[error("record {index} has more than {MAX_RECORD_BYTES} bytes")]
    RecordTooLarge { index: u64 },
    #[error("the body could not be read")]
    Read(#[source] io::Error),
}

/// Reads a body's records one after the other.
pub struct RecordReader<R>(Kind<R>);

enum Kind<R> {
    Json(Json<R>),
    Csv(Csv<R>),
    Ndjson(Ndjson<R>),
}

impl<R: Read> RecordReader<R> {
    /// The reader is asked for large pieces; it needs no buffer of its own.
    pub fn new(kind: BodyKind, reader: R) -> Self {
        Self::with_window(kind, reader, WINDOW_BYTES)
    }

    fn with_window(kind: BodyKind, reader: R, bytes: usize) -> Self {
        let window = Window::new(reader, bytes);
        Self(match kind {
            BodyKind::Json => Kind::Json(Json::new(window)),
            BodyKind::Csv => Kind::Csv(Csv::new(window)),
            BodyKind::Ndjson => Kind::Ndjson(Ndjson::new(window)),
        })
    }

    /// The next record, borrowed from the window until the next call; `None` at the true end of a complete
    /// body. After an error there is nothing more to read.
    #[expect(
        clippy::should_implement_trait,
        reason = "it lends, which an iterator cannot"
    )]
    pub fn next(&mut self) -> Result<Option<Parsed<'_>>, BodyError> {
        match &mut self.0 {
            Kind::Json(json) => json.next(),
            Kind::Csv(csv) => csv.next(),
            Kind::Ndjson(ndjson) => ndjson.next(),
        }
    }

    /// What the pointers into this body begin with: `""`, or `/data` in the wrapped form. Known from the
    /// first record on.
    pub fn pointer_prefix(&self) -> &'static str {
        match &self.0 {
            Kind::Json(json) => json.pointer_prefix(),
            Kind::Csv(_) | Kind::Ndjson(_) => "",
        }
    }
}

#[cfg(test)]
mod tests;
