//! Answers in CSV: RFC 4180, and no cell that a spreadsheet would run.

use std::borrow::Cow;

use csv::{Terminator, Writer, WriterBuilder};
use domain::text::is_unseen;

/// With what a formula begins; those of full width are typed where Chinese and Japanese are.
const SIGNS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// A text as a cell. Each of the signs that begins one (after any `'`, blanks and what is not seen) gets one `'` before it, so that no spreadsheet
/// takes it for a formula. One begins at the start and behind what a spreadsheet of another locale splits at. The rule can be
/// undone: each such sign loses one `'`. What is a number as a whole stays.
pub fn cell<'a>(text: impl Into<Cow<'a, str>>) -> Cow<'a, str> {
    let text = text.into();
    if !text.contains(SIGNS) || is_number(&text) {
        return text;
    }
    let mut safe = String::with_capacity(text.len() + 1);
    let mut begins = true;
    for char in text.chars() {
        match char {
            sign if begins && SIGNS.contains(&sign) => {
                safe.push('\'');
                begins = false;
            }
            ';' | ',' | '"' | '\t' | '\n' | '\r' => begins = true,
            blank if blank == '\'' || blank.is_whitespace() || is_unseen(blank) => {}
            _ => begins = false,
        }
        safe.push(char);
    }
    Cow::Owned(safe)
}

/// Whether it is `[-+]?\d+(\.\d+)?`.
fn is_number(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    match unsigned.split_once('.') {
        Some((whole, fraction)) => digits(whole) && digits(fraction),
        None => digits(unsigned),
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
    use proptest::prelude::*;

    use super::*;

    const SPLITS: [char; 6] = [';', ',', '"', '\t', '\n', '\r'];

    /// What a reader who knows the rule does.
    fn undo(cell: &str) -> String {
        let pieces = cell.split_inclusive(SPLITS).map(|piece| {
            let rest = piece.trim_start_matches(['\'', ' ']);
            let before = piece.strip_suffix(rest).unwrap_or_default();
            match before.strip_suffix('\'') {
                Some(before) if rest.starts_with(SIGNS) => format!("{before}{rest}"),
                _ => piece.to_owned(),
            }
        });
        pieces.collect()
    }

    #[test]
    fn cells_that_a_spreadsheet_would_run_are_disarmed() {
        for (text, safe) in [
            ("=1+1", "'=1+1"),
            ("+49 1", "'+49 1"),
            ("-a", "'-a"),
            ("@x", "'@x"),
            ("\t=x", "\t'=x"),
            ("'=1", "''=1"),
            ("''@", "'''@"),
            ("a;=1+1", "a;'=1+1"),
            ("{\"a\":\"=1\"}", "{\"a\":\"'=1\"}"),
            ("1;-2", "1;'-2"),
            (" \u{a0}=1", " \u{a0}'=1"),
            ("a; @x", "a; '@x"),
            ("＝1", "'＝1"),
            ("\u{feff}=1", "\u{feff}'=1"),
            ("a;\u{200b}@x", "a;\u{200b}'@x"),
        ] {
            assert_eq!(cell(text), safe);
        }
        for text in ["", "A1", "1-2", "'quoted'", "'", "\nx", "-1", "+49", "-1.5"] {
            assert_eq!(cell(text), text);
        }
    }

    proptest! {
        #[test]
        fn no_piece_is_a_formula_and_the_rule_can_be_undone(text in "[=+@＝\\-';,\"\t\n\r1.a ]{0,12}") {
            let safe = cell(text.as_str());
            prop_assert_eq!(undo(&safe), text.as_str());
            let is_safe = |piece: &str| !piece.trim_matches(['"', ' ']).starts_with(SIGNS);
            prop_assert!(is_number(&safe) || [';', ',', '\t'].iter().all(|at| safe.split(*at).all(is_safe)));
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
