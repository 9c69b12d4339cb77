//! A CSV row cut into cells: RFC 4180, strictly, or with another delimiter and quotes within cells.
//!
//! The `csv` crate accepts broken quoting and does not bound a row, so a strict reader would have to look at every byte
//! before it. The tests compare with the crate.

use super::Broken;

/// Where a cell is in its row, without the quotes around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) start: usize,
    pub(super) len: usize,
    /// It holds doubled quotes, each of which stands for one.
    pub(super) doubled: bool,
}

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RowFormat {
    /// What separates the cells.
    pub(super) delimiter: u8,
    /// A cell that does not begin with a quote may hold some.
    pub(super) has_free_quotes: bool,
}

/// The bytes of a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RowSize {
    /// Without the line break that ends it.
    pub(super) len: usize,
    pub(super) with_end: usize,
    /// How many cells it has.
    pub(super) width: usize,
}

impl Cell {
    /// Its bytes, in those of its row.
    pub(super) fn bytes(self, row: &[u8]) -> &[u8] {
        row.get(self.start..self.start + self.len)
            .unwrap_or_default()
    }
}

/// Cuts the row at the front of `bytes` into cells and keeps the first `keep`; `None` if its end is not among the bytes
/// and more may come (`ended` is false). An empty row has one empty cell. Only the last row may have no line break.
pub(super) fn split(
    bytes: &[u8],
    ended: bool,
    format: RowFormat,
    keep: usize,
    cells: &mut Vec<Cell>,
) -> Result<Option<RowSize>, Broken> {
    cells.clear();
    let mut start = 0;
    let mut width = 0;
    loop {
        let (cell, after) = match bytes.get(start) {
            Some(b'"') => match quoted(bytes, start) {
                Some(found) => found,
                None if ended => return broken(start, "a quote is left open"),
                None => return Ok(None),
            },
            _ => unquoted(bytes, start, format),
        };
        width += 1;
        if width <= keep {
            cells.push(cell);
        }
        let end = |len| {
            Ok(Some(RowSize {
                len: after,
                with_end: after + len,
                width,
            }))
        };
        match (bytes.get(after), bytes.get(after + 1)) {
            (Some(&byte), _) if byte == format.delimiter => start = after + 1,
            (Some(b'\n'), _) => return end(1),
            (Some(b'\r'), Some(b'\n')) => return end(2),
            (None, _) if ended => return end(0),
            (None, _) => return Ok(None),
            (Some(b'\r'), None) if !ended => return Ok(None),
            (Some(b'\r'), _) => {
                return broken(
                    after,
                    "a carriage return without a line feed outside quotes",
                );
            }
            (Some(b'"'), _) => return broken(after, "a quote within a cell that is not quoted"),
            (Some(_), _) => return broken(after, "text after a closing quote"),
        }
    }
}

fn broken<T>(at: usize, detail: &'static str) -> Result<T, Broken> {
    Err(Broken::new(at, detail))
}

/// The cell that begins with the quote at `open`, and the offset after its closing quote; `None` if that is not among
/// the bytes.
fn quoted(bytes: &[u8], open: usize) -> Option<(Cell, usize)> {
    let start = open + 1;
    let mut doubled = false;
    let mut from = start;
    loop {
        let quote = from + memchr::memchr(b'"', bytes.get(from..)?)?;
        if bytes.get(quote + 1) == Some(&b'"') {
            doubled = true;
            from = quote + 2;
        } else {
            let cell = Cell {
                start,
                len: quote - start,
                doubled,
            };
            return Some((cell, quote + 1));
        }
    }
}

/// The cell at `start`, and the offset after it.
fn unquoted(bytes: &[u8], start: usize, format: RowFormat) -> (Cell, usize) {
    let rest = bytes.get(start..).unwrap_or_default();
    let special = |byte: &u8| {
        *byte == format.delimiter
            || matches!(byte, b'\n' | b'\r')
            || *byte == b'"' && !format.has_free_quotes
    };
    let len = rest.iter().position(special).unwrap_or(rest.len());
    let cell = Cell {
        start,
        len,
        doubled: false,
    };
    (cell, start + len)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RFC_4180: RowFormat = RowFormat {
        delimiter: b',',
        has_free_quotes: false,
    };

    /// All rows that are not blank, or why there are none.
    fn rows(body: &str) -> Result<Vec<Vec<String>>, Broken> {
        let (mut rest, mut rows) = (body, Vec::new());
        while !rest.is_empty() {
            let mut cells = Vec::new();
            let Some(row) = split(rest.as_bytes(), true, RFC_4180, usize::MAX, &mut cells)? else {
                panic!("the body has ended")
            };
            assert_eq!(cells.len(), row.width);
            if row.len > 0 {
                let text =
                    |cell: &Cell| rest[cell.start..cell.start + cell.len].replace("\"\"", "\"");
                rows.push(cells.iter().map(text).collect());
            }
            rest = &rest[row.with_end..];
        }
        Ok(rows)
    }

    #[test]
    fn cells_beyond_those_kept_are_counted() {
        let mut cells = Vec::new();
        let row = split(b"a,b,\"c\",d\n", false, RFC_4180, 2, &mut cells)
            .unwrap()
            .unwrap();
        assert_eq!(
            (row.len, row.with_end, row.width, cells.len()),
            (9, 10, 4, 2)
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn what_is_accepted_falls_into_the_cells_that_the_csv_crate_sees(body in "[ab,,\"\"\n\r]{0,14}") {
            if let Ok(rows) = rows(&body) {
                let mut reader = csv::ReaderBuilder::new()
                    .has_headers(false)
                    .flexible(true)
                    .from_reader(body.as_bytes());
                let expected: Vec<Vec<String>> = reader
                    .records()
                    .map(|row| row.unwrap().iter().map(str::to_owned).collect())
                    .collect();
                prop_assert_eq!(rows, expected);
            }
        }

        #[test]
        fn a_row_that_is_not_complete_is_never_cut(body in "[ab,\"\n\r]{0,14}", at: prop::sample::Index) {
            let mut cells = Vec::new();
            let whole = split(body.as_bytes(), true, RFC_4180, usize::MAX, &mut cells);
            let part = &body.as_bytes()[..at.index(body.len() + 1)];
            match split(part, false, RFC_4180, usize::MAX, &mut cells) {
                Ok(None) => {}
                found => prop_assert_eq!(found, whole),
            }
        }
    }
}
