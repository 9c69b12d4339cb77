use std::io::{self, Read};

use serde_json::Value;

use super::*;

const BODY: &str = r#"[
  {"docid": "A1", "phone": "+491701234521", "city": "Köln"},
  {"docid": "A\u0032", "phone": "+4917012345\u0032\u0031", "b": "\"", "a": ""},
  17, null, {"phone": null, "docid": ["A5"], "x": 1e3}
]"#;

fn expected() -> Vec<Result<String, Vec<RecordCode>>> {
    vec![
        Ok("A1".to_owned()),
        Ok("A2".to_owned()),
        Err(vec![RecordCode::NotAnObject]),
        Err(vec![RecordCode::NotAnObject]),
        Err(vec![
            RecordCode::DocidInvalid,
            RecordCode::FieldNotString,
            RecordCode::PhoneMissing,
        ]),
    ]
}

#[test]
fn records_of_a_bare_array_are_read() {
    let records = records(BodyKind::Json, BODY.as_bytes());
    assert_eq!(verdicts(&records), expected());
    let escaped = [("a", ""), ("b", "\"")].map(|(n, v)| (n.to_owned(), v.to_owned()));
    assert_eq!(fields(&records[1]), escaped);
}

#[test]
fn records_of_the_wrapped_form_are_read_and_pointed_to_in_data() {
    for body in [
        format!("{{\"data\": {BODY}}}"),
        format!("\u{feff} {{ \"\\u0064\\u0061\\u0074\\u0061\"\n:{BODY}\r}}\t"),
    ] {
        let (records, prefix) = read(BodyKind::Json, body.as_bytes(), 9, &[2, 5]).unwrap();
        assert_eq!(verdicts(&records), expected());
        assert_eq!(prefix, "/data");
    }
}

#[test]
fn an_empty_array_has_no_records() {
    for body in ["[]", " [ ] ", "{\"data\":[]}", "\u{feff}[]"] {
        assert!(records(BodyKind::Json, body.as_bytes()).is_empty());
    }
}

#[test]
fn another_outer_shape_is_refused() {
    for body in [
        "{}",
        "1",
        "null",
        "\"data\"",
        "{\"data\":{}}",
        "{\"data\":null}",
        "{\"date\":[]}",
        "{\"data\":[],\"more\":1}",
        "{\"more\":1,\"data\":[]}",
        "{\"data\":[],\"data\":[]}",
        "[] []",
        "{\"data\":[]}}",
        "[],",
        "{\"data\":[],}",
        "\u{feff}\u{feff}[]",
    ] {
        broken_at(BodyKind::Json, body.as_bytes());
    }
}

#[test]
fn the_offset_of_a_syntax_error_counts_the_bytes_of_the_body() {
    for (body, offset, detail) in [
        (&b""[..], 0, "the body ends early"),
        (b"\xef\xbb\xbf", 3, "the body ends early"),
        (b"  ", 2, "the body ends early"),
        (b"[", 1, "EOF while parsing a value"),
        (b"[{\"a\":1}", 8, "the body ends early: expected `,` or `]`"),
        (b"[{\"a\":1", 7, "EOF while parsing an object"),
        (b"[1 2]", 3, "expected `,` or `]`"),
        (b"[1,]", 3, "expected value"),
        (b"[,1]", 1, "expected value"),
        (b"[1]x", 3, "trailing characters"),
        (b"{\"data\":[1],", 11, "expected `}`"),
        (b"\xef\xbb\xbf[1,\ntru ]", 10, "expected ident"),
        (b"[\n\n{\"a\":\n\n\"\xc3\xa9\xc3\"}]", 13, "invalid UTF-8"),
        (b"[\"\\u0041\\n\xff\"]", 10, "invalid UTF-8"),
        (b"[\xc3\xa9]", 1, "expected value"),
        (b"[\xe2\x82]", 1, "invalid UTF-8"),
        (b"[\"\\ud800\"]", 8, "unexpected end of hex escape"),
        (b"[\"a\nb\"]", 3, "control character"),
        (b"[01]", 2, "invalid number"),
        (b"[1e999]", 5, "number out of range"),
        (b"[{\"a\" \"b\"}]", 6, "expected `:`"),
    ] {
        let (at, what) = broken_at(BodyKind::Json, body);
        assert!(what.contains(detail), "{what}, not {detail}");
        assert_eq!(at, offset, "{} {what}", String::from_utf8_lossy(body));
    }
}

