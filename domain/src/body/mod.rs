//! A whole import body, read record by record from a `Read`, in bounded memory: a window of 64 KiB, or of
//! the largest record.
//!
//! A window slides over the body (`window`). Each kind of body finds the end of its next element (`json`, `ndjson`,
//! `csv`), and [`crate::record`] checks the element's members, which are spans of the window (`raw`). Decompression and
//! the limits on bytes and records live in `api/import`. A [`FileReader`] reads files as people have them.
//!
//! A byte order mark at the front is skipped. Offsets count the bytes of the body from 0, the mark included.

mod csv;
mod dialect;
mod element;
mod guess;
mod json;
mod mapping;
mod ndjson;
mod raw;
mod row;
mod visit;
mod window;

use std::io::{self, Read};

use self::csv::{Csv, Written};
pub use self::dialect::Dialect;
use self::dialect::Utf8;
pub use self::guess::guess;
use self::json::Json;
pub use self::mapping::Mapping;
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
            csv: Csv::new(Written::Strictly),
        }
    }

    /// The next record, borrowed from the window until the next call; `None` at the true end of a complete
    /// body. After an error there is nothing more to read.
    #[expect(
        clippy::should_implement_trait,
        reason = "the record borrows the reader, which an iterator's item cannot"
    )]
    pub fn next(&mut self) -> Result<Option<ParsedRecord<'_>>, BodyError> {
        if !self.step(&Mapping::default())? {
            return Ok(None);
        }
        let element = self.window.bytes().get(..self.current);
        Ok(Some(self.record.check(element.unwrap_or_default())))
    }

    /// Steps to the next element; false at the end.
    fn step(&mut self, mapping: &Mapping) -> Result<bool, BodyError> {
        let (window, record) = (&mut self.window, &mut self.record);
        window.consume(std::mem::take(&mut self.current));
        window.skip_mark()?;
        let len = match self.kind {
            BodyKind::Json => self.json.next(window, record),
            BodyKind::Csv => self.csv.next(window, record, mapping),
            BodyKind::Ndjson => ndjson::next(window, record),
        };
        let Some(len) = len? else { return Ok(false) };
        self.current = len;
        window.index += 1;
        Ok(true)
    }

    /// The beginning of all pointers into this body: `""`, or `/data` in the wrapped form. Known from the
    /// first record on.
    pub fn pointer_prefix(&self) -> &'static str {
        if self.json.is_wrapped { "/data" } else { "" }
    }

    /// The row of the last record as a spreadsheet shows it, from 1: the header's is the first, and blank ones are counted. Of JSON
    /// there is none.
    pub fn row(&self) -> Option<u64> {
        (self.kind == BodyKind::Csv).then_some(self.csv.row)
    }
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// By the letter, as a body without anything asked for.
    Strict(BodyKind),
    /// CSV of any delimiter and encoding.
    AnyCsv,
    /// The rows of a sheet, as CSV with commas in UTF-8, with a line for each row, blank ones too.
    Sheet,
}

impl FileKind {
    /// The body that it is read as.
    pub fn body(self) -> BodyKind {
        match self {
            Self::Strict(kind) => kind,
            Self::AnyCsv | Self::Sheet => BodyKind::Csv,
        }
    }
}

/// Reads the records of a file as people have them: with names of their own for its columns, and phones as they write them.
pub struct FileReader<R> {
    reader: RecordReader<Utf8<R>>,
    kind: FileKind,
    mapping: Mapping,
    encoding: &'static str,
}

impl<R: Read> FileReader<R> {
    /// # Errors
    /// The file cannot be read.
    pub fn new(kind: FileKind, mapping: Mapping, reader: R) -> Result<Self, BodyError> {
        let (reader, encoding) = match kind {
            FileKind::AnyCsv => Utf8::of(reader).map_err(BodyError::Read)?,
            FileKind::Strict(_) | FileKind::Sheet => (Utf8::untouched(reader), "utf-8"),
        };
        let written = match kind {
            FileKind::Strict(_) => Written::Strictly,
            FileKind::AnyCsv => Written::Freely,
            FileKind::Sheet => Written::Sheet,
        };
        let mut reader = RecordReader::new(kind.body(), reader);
        reader.csv = Csv::new(written);
        reader.csv.counts_lines = true;
        Ok(Self {
            reader,
            kind,
            mapping,
            encoding,
        })
    }

