//! The CSV body: RFC 4180 with a comma, rows ended by CRLF or LF, the last end optional, blank lines skipped.
//!
//! The header gives the names, `docid` and `phone` among them, in any order; an empty cell is no member of
//! its record. `row` cuts a row into cells.

use std::io::Read;

use super::raw::{Span, Unescaped, as_text};
use super::row::{self, Cell, Row};
use super::window::Window;
use super::{BodyError, Broken};
use crate::record::{BrokenRecord, COLUMNS, Column, Member, Parsed, RecordCode, Value, check};

/// Far more than all names that a record may have take.
const MAX_HEADER_BYTES: usize = 1 << 20;

pub(super) struct Csv<R> {
    window: Window<R>,
    /// The names, once the header is read.
    header: Vec<Box<str>>,
    /// Of the current row, as many as the header has.
    cells: Vec<Cell>,
    /// The cells that are not empty, by their column.
    members: Vec<(usize, Span)>,
    unescaped: Unescaped,
    /// The fields of the current record.
    fields: Vec<u8>,
    current: Row,
}

impl<R: Read> Csv<R> {
    pub(super) fn new(window: Window<R>) -> Self {
        Self {
            window,
            header: Vec::new(),
            cells: Vec::new(),
            members: Vec::new(),
            unescaped: Unescaped::default(),
            fields: Vec::new(),
            current: Row::default(),
        }
    }

    pub(super) fn next(&mut self) -> Result<Option<Parsed<'_>>, BodyError> {
        if self.header.is_empty() {
            self.read_header()?;
        }
        if !self.advance()? {
            return Ok(None);
        }
        self.window.index += 1;
        Ok(Some(self.check()))
    }

    fn check(&mut self) -> Parsed<'_> {
        let (header, unescaped) = (&self.header, &self.unescaped);
        let row = row_text(&self.window, self.current);
        let members = self.members.iter().map(move |(column, span)| Member {
            name: header.get(*column).map_or("", |name| name),
            value: Value::Text(span.text(row, unescaped)),
        });
        if self.current.width == header.len() {
            return check(members, &mut self.fields);
        }
        let docid = members.clone().find_map(|member| match member {
            Member {
                name: "docid",
                value: Value::Text(text),
            } => Some(text),
            _ => None,
        });
        let (width, wanted) = (self.current.width, header.len());
        let detail = format!("the row has {width} cells, the header {wanted}");
        Err(BrokenRecord::whole(docid, RecordCode::RowWidth, detail))
    }

    fn read_header(&mut self) -> Result<(), BodyError> {
        self.window.skip_mark()?;
        if !self.advance()? {
            return Err(self.window.syntax(0, "the header is missing"));
        }
        let row = row_text(&self.window, self.current);
        let mut header = vec![Box::<str>::default(); self.current.width];
        for (column, span) in &self.members {
            if let Some(name) = header.get_mut(*column) {
                *name = span.text(row, &self.unescaped).into();
            }
        }
        let mut columns: Vec<(&str, usize)> = header.iter().map(|name| &**name).zip(0..).collect();
        columns.sort_unstable();
        if let Some(twice) = columns.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let at = self.cells.get(twice[1].1).map_or(0, |cell| cell.start);
            return Err(self.window.syntax(at, "the header has a name twice"));
        }
        for Column { name, .. } in COLUMNS.iter().filter(|column| column.is_required) {
            if columns
                .binary_search_by(|column| column.0.cmp(name))
                .is_err()
            {
                let detail = format!("the header has no column {name}");
                return Err(self.window.syntax(0, detail));
            }
        }
        self.header = header;
        Ok(())
    }

    /// Steps to the next row that is not blank and cuts it into cells; false at the end.
    fn advance(&mut self) -> Result<bool, BodyError> {
        self.window.consume(self.current.with_end);
        self.current = Row::default();
        loop {
            let row = self.row()?;
            if row.len > 0 {
                self.current = row;
                self.collect()?;
                return Ok(true);
            }
            if row.with_end == 0 {
                return Ok(false);
            }
            self.window.consume(row.with_end);
        }
    }

    /// Cuts the row at the front into cells.
    fn row(&mut self) -> Result<Row, BodyError> {
        let width = self.header.len();
        let in_header = width == 0;
        let keep = if in_header { usize::MAX } else { width };
        let mut row = Row::default();
        self.window.find(|bytes, ended| {
            let found = row::split(bytes, ended, keep, &mut self.cells)?;
            if in_header && found.map_or(bytes.len(), |row| row.len) > MAX_HEADER_BYTES {
                return Err(Broken::new(0, "the header is too long"));
            }
            row = found.unwrap_or_default();
            Ok(found.map(|row| row.len))
        })?;
        Ok(row)
    }

    /// Takes the members from the cells of the current row.
    fn collect(&mut self) -> Result<(), BodyError> {
        self.members.clear();
        self.unescaped.clear();
        let bytes = self
            .window
            .bytes()
            .get(..self.current.len)
            .unwrap_or_default();
        let row = str::from_utf8(bytes)
            .map_err(|bad| self.window.syntax(bad.valid_up_to(), "invalid UTF-8"))?;
        for (column, cell) in self.cells.iter().enumerate() {
            let mut span = Span::in_element(cell.start, cell.len);
            if cell.doubled {
                let text = span.text(row, &self.unescaped).replace("\"\"", "\"");
                span = self.unescaped.add(&text);
            }
            if !span.is_empty() {
                self.members.push((column, span));
            }
        }
        Ok(())
    }
}

/// The text of the row at the front of the window.
fn row_text<R: Read>(window: &Window<R>, row: Row) -> &str {
    as_text(window.bytes().get(..row.len).unwrap_or_default())
}
