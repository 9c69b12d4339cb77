//! The CSV body: RFC 4180 with a comma, rows ended by CRLF or LF, the last end optional, blank lines skipped.
//!
//! The header gives the names, `docid` and `phone` among them, in any order; an empty cell is no member of
//! its record. How a row falls into cells is `row`'s.

use std::io::Read;

use super::draft::{Place, Unescaped, as_text, broken};
use super::row::{self, Broken, Cell, Row};
use super::window::Window;
use super::{BodyError, MAX_RECORD_BYTES};
use crate::docid;
use crate::record::{Given, Member, Parsed, RecordCode, check, cut};

/// Far more than 66 names of 64 bytes take.
const MAX_HEADER_BYTES: usize = 1 << 20;

pub(super) struct Csv<R> {
    window: Window<R>,
    /// The names, once the header is read.
    header: Vec<Box<str>>,
    /// Of the lent row, as many as the header has.
    cells: Vec<Cell>,
    /// The cells that are not empty, by their column.
    members: Vec<(usize, Place)>,
    unescaped: Unescaped,
    /// Bytes of the row that is lent, without and with its end.
    lent: Row,
    index: u64,
}

impl<R: Read> Csv<R> {
    pub(super) fn new(window: Window<R>) -> Self {
        Self {
            window,
            header: Vec::new(),
            cells: Vec::new(),
            members: Vec::new(),
            unescaped: Unescaped::default(),
            lent: Row::default(),
            index: 0,
        }
    }

    pub(super) fn next(&mut self) -> Result<Option<Parsed<'_>>, BodyError> {
        if self.header.is_empty() {
            self.read_header()?;
        }
        if !self.advance()? {
            return Ok(None);
        }
        self.index += 1;
        Ok(Some(self.judge()))
    }

    fn judge(&self) -> Parsed<'_> {
        let row = self.text();
        let own = self.unescaped.as_str();
        let members = self.members.iter().map(move |(column, place)| Member {
            name: self.header.get(*column).map_or("", |name| name),
            value: Given::Text(place.of(row, own)),
        });
        if self.lent.width == self.header.len() {
            return check(members);
        }
        let docid = members.clone().find_map(|member| match member {
            Member {
                name: "docid",
                value: Given::Text(text),
            } => Some(cut(text, docid::MAX_BYTES).to_owned()),
            _ => None,
        });
        let detail = format!(
            "the row has {} cells, the header {}",
            self.lent.width,
            self.header.len()
        );
        broken(docid, RecordCode::RowWidth, &detail)
    }

    fn read_header(&mut self) -> Result<(), BodyError> {
        self.window.skip_mark()?;
        if !self.advance()? {
            return Err(self.window.syntax(0, "the header is missing"));
        }
        let (row, own) = (self.text(), self.unescaped.as_str());
        let mut header = vec![Box::<str>::default(); self.lent.width];
        for (column, place) in &self.members {
            if let Some(name) = header.get_mut(*column) {
                *name = place.of(row, own).into();
            }
        }
        let mut columns: Vec<(&str, usize)> = header.iter().map(|name| &**name).zip(0..).collect();
        columns.sort_unstable();
        if let Some(twice) = columns.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let at = self.cells.get(twice[1].1).map_or(0, |cell| cell.start);
            return Err(self.window.syntax(at, "the header has a name twice"));
        }
        for name in ["docid", "phone"] {
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

    /// The lent row.
    fn text(&self) -> &str {
        as_text(self.window.bytes().get(..self.lent.len).unwrap_or_default())
    }

    /// Steps to the next row that is not blank and cuts it into cells; false at the end.
    fn advance(&mut self) -> Result<bool, BodyError> {
        self.window.consume(self.lent.with_end);
        self.lent = Row::default();
        loop {
            let row = self.row()?;
            if row.len > 0 {
                self.lent = row;
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
        loop {
            let bytes = self.window.bytes();
            let row = row::split(bytes, self.window.ended(), keep, &mut self.cells);
            let row = row.map_err(|Broken { at, detail }| self.window.syntax(at, detail))?;
            let len = row.map_or(bytes.len(), |row| row.len);
            if in_header && len > MAX_HEADER_BYTES {
                return Err(self.window.syntax(0, "the header is too long"));
            }
            if len > MAX_RECORD_BYTES {
                return Err(BodyError::RecordTooLarge { index: self.index });
            }
            if let Some(row) = row {
                return Ok(row);
            }
            self.window.more()?;
        }
    }

    /// Takes the members from the cells of the lent row.
    fn collect(&mut self) -> Result<(), BodyError> {
        self.members.clear();
        self.unescaped.clear();
        let bytes = self.window.bytes().get(..self.lent.len).unwrap_or_default();
        let row = str::from_utf8(bytes)
            .map_err(|bad| self.window.syntax(bad.valid_up_to(), "invalid UTF-8"))?;
        for (column, cell) in self.cells.iter().enumerate() {
            let mut place = Place::in_element(cell.start, cell.len);
            if cell.doubled {
                let text = place.of(row, "").replace("\"\"", "\"");
                place = self.unescaped.add(&text);
            }
            if !place.is_empty() {
                self.members.push((column, place));
            }
        }
        Ok(())
    }
}