    /// Of a file of which it is not known yet what its columns are.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn looking(kind: FileKind, reader: R) -> Result<Self, BodyError> {
        let mut looking = Self::new(kind, Mapping::default(), reader)?;
        looking.reader.csv.is_looked_at = true;
        Ok(looking)
    }

    /// The names and texts of the next row or record, as they stand in the file; `None` at its end.
    ///
    /// # Errors
    /// What follows is broken.
    pub fn look(&mut self) -> Result<Option<Vec<(&str, &str)>>, BodyError> {
        let is_next = self.reader.step(&self.mapping);
        if !is_next.map_err(|error| self.located(error))? {
            return Ok(None);
        }
        let RecordReader {
            window,
            record,
            current,
            ..
        } = &self.reader;
        let element = window.bytes().get(..*current).unwrap_or_default();
        Ok(Some(record.texts(element).collect()))
    }

    /// As [`RecordReader::next`].
    #[expect(
        clippy::should_implement_trait,
        reason = "the record borrows the reader, which an iterator's item cannot"
    )]
    pub fn next(&mut self) -> Result<Option<ParsedRecord<'_>>, BodyError> {
        let is_next = self.reader.step(&self.mapping);
        if !is_next.map_err(|error| self.located(error))? {
            return Ok(None);
        }
        let RecordReader {
            window,
            record,
            current,
            kind,
            ..
        } = &mut self.reader;
        let element = window.bytes().get(..*current).unwrap_or_default();
        let is_named = *kind == BodyKind::Csv;
        let is_of_people = !matches!(self.kind, FileKind::Strict(_));
        Ok(Some(record.check_mapped(
            element,
            &self.mapping,
            is_named,
            is_of_people,
        )))
    }

    /// The error with the line that people find it in.
    fn located(&self, error: BodyError) -> BodyError {
        match error {
            BodyError::Syntax { offset, detail } if self.reader.kind == BodyKind::Csv => {
                let line = self.reader.csv.line;
                BodyError::Syntax {
                    offset,
                    detail: format!("{detail}, in line {line}"),
                }
            }
            error => error,
        }
    }

    /// As [`RecordReader::pointer_prefix`].
    pub fn pointer_prefix(&self) -> &'static str {
        self.reader.pointer_prefix()
    }

    /// What stands in the last record where one of this name came from.
    pub fn text_of(&self, name: &str) -> Option<&str> {
        let RecordReader {
            window,
            record,
            current,
            kind,
            ..
        } = &self.reader;
        let [docid, phone] = self.mapping.wanted();
        let name = match name {
            _ if *kind == BodyKind::Csv => name,
            "docid" => docid,
            "phone" => phone,
            field => field,
        };
        record.text_of(name, window.bytes().get(..*current).unwrap_or_default())
    }

    /// As [`RecordReader::row`].
    pub fn row(&self) -> Option<u64> {
        self.reader.row()
    }

    /// The names of the columns, once the header was read; of JSON there are none.
    pub fn columns(&self) -> &[String] {
        &self.reader.csv.columns
    }

    /// How the file is written, as far as it was read: of CSV that may be written in several ways.
    pub fn dialect(&self) -> Option<Dialect> {
        let csv = &self.reader.csv;
        (self.kind == FileKind::AnyCsv).then(|| Dialect {
            delimiter: csv.delimiter(),
            encoding: if csv.is_foreign {
                "windows-1252"
            } else {
                self.encoding
            },
        })
    }
}

#[cfg(test)]
mod tests;
