//! Answers in CSV: RFC 4180, and no cell that a spreadsheet would run.

use std::borrow::Cow;

use csv::{Terminator, Writer, WriterBuilder};

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

/// Writes records behind `out`.
pub fn writer(out: &mut Vec<u8>) -> Writer<&mut Vec<u8>> {
    WriterBuilder::new()
        .terminator(Terminator::CRLF)
        .from_writer(out)
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
    fn cells_are_quoted_as_rfc_4180_wants() {
        let mut out = Vec::new();
        writer(&mut out)
            .write_record(["a,\"b\"\nc", "", "é;'=1", "\r"])
            .unwrap();
        let line = "\"a,\"\"b\"\"\nc\",,é;'=1,\"\r\"\r\n";
        assert_eq!(String::from_utf8(out).unwrap(), line);
    }
}
