use std::io::{self, Read};

use proptest::prelude::*;
use serde_json::Value;

use super::*;

const A: &str = r#"{"docid":"A1","phone":"+491701234521"}"#;
const B: &str = r#" { "docid" : "A2" , "phone" : "+491701234521" , "city" : "K\u00f6ln" } "#;

#[test]
fn each_line_is_a_record_and_blank_lines_are_skipped() {
    for body in [
        format!("{A}\n{B}\n"),
        format!("\u{feff}{A}\r\n\r\n \t\n{B}"),
        format!("\n\n{A}\n{B}\n\n  "),
    ] {
        let records = records(BodyKind::Ndjson, body.as_bytes());
        assert_eq!(
            verdicts(&records),
            [Ok("A1".to_owned()), Ok("A2".to_owned())]
        );
        assert_eq!(
            fields(&records[1]),
            [("city".to_owned(), "Köln".to_owned())]
        );
    }
}

#[test]
fn a_body_without_lines_has_no_records() {
    for body in ["", "\n", " \r\n\t", "\u{feff}", "\u{feff}\n"] {
        assert!(records(BodyKind::Ndjson, body.as_bytes()).is_empty());
    }
}

#[test]
fn a_line_that_is_no_object_is_a_broken_record() {
    let body = format!("1\n[{A}]\nnull\n{A}");
    let not = || Err(vec![RecordCode::NotAnObject]);
    assert_eq!(
        verdicts(&records(BodyKind::Ndjson, body.as_bytes())),
        [not(), not(), not(), Ok("A1".to_owned())]
    );
}

#[test]
fn a_broken_line_is_refused_at_its_offset_in_the_body() {
    for (body, offset) in [
        ("{}\n{\n\"a\":1}", 4),
        ("{}\n{} {}\n", 6),
        ("{}\n\u{c}\n", 3),
        ("\u{feff}\n x", 5),
        ("1\n2\n[1,]", 7),
    ] {
        assert_eq!(
            broken_at(BodyKind::Ndjson, body.as_bytes()).0,
            offset,
            "{body:?}"
        );
    }
}

#[test]
fn a_line_may_nest_as_deep_as_a_document() {
    for depth in [126, 127, 128, 129] {
        let line = "[".repeat(depth) + &"]".repeat(depth);
        let whole = serde_json::from_str::<Value>(&line);
        let ours = read(BodyKind::Ndjson, line.as_bytes(), 16, &[5]);
        assert_eq!(ours.is_ok(), whole.is_ok(), "{depth}");
    }
}

#[test]
fn a_line_over_the_limit_is_refused_before_it_ends() {
    let endless = b"{}\n{\"docid\":\"".chain(io::repeat(b'x'));
    let mut reader = RecordReader::new(BodyKind::Ndjson, endless);
    assert!(reader.next().is_ok());
    assert!(matches!(
        reader.next(),
        Err(BodyError::RecordTooLarge { index: 1 })
    ));
}

proptest! {
    #[test]
    fn a_line_has_the_verdict_of_serde_json(
        lines in prop::collection::vec(r#"[\[\]{}:, "a0-9.e\\nul-]{0,6}|\{"docid":"[a-z\\"]{0,3}"\}"#, 0..5),
        window in 1_usize..40,
    ) {
        let body = lines.join("\n");
        let whole: Result<Vec<Value>, _> = lines
            .iter()
            .filter(|line| !line.trim().is_empty())
            .map(|line| serde_json::from_str(line))
            .collect();
        match (read(BodyKind::Ndjson, body.as_bytes(), window, &[3, 1]), whole) {
            (Ok((records, _)), Ok(values)) => prop_assert_eq!(records.len(), values.len()),
            (Err(BodyError::Syntax { .. }), Err(_)) => {}
            (seen, whole) => prop_assert!(false, "{seen:?} is not {whole:?}"),
        }
    }
}
