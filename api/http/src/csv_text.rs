//! Answers in CSV: RFC 4180, and no cell that a spreadsheet would run.

use std::borrow::Cow;

use bytes::Bytes;

/// The media type, with what RFC 4180 leaves open.
pub const TEXT_CSV: &str = "text/csv; charset=utf-8; header=present";

/// A text as a cell. One whose first character after any `'` is `=`, `+`, `-`, `@`, tab or CR gets one `'` before it,
/// so that no spreadsheet takes it for a formula and the rule can be undone: such a cell loses its first `'`.
/// Numbers are not texts.
pub fn cell(text: &str) -> Cow<'_, str> {
    disarm(Cow::Borrowed(text))
}

/// [`cell`] of a text that is at hand already.
pub fn disarm(text: Cow<'_, str>) -> Cow<'_, str> {
    if text
        .trim_start_matches('\'')
        .starts_with(['=', '+', '-', '@', '\t', '\r'])
    {
        Cow::Owned(format!("'{text}"))
    } else {
        text
    }
}

/// Appends a cell as it is, quoted if it must be. For long answers: [`Lines`] copies each cell twice.
pub fn write_cell(out: &mut Vec<u8>, cell: &[u8]) {
    let special = |byte: &u8| matches!(byte, b'"' | b',' | b'\r' | b'\n');
    if !cell.iter().any(special) {
        out.extend_from_slice(cell);
        return;
    }
    out.push(b'"');
    for part in cell.split_inclusive(|byte| *byte == b'"') {
        out.extend_from_slice(part);
        if part.ends_with(b"\"") {
            out.push(b'"');
        }
    }
    out.push(b'"');
}

/// Lines, each of so many cells.
pub struct Lines(csv::Writer<Vec<u8>>);

impl Default for Lines {
    fn default() -> Self {
        let writer = csv::WriterBuilder::new()
            .terminator(csv::Terminator::CRLF)
            .from_writer(Vec::new());
        Self(writer)
    }
}

impl Lines {
    /// Adds a line of cells, which are written as they are but for quotes.
    pub fn push<const N: usize>(&mut self, cells: [&str; N]) {
        // A Vec takes every byte; lines differ in width only between types.
        let _ = self.0.write_record(cells);
    }

    pub fn into_bytes(self) -> Bytes {
        Bytes::from(self.0.into_inner().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a reader who knows the rule does.
    fn undo(cell: &str) -> &str {
        match cell.strip_prefix('\'') {
            Some(rest) if super::cell(rest) != rest => rest,
            _ => cell,
        }
    }

    #[test]
    fn cells_that_a_spreadsheet_would_run_are_disarmed() {
        for (text, safe) in [
            ("=1+1", "'=1+1"),
            ("+49", "'+49"),
            ("-1", "'-1"),
            ("@x", "'@x"),
            ("\tx", "'\tx"),
            ("\rx", "'\rx"),
            ("'=1", "''=1"),
            ("''@", "'''@"),
        ] {
            assert_eq!(cell(text), safe);
        }
    }

    #[test]
    fn other_cells_stay_and_the_rule_can_be_undone() {
        for text in [
            "", "A1", "1-2", "'quoted'", " =x", "é", "'", "=1", "'=1", "''=1", "'a",
        ] {
            assert_eq!(undo(&cell(text)), text);
        }
        for text in ["", "A1", "1-2", "'quoted'", "'", "\nx"] {
            assert_eq!(cell(text), text);
        }
    }

    #[test]
    fn a_cell_is_quoted_as_a_line_quotes_it() {
        for text in [
            "", "a", "a,b", "\"", "a\"\"b\"", "\n", "\r", "é,ü", "'=1", "\",\"",
        ] {
            let mut lines = Lines::default();
            lines.push(["x", text]);
            let mut out = b"x,".to_vec();
            write_cell(&mut out, text.as_bytes());
            out.extend_from_slice(b"\r\n");
            assert_eq!(lines.into_bytes(), out, "{text}");
        }
    }

    #[test]
    fn lines_are_quoted_as_rfc_4180_wants() {
        let mut lines = Lines::default();
        lines.push(["index", "docid"]);
        lines.push(["1", "a,\"b\"\nc"]);
        assert_eq!(
            lines.into_bytes(),
            "index,docid\r\n1,\"a,\"\"b\"\"\nc\"\r\n"
        );
    }
}
