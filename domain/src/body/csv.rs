//! The CSV body: RFC 4180 with a comma, rows ended by CRLF or LF, the last end optional, blank lines skipped.
//!
//! The header gives the names, `docid` and `phone` among them, in any order; an empty cell is no member of
//! its record. `row` cuts a row into cells. A file as people have them may be written otherwise (`dialect`, [`super::mapping`]).

use std::borrow::Cow;
use std::io::Read;

use super::dialect::{self, COMMA, lenient};
use super::mapping::Mapping;
use super::raw::{RawRecord, RawValue, Span};
use super::row::{self, Cell, RowFormat, RowSize};
use super::window::Window;
use super::{BodyError, Broken};
use crate::record::RecordCode;

/// Far more bytes than all names of a record may take.
const MAX_HEADER_BYTES: usize = 1 << 20;

/// How strictly a CSV body is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Written {
    /// By the letter.
    #[default]
    Strictly,
    /// As people have their files.
    Freely,
    /// As the rows of a sheet, each a row here, with commas.
    Sheet,
}

pub(super) struct Csv {
    written: Written,
    delimiter: u8,
    /// The names that the file has for its columns, once the header is read.
    pub(super) columns: Vec<String>,
    /// For each column of the file the names of a record, which the record keeps: none if it is left out, two if it is docid and
    /// phone.
    names: Vec<Vec<Span>>,
    /// The cells of the current row, as many as the header has.
    cells: Vec<Cell>,
    /// The line of the file, or the row of the sheet, at which the current row begins, from 1.
    pub(super) line: u64,
    next_line: u64,
    /// The current row as a spreadsheet shows it, from 1: that of the header, and blank ones, are counted, a line that names the
    /// delimiter is not.
    pub(super) row: u64,
    /// The file may lack the columns of a record.
    pub(super) is_looked_at: bool,
    /// Whether somebody asks for the line.
    pub(super) counts_lines: bool,
    /// A row was no UTF-8.
    pub(super) is_foreign: bool,
}

impl Csv {
    pub(super) fn new(written: Written) -> Self {
        Self {
            written,
            delimiter: COMMA,
            columns: Vec::new(),
            names: Vec::new(),
            cells: Vec::new(),
            line: 1,
            next_line: 1,
            row: 0,
            is_looked_at: false,
            counts_lines: false,
            is_foreign: false,
        }
    }

    pub(super) fn delimiter(&self) -> char {
        self.delimiter.into()
    }

    fn is_strict(&self) -> bool {
        self.written == Written::Strictly
    }

    /// Steps to the next row that is not blank, reads it and returns its length with its end; `None` at the end.
    pub(super) fn next<R: Read>(
        &mut self,
        window: &mut Window<R>,
        record: &mut RawRecord,
        mapping: &Mapping,
    ) -> Result<Option<usize>, BodyError> {
        if self.columns.is_empty() {
            self.read_header(window, record, mapping)?;
        }
        let Some(row) = self.row(window)? else {
            return Ok(None);
        };
        record.clear();
        record.fault = None;
        let bytes = window.bytes().get(..row.len).unwrap_or_default();
        match str::from_utf8(bytes) {
            Ok(text) => self.add(record, text),
            Err(bad) if self.is_strict() => {
                return Err(window.syntax(bad.valid_up_to(), "invalid UTF-8"));
            }
            Err(_) => self.add_foreign(record, bytes),
        }
        let (width, wanted) = (row.width, self.names.len());
        // A sheet has no cells where nothing stands.
        let fits = width == wanted || self.written == Written::Sheet && width < wanted;
        if !fits {
            let detail = format!("the row has {width} cells, the header {wanted}");
            record.fault = Some((RecordCode::RowWidth, detail.into()));
        }
        Ok(Some(row.with_end))
    }