#[test]
fn a_body_cut_at_any_byte_is_refused() {
    for body in [BODY.to_owned(), format!("{{\"data\":{BODY}}}")] {
        for end in 0..body.len() {
            broken_at(BodyKind::Json, &body.as_bytes()[..end]);
        }
    }
}

#[test]
fn nesting_is_refused_at_the_depth_of_the_whole_document() {
    let arrays = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    let objects = |depth: usize| "{\"a\":".repeat(depth) + "1" + &"}".repeat(depth);
    let mut refused = 0;
    for depth in 120..=130 {
        for inner in [
            arrays(depth),
            objects(depth),
            format!("{{\"docid\":{}}}", arrays(depth)),
        ] {
            for body in [format!("[{inner}]"), format!("{{\"data\":[1,{inner}]}}")] {
                let whole = serde_json::from_str::<Value>(&body);
                let ours = read(BodyKind::Json, body.as_bytes(), 50, &[10]);
                assert_eq!(ours.is_ok(), whole.is_ok(), "{depth} {body}");
                refused += usize::from(whole.is_err());
            }
        }
    }
    assert!((20..60).contains(&refused));
    let (offset, detail) = broken_at(BodyKind::Json, "[".repeat(10_000).as_bytes());
    assert!(
        detail.contains("recursion limit") && offset < 130,
        "{offset} {detail}"
    );
}

#[test]
fn a_docid_of_two_megabytes_is_one_broken_record() {
    let body = format!(
        "[{{\"docid\":\"{}\",\"phone\":\"+1234567\"}},{{\"docid\":\"b\",\"phone\":\"+1234567\"}}]",
        "x".repeat(2 << 20)
    );
    let (records, _) = drain(RecordReader::new(BodyKind::Json, body.as_bytes())).unwrap();
    assert_eq!(
        verdicts(&records),
        [Err(vec![RecordCode::DocidInvalid]), Ok("b".to_owned())]
    );
}

#[test]
fn an_element_over_the_limit_is_refused_before_it_ends() {
    let endless = b"[1,2,{\"docid\":\"".chain(io::repeat(b'x'));
    let mut reader = RecordReader::new(BodyKind::Json, endless);
    assert!(reader.next().is_ok() && reader.next().is_ok());
    assert!(matches!(
        reader.next(),
        Err(BodyError::RecordTooLarge { index: 2 })
    ));
}

#[test]
fn a_record_of_endless_members_is_one_broken_record() {
    let body = format!("[{{\"docid\":\"A1\"{}}},0]", ",\"\":1".repeat(100_000));
    let records = records(BodyKind::Json, body.as_bytes());
    assert_eq!(
        verdicts(&records),
        [
            Err(vec![RecordCode::TooManyFields]),
            Err(vec![RecordCode::NotAnObject])
        ]
    );
}

#[test]
fn endless_white_space_takes_no_memory() {
    let blanks = || io::repeat(b' ').take(3 << 20);
    let body = blanks()
        .chain(&b"["[..])
        .chain(blanks())
        .chain(&b"1,"[..])
        .chain(blanks())
        .chain(&b"2"[..])
        .chain(blanks())
        .chain(&b"]"[..])
        .chain(blanks());
    assert_eq!(
        drain(RecordReader::new(BodyKind::Json, body))
            .unwrap()
            .0
            .len(),
        2
    );
}

#[test]
fn members_that_mean_something_to_serde_json_are_members_like_others() {
    for name in [
        "$serde_json::private::RawValue",
        "$serde_json::private::Number",
    ] {
        let body = format!(r#"[{{"{name}":"x","docid":"A1","phone":"+1234567"}}]"#);
        let records = records(BodyKind::Json, body.as_bytes());
        assert_eq!(fields(&records[0]), [(name.to_owned(), "x".to_owned())]);
    }
}
