//! The CSV body: RFC 4180 with a comma, rows ended by CRLF or LF, the last end optional, blank lines skipped.
//!
//! The header gives the names, `docid` and `phone` among them, in any order; an empty cell is no member of
//! its record. `row` cuts a row into cells.

use std::borrow::Cow;
use std::io::Read;

use super::raw::{RawRecord, RawValue, Span};
use super::row::{self, Cell, RowSize};
use super::window::Window;
use super::{BodyError, Broken};
use crate::record::{COLUMNS, RecordCode};

/// Far more bytes than all names of a record may take.
const MAX_HEADER_BYTES: usize = 1 << 20;

#[derive(Default)]
pub(super) struct Csv {
    /// The names of the columns, which the record keeps, once the header is read.
    header: Vec<Span>,
    /// The cells of the current row, as many as the header has.
    cells: Vec<Cell>,
}

impl Csv {
    /// Steps to the next row that is not blank, reads it and returns its length with its end; `None` at the end.
    pub(super) fn next<R: Read>(
        &mut self,
        window: &mut Window<R>,
        record: &mut RawRecord,
    ) -> Result<Option<usize>, BodyError> {
        if self.header.is_empty() {
            self.read_header(window, record)?;
        }
        let Some(row) = self.row(window)? else {
            return Ok(None);
        };
        record.clear();
        record.fault = None;
        let text = text(window, row)?;
        for (name, cell) in self.header.iter().zip(&self.cells) {
            if cell.len > 0 {
                let value = match content(text, *cell) {
                    Cow::Borrowed(_) => Span::in_element(cell.start, cell.len),
                    Cow::Owned(text) => record.unescaped.add(&text),
                };
                record.add(*name, RawValue::Text(value));
            }
        }
        if row.width != self.header.len() {
            let (width, wanted) = (row.width, self.header.len());
            let detail = format!("the row has {width} cells, the header {wanted}");
            record.fault = Some((RecordCode::RowWidth, detail.into()));
        }
        Ok(Some(row.with_end))
    }

    fn read_header<R: Read>(
        &mut self,
        window: &mut Window<R>,
        record: &mut RawRecord,
    ) -> Result<(), BodyError> {
        let Some(row) = self.row(window)? else {
            return Err(window.syntax(0, "the header is missing"));
        };
        let text = text(window, row)?;
        let names: Vec<_> = self.cells.iter().map(|cell| content(text, *cell)).collect();
        let mut columns: Vec<(&str, usize)> = names.iter().map(|name| &**name).zip(0..).collect();
        columns.sort_unstable();
        if let Some(twice) = columns.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let at = self.cells.get(twice[1].1).map_or(0, |cell| cell.start);
            return Err(window.syntax(at, "the header has a name twice"));
        }
        let mut required = COLUMNS.iter().filter(|column| column.is_required());
        if let Some(missing) = required.find(|column| !names.iter().any(|n| n == column.name)) {
            let mut detail = format!("the header has no column {}", missing.name);
            if names.len() == 1 && names[0].contains([';', '\t']) {
                detail += "; columns are separated by commas";
            }
            return Err(window.syntax(0, detail));
        }
        self.header = record.unescaped.keep(&names);
        window.consume(row.with_end);
        Ok(())
    }

    /// Steps to the next row that is not blank and cuts it into cells; `None` at the end.
    fn row<R: Read>(&mut self, window: &mut Window<R>) -> Result<Option<RowSize>, BodyError> {
        let in_header = self.header.is_empty();
        let keep = if in_header {
            usize::MAX
        } else {
            self.header.len()
        };
        loop {
            let mut row = RowSize::default();
            window.find(|bytes, ended| {
                let found = row::split(bytes, ended, keep, &mut self.cells)?;
                if in_header && found.map_or(bytes.len(), |row| row.len) > MAX_HEADER_BYTES {
                    return Err(Broken::new(0, "the header is too long"));
                }
                row = found.unwrap_or_default();
                Ok(found.map(|row| row.len))
            })?;
            if row.len > 0 {
                return Ok(Some(row));
            }
            if row.with_end == 0 {
                return Ok(None);
            }
            window.consume(row.with_end);
        }
    }
}

/// The text of the row at the front of the window.
fn text<R: Read>(window: &Window<R>, row: RowSize) -> Result<&str, BodyError> {
    let bytes = window.bytes().get(..row.len).unwrap_or_default();
    str::from_utf8(bytes).map_err(|bad| window.syntax(bad.valid_up_to(), "invalid UTF-8"))
}

/// The text of a cell.
fn content(row: &str, cell: Cell) -> Cow<'_, str> {
    let text = row.get(cell.start..cell.start + cell.len);
    let text = text.unwrap_or_default();
    if cell.doubled {
        text.replace("\"\"", "\"").into()
    } else {
        text.into()
    }
}