    /// Adds the cells of a row as members.
    fn add(&self, record: &mut RawRecord, row: &str) {
        for (names, cell) in self.names.iter().zip(&self.cells) {
            let cell = if self.is_strict() {
                *cell
            } else {
                trimmed(row, *cell)
            };
            if cell.len > 0 && !names.is_empty() {
                let value = match content(row, cell) {
                    Cow::Borrowed(_) => Span::in_element(cell.start, cell.len),
                    Cow::Owned(text) => record.unescaped.add(&text),
                };
                for name in names {
                    record.add(*name, RawValue::Text(value));
                }
            }
        }
    }

    /// The same of a row that is no UTF-8.
    fn add_foreign(&mut self, record: &mut RawRecord, row: &[u8]) {
        self.is_foreign = true;
        for (names, cell) in self.names.iter().zip(&self.cells) {
            let text = lenient_content(row, *cell);
            let text = text.trim();
            if !text.is_empty() && !names.is_empty() {
                let value = record.unescaped.add(text);
                for name in names {
                    record.add(*name, RawValue::Text(value));
                }
            }
        }
    }

    fn read_header<R: Read>(
        &mut self,
        window: &mut Window<R>,
        record: &mut RawRecord,
        mapping: &Mapping,
    ) -> Result<(), BodyError> {
        let is_strict = self.is_strict();
        let is_same = move |a: &str, b: &str| a == b || !is_strict && is_same_name(a, b);
        if self.written == Written::Freely {
            self.find_delimiter(window, |name| {
                mapping.wanted().iter().any(|wanted| is_same(name, wanted))
            })?;
        }
        let Some(row) = self.row(window)? else {
            return Err(window.syntax(0, "the header is missing"));
        };
        let bytes = window.bytes().get(..row.len).unwrap_or_default();
        if is_strict && let Err(bad) = str::from_utf8(bytes) {
            return Err(window.syntax(bad.valid_up_to(), "invalid UTF-8"));
        }
        let columns = self.cells.iter().map(|cell| {
            let name = lenient_content(bytes, *cell);
            let name = if is_strict { &*name } else { name.trim() };
            name.to_owned()
        });
        let columns: Vec<String> = columns.collect();
        self.is_foreign |= str::from_utf8(bytes).is_err();
        let names = columns.iter().map(|column| {
            if self.is_looked_at {
                vec![&**column]
            } else {
                mapping.names(column, is_same).collect()
            }
        });
        let names: Vec<Vec<&str>> = names.collect();
        let mut all: Vec<(&str, usize)> = (names.iter().zip(0..))
            .flat_map(|(names, n)| names.iter().map(move |name| (*name, n)))
            // A column without a name has no values, or they are refused one by one.
            .filter(|(name, _)| is_strict || !name.is_empty())
            .collect();
        all.sort_unstable();
        if let Some(twice) = all.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let at = self.cells.get(twice[1].1).map_or(0, |cell| cell.start);
            let detail = match twice[0].0 {
                name @ ("docid" | "phone") if !mapping.is_empty() => {
                    format!("two columns are the {name}: leave one of them out")
                }
                _ => "the header has a name twice".to_owned(),
            };
            return Err(window.syntax(at, detail));
        }
        for (record_name, wanted) in ["docid", "phone"].iter().zip(mapping.wanted()) {
            if !self.is_looked_at && !all.iter().any(|(name, _)| name == record_name) {
                let mut detail = format!("the header has no column {wanted}");
                if is_strict && columns.len() == 1 && columns[0].contains([';', '\t']) {
                    detail += "; columns are separated by commas";
                }
                return Err(window.syntax(0, detail));
            }
        }
        let widths: Vec<usize> = names.iter().map(Vec::len).collect();
        let all: Vec<Cow<'_, str>> = names.into_iter().flatten().map(Cow::Borrowed).collect();
        let mut spans = record.unescaped.keep(&all).into_iter();
        self.names = widths
            .into_iter()
            .map(|width| spans.by_ref().take(width).collect())
            .collect();
        self.columns = columns;
        window.consume(row.with_end);
        Ok(())
    }

    /// Finds out what separates the cells, by the header or by the line before it that says so.
    fn find_delimiter<R: Read>(
        &mut self,
        window: &mut Window<R>,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<(), BodyError> {
        let mut found = COMMA;
        let named_in = window.find(|bytes, ended| {
            let text = bytes.trim_ascii_start();
            let begin = bytes.len() - text.len();
            let end = memchr::memchr(b'\n', text);
            if end.is_none() && !ended && bytes.len() <= MAX_HEADER_BYTES {
                return Ok(None);
            }
            let line = text.get(..end.unwrap_or(text.len())).unwrap_or_default();
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let named = dialect::named(line);
            found = named.unwrap_or_else(|| dialect::delimiter(line, &is_wanted));
            let named_in = end.map_or(bytes.len(), |end| begin + end + 1);
            Ok(Some(if named.is_some() { named_in } else { 0 }))
        })?;
        self.delimiter = found;
        if named_in > 0 {
            let named = window.bytes().get(..named_in).unwrap_or_default();
            self.next_line += memchr::memchr_iter(b'\n', named).count() as u64;
            window.consume(named_in);
        }
        Ok(())
    }

    /// Steps to the next row that is not blank and cuts it into cells; `None` at the end.
    fn row<R: Read>(&mut self, window: &mut Window<R>) -> Result<Option<RowSize>, BodyError> {
        let in_header = self.columns.is_empty();
        let keep = if in_header {
            usize::MAX
        } else {
            self.names.len()
        };
        let format = RowFormat {
            delimiter: self.delimiter,
            has_free_quotes: self.written == Written::Freely,
        };
        loop {
            let mut row = RowSize::default();
            self.line = self.next_line;
            window.find(|bytes, ended| {
                let found = row::split(bytes, ended, format, keep, &mut self.cells)?;
                if in_header && found.map_or(bytes.len(), |row| row.len) > MAX_HEADER_BYTES {
                    return Err(Broken::new(0, "the header is too long"));
                }
                row = found.unwrap_or_default();
                Ok(found.map(|row| row.len))
            })?;
            if row.with_end == 0 {
                return Ok(None);
            }
            let bytes = window.bytes().get(..row.with_end).unwrap_or_default();
            self.row += 1;
            self.count_lines(bytes);
            let is_blank = |cell: &Cell| cell.bytes(bytes).trim_ascii().is_empty();
            let is_row = match self.written {
                Written::Strictly => row.len > 0,
                Written::Freely | Written::Sheet => {
                    row.width > self.cells.len() || !self.cells.iter().all(is_blank)
                }
            };
            if is_row {
                return Ok(Some(row));
            }
            window.consume(row.with_end);
        }
    }

    /// Counts those of a row.
    fn count_lines(&mut self, row: &[u8]) {
        if self.counts_lines {
            self.next_line += match self.written {
                Written::Sheet => 1,
                Written::Strictly | Written::Freely => {
                    memchr::memchr_iter(b'\n', row).count() as u64
                }
            };
        }
    }
}

/// Whether people take two names for the same.
fn is_same_name(a: &str, b: &str) -> bool {
    a.trim().to_lowercase() == b.trim().to_lowercase()
}

/// A cell without the blanks around its text, which nobody sees in a spreadsheet.
fn trimmed(row: &str, cell: Cell) -> Cell {
    let text = row.get(cell.start..cell.start + cell.len);
    let text = text.unwrap_or_default().trim_start();
    Cell {
        start: cell.start + cell.len - text.len(),
        len: text.trim_end().len(),
        ..cell
    }
}

/// The text of a cell.
fn content(row: &str, cell: Cell) -> Cow<'_, str> {
    let text = row.get(cell.start..cell.start + cell.len);
    undoubled(text.unwrap_or_default().into(), cell)
}

/// The same in a row that need not be UTF-8.
fn lenient_content(row: &[u8], cell: Cell) -> Cow<'_, str> {
    undoubled(lenient(cell.bytes(row)), cell)
}

fn undoubled(text: Cow<'_, str>, cell: Cell) -> Cow<'_, str> {
    if cell.doubled {
        text.replace("\"\"", "\"").into()
    } else {
        text
    }
}
