use std::io::{self, Read};

use ::csv::{QuoteStyle, WriterBuilder};
use proptest::prelude::*;

use super::*;

#[test]
fn rows_are_records_by_the_header_in_any_order() {
    for end in ["\n", "\r\n"] {
        for last in ["", end] {
            let rows = [
                "\u{feff}city,phone,docid,\"street, no\"",
                "Köln,+491701234521,A1,\"Am \"\"Hof\"\" 1\"",
                "",
                "\"\",+491701234521,\"A2\",\"two\nlines\"",
            ];
            let body = rows.join(end) + last;
            let records = records(BodyKind::Csv, body.as_bytes());
            assert_eq!(
                verdicts(&records),
                [Ok("A1".to_owned()), Ok("A2".to_owned())]
            );
            let pair = |n: &str, v: &str| (n.to_owned(), v.to_owned());
            assert_eq!(
                fields(&records[0]),
                [pair("city", "Köln"), pair("street, no", "Am \"Hof\" 1")]
            );
            assert_eq!(fields(&records[1]), [pair("street, no", "two\nlines")]);
        }
    }
}

#[test]
fn a_header_alone_has_no_records() {
    for body in ["docid,phone", "phone,docid\n", "\r\ndocid,phone\r\n\r\n"] {
        assert!(records(BodyKind::Csv, body.as_bytes()).is_empty());
    }
}

#[test]
fn a_header_without_a_needed_name_or_with_one_twice_is_refused() {
    for (body, offset) in [
        ("", 0),
        ("\u{feff}\n\n", 5),
        ("docid\n", 0),
        ("\nphone,a\n", 1),
        ("Docid,phone\n", 0),
        ("docid, phone\n", 0),
        ("docid,phone,a,a\n", 14),
        ("docid,phone,\"a\",a\n", 16),
        ("docid,phone,docid\n", 12),
        ("docid,phone,,\n", 13),
    ] {
        assert_eq!(
            broken_at(BodyKind::Csv, body.as_bytes()).0,
            offset,
            "{body:?}"
        );
    }
}

#[test]
fn broken_quoting_and_encoding_are_refused_at_their_offset() {
    for (row, offset, detail) in [
        (&b"\"a,b\n\n"[..], 0, "left open"),
        (b"a,\"b\"\"", 2, "left open"),
        (b"\"a\"b,c", 3, "after a closing quote"),
        (b"\"a\" ,c", 3, "after a closing quote"),
        (b"\"a\"\"b\"\"\"c\"", 8, "after a closing quote"),
        (b"a\"b,c", 1, "not quoted"),
        (b" \"a\",c", 1, "not quoted"),
        (b"a\rb,c", 1, "carriage return"),
        (b"a,b\r", 3, "carriage return"),
        (b"\"a\"\rb,c", 3, "carriage return"),
        (b"a,b\n\xc3\xa9,\xc3,\n", 7, "invalid UTF-8"),
    ] {
        let body = [b"docid,phone\n", row].concat();
        let (at, what) = broken_at(BodyKind::Csv, &body);
        assert!(what.contains(detail), "{what}");
        assert_eq!(at, 12 + offset, "{}", String::from_utf8_lossy(row));
    }
}

#[test]
fn a_row_of_another_width_is_a_broken_record() {
    let body = "phone,docid,x\n+1234567,A1\n+1234567,A2,y,z\n+1234567\n+1234567,A4,\n";
    let records = records(BodyKind::Csv, body.as_bytes());
    let width = || Err(vec![RecordCode::RowWidth]);
    assert_eq!(
        verdicts(&records),
        [width(), width(), width(), Ok("A4".to_owned())]
    );
    let docids: Vec<_> = records
        .iter()
        .map(|parsed| match parsed {
            Err(broken) => {
                assert_eq!(broken.problems[0].pointer, "");
                broken.docid.as_deref()
            }
            Ok(_) => None,
        })
        .collect();
    assert_eq!(docids, [Some("A1"), Some("A2"), None, None]);
}

#[test]
fn an_empty_cell_is_no_member_and_a_bad_name_is_told_where_it_is_used() {
    let long = "n".repeat(65);
    let body = format!("docid,phone,{long}\nA1,+1234567,\nA2,+1234567,x\n,,\n");
    assert_eq!(
        verdicts(&records(BodyKind::Csv, body.as_bytes())),
        [
            Ok("A1".to_owned()),
            Err(vec![RecordCode::FieldNameInvalid]),
            Err(vec![RecordCode::DocidMissing, RecordCode::PhoneMissing]),
        ]
    );
}

#[test]
fn a_row_or_header_over_the_limit_is_refused_before_it_ends() {
    for begin in ["docid,phone\nA1,+1234567\n", "docid,phone\nA1,+1234567\n\""] {
        let endless = begin.as_bytes().chain(io::repeat(b'x'));
        let mut reader = RecordReader::new(BodyKind::Csv, endless);
        assert!(reader.next().is_ok());
        assert!(matches!(
            reader.next(),
            Err(BodyError::RecordTooLarge { index: 1 })
        ));
    }
    let endless = io::repeat(b',');
    let (_, detail) = syntax(drain(RecordReader::new(BodyKind::Csv, endless)));
    assert_eq!(detail, "the header is too long");
}

proptest! {
    #[test]
    fn what_the_csv_crate_writes_is_read(
        rows in prop::collection::vec(prop::collection::vec("[a-c,\"\r\né ]{0,5}", 3), 0..6),
        always: bool,
        window in 1_usize..60,
    ) {
        let style = if always { QuoteStyle::Always } else { QuoteStyle::Necessary };
        let mut writer = WriterBuilder::new().quote_style(style).from_writer(Vec::new());
        writer.write_record(["docid", "a", "b", "c", "phone"]).unwrap();
        for row in &rows {
            let cells = ["A1"].into_iter().chain(row.iter().map(String::as_str)).chain(["+1234567"]);
            writer.write_record(cells).unwrap();
        }
        let body = writer.into_inner().unwrap();
        let (records, _) = read(BodyKind::Csv, &body, window, &[4, 1, 0]).unwrap();
        let seen: Vec<_> = records.iter().map(fields).collect();
        let expected: Vec<Vec<_>> = rows.iter().map(|row| {
            ["a", "b", "c"].into_iter().zip(row)
                .filter(|(_, value)| !value.is_empty())
                .map(|(name, value)| (name.to_owned(), value.clone()))
                .collect()
        }).collect();
        prop_assert_eq!(seen, expected);
    }
}
