//! Answers in CSV: RFC 4180, and no cell that a spreadsheet would run.

use std::borrow::Cow;

/// A text as a cell. One whose first character after any `'` is `=`, `+`, `-`, `@`, tab or CR gets one `'` before it,
/// so that no spreadsheet takes it for a formula and the rule can be undone: such a cell loses its first `'`.
/// Numbers are not texts.
pub fn cell<'a>(text: impl Into<Cow<'a, str>>) -> Cow<'a, str> {
    let text = text.into();
    let plain = text.trim_start_matches('\'');
    if plain.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        Cow::Owned(format!("'{text}"))
    } else {
        text
    }
}

/// Appends a cell as it is, quoted if it must be.
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
    fn cells_are_quoted_as_the_csv_crate_quotes_them() {
        for text in [
            "", "a", "a,b", "\"", "a\"\"b\"", "\n", "\r", "é,ü", "'=1", "\",\"",
        ] {
            let mut writer = csv::WriterBuilder::new()
                .terminator(csv::Terminator::CRLF)
                .from_writer(Vec::new());
            writer.write_record(["x", text]).unwrap();
            let mut out = b"x,".to_vec();
            write_cell(&mut out, text.as_bytes());
            out.extend_from_slice(b"\r\n");
            assert_eq!(writer.into_inner().unwrap(), out, "{text}");
        }
    }

    #[test]
    fn cells_are_quoted_as_rfc_4180_wants() {
        let mut out = Vec::new();
        write_cell(&mut out, b"a,\"b\"\nc");
        assert_eq!(out, b"\"a,\"\"b\"\"\nc\"");
    }
}
