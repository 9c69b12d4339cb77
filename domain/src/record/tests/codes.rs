use strum::VariantArray;

use super::*;
use crate::docid::DocId;
use crate::invalid::MAX_PROBLEMS;
use crate::record::{KeptError, RecordError};

const PHONE: Value = Value::Text("+491701234521");

#[test]
fn a_valid_record_has_its_fields_sorted_by_name() {
    let fields = judge(&[
        ("b", Value::Text("2")),
        ("phone", PHONE),
        ("B", Value::Text("")),
        ("docid", Value::Text("A1")),
        ("a", Value::Text("1")),
    ]);
    assert_eq!(fields.unwrap(), r#"{"B":"","a":"1","b":"2"}"#);
}

#[test]
fn every_problem_of_a_record_is_reported() {
    let long = "x".repeat(1_025);
    let long_with_nul = "\0".repeat(1_025);
    assert_problems(
        &[
            ("docid", Value::Text("a\nb")),
            ("phone", Value::Text("0170")),
            ("", Value::Text("x")),
            ("number", Value::Other),
            ("long", Value::Text(&long)),
            ("nul", Value::Text("a\0")),
            ("both", Value::Text(&long_with_nul)),
            ("a~/b\u{1}", Value::Other),
        ],
        &[
            ("/docid", RecordCode::DocidInvalid),
            ("/phone", RecordCode::PhoneInvalid),
            ("/", RecordCode::FieldNameInvalid),
            ("/number", RecordCode::FieldNotString),
            ("/long", RecordCode::FieldTooLong),
            ("/nul", RecordCode::FieldInvalid),
            ("/both", RecordCode::FieldTooLong),
            ("/both", RecordCode::FieldInvalid),
            ("/a~0~1b\u{1}", RecordCode::FieldNameInvalid),
            ("/a~0~1b\u{1}", RecordCode::FieldNotString),
        ],
    );
}

#[test]
fn absent_and_null_are_missing_and_other_types_invalid() {
    let missing = [
        ("/docid", RecordCode::DocidMissing),
        ("/phone", RecordCode::PhoneMissing),
    ];
    assert_problems(&[], &missing);
    assert_problems(&[("docid", Value::Null), ("phone", Value::Null)], &missing);
    assert_problems(
        &[("docid", Value::Other), ("phone", Value::Other)],
        &[
            ("/docid", RecordCode::DocidInvalid),
            ("/phone", RecordCode::PhoneInvalid),
        ],
    );
}

#[test]
fn the_limits_are_the_last_that_is_taken() {
    let (docid, name, value) = ("d".repeat(128), "n".repeat(64), "v".repeat(1_024));
    let members = [
        ("docid", Value::Text(&docid)),
        ("phone", PHONE),
        (&name, Value::Text(&value)),
    ];
    assert_problems(&members, &[]);
    let (docid, name) = ("d".repeat(129), "n".repeat(65));
    let members = [
        ("docid", Value::Text(&docid)),
        ("phone", PHONE),
        (&name, Value::Text("")),
    ];
    let pointer = format!("/{name}");
    assert_problems(
        &members,
        &[
            ("/docid", RecordCode::DocidInvalid),
            (&pointer, RecordCode::FieldNameInvalid),
        ],
    );
}

fn with_fields(names: &[String]) -> Vec<(&str, Value<'static>)> {
    let mut members = vec![("docid", Value::Text("A1")), ("phone", PHONE)];
    members.extend(names.iter().map(|name| (name.as_str(), Value::Text("x"))));
    members
}

#[test]
fn the_65th_field_is_too_many_once() {
    assert_problems(&with_fields(&many(64)), &[]);
    let too_many = [("", RecordCode::TooManyFields)];
    assert_problems(&with_fields(&many(65)), &too_many);
    assert_problems(&with_fields(&many(1_000)), &too_many);
}

#[test]
fn a_repeated_member_is_reported_once_even_beyond_64_fields() {
    let names = many(64);
    let mut members = with_fields(&names);
    members.extend([("f00007", Value::Text("y")), ("f00007", Value::Text("z"))]);
    let twice = ("/f00007", RecordCode::DuplicateMember);
    assert_problems(&members, &[twice]);

    let names = many(100);
    let mut members = with_fields(&names);
    members.push(("f00099", Value::Text("x")));
    let late = ("/f00099", RecordCode::DuplicateMember);
    assert_problems(&members, &[late, ("", RecordCode::TooManyFields)]);

    for name in ["docid", "phone"] {
        let mut members = with_fields(&[]);
        members.push((name, if name == "docid" { Value::Null } else { PHONE }));
        let pointer = format!("/{name}");
        assert_problems(&members, &[(&pointer, RecordCode::DuplicateMember)]);
    }
}

#[test]
fn a_null_field_is_no_member_but_its_name_counts() {
    let record = |more: &[(&'static str, Value<'static>)]| {
        let mut members = vec![("docid", Value::Text("A1")), ("phone", PHONE)];
        members.extend([("b", Value::Null), ("a", Value::Text("1"))]);
        members.extend(more);
        members
    };
    for name in ["c", "", "n\n"] {
        let fields = judge(&record(&[(name, Value::Null)]));
        assert_eq!(fields.unwrap(), r#"{"a":"1"}"#, "{name:?}");
    }
    for (name, value) in [
        ("a", Value::Null),
        ("b", Value::Null),
        ("b", Value::Text("")),
    ] {
        let pointer = format!("/{name}");
        let twice = [(pointer.as_str(), RecordCode::DuplicateMember)];
        assert_problems(&record(&[(name, value)]), &twice);
    }
    let names = many(65);
    let mut members: Vec<_> = names.iter().map(|name| (&**name, Value::Null)).collect();
    members.extend([("docid", Value::Text("A1")), ("phone", PHONE)]);
    assert_problems(&members, &[("", RecordCode::TooManyFields)]);
    assert_problems(&members[1..], &[]);
}

#[test]
fn a_record_of_endless_problems_keeps_some_and_counts_the_others() {
    let names = many(20_000);
    let mut members: Vec<_> = names.iter().map(|name| (&**name, Value::Other)).collect();
    members.extend([("docid", Value::Text("A1")), ("phone", PHONE)]);
    let parsed = judge(&members);
    let found = problems(&parsed);
    assert_eq!(found.len(), MAX_PROBLEMS);
    assert_eq!(
        found.last().map(|last| last.1),
        Some(RecordCode::TooManyFields)
    );
    assert_eq!(parsed.unwrap_err().dropped, 20_001 - 100);
}

#[test]
fn a_broken_records_docid_is_cut_to_128_bytes_on_a_character() {
    let text = "é".repeat(100_000);
    let long = format!("x{text}");
    for (given, expected) in [(long.as_str(), 127), (text.as_str(), 128), ("A1", 2)] {
        let broken = judge(&[("docid", Value::Text(given))]).unwrap_err();
        let docid = broken.docid.unwrap();
        assert_eq!(docid.len(), expected);
        assert!(given.starts_with(&docid));
    }
}

#[test]
fn a_pointer_shows_the_beginning_of_an_endless_name() {
    let name = "é".repeat(1_000_000);
    let found = problems(&judge(&[(&name, Value::Text("x"))]));
    let shown = &found[0].0;
    assert!(shown.len() < 300 && shown.ends_with("é…"), "{shown}");
}

#[test]
fn problems_quote_neither_phones_nor_values() {
    let members = [
        ("docid", Value::Text("A1")),
        ("phone", Value::Text("+49 170 1234521")),
        ("city", Value::Text("secret\0")),
    ];
    let shown = format!("{:?}", judge(&members));
    assert!(
        !shown.contains("1234521") && !shown.contains("secret"),
        "{shown}"
    );
    let record = [("docid", Value::Text("A1")), ("phone", PHONE)];
    let record = record.map(|(name, value)| Member { name, value });
    let shown = format!("{:?}", check(record.into_iter(), &mut Vec::new()));
    assert!(
        shown.contains("+*********521") && !shown.contains("1701234"),
        "{shown}"
    );
}

#[test]
fn an_error_points_into_the_body() {
    let problem = RecordProblem {
        pointer: "/phone".to_owned(),
        code: RecordCode::PhoneInvalid,
        detail: "phone does not begin with `+`".to_owned(),
    };
    let error = RecordError::new("/data", 1, Some("A2".to_owned()), problem);
    assert_eq!(
        serde_json::to_string(&error).unwrap(),
        r#"{"index":1,"docid":"A2","pointer":"/data/1/phone","code":"phone_invalid","detail":"phone does not begin with `+`"}"#
    );
    let duplicate = BrokenRecord::duplicate(DocId::parse("A1").unwrap());
    assert_eq!(duplicate.docid.as_deref(), Some("A1"));
    assert_eq!(
        problems(&Err(duplicate)),
        [("/docid".to_owned(), RecordCode::DocidDuplicate)]
    );
}

#[test]
fn codes_serialise_as_their_names() {
    for code in RecordCode::VARIANTS {
        let json = serde_json::to_string(code).unwrap();
        assert_eq!(json, format!("\"{}\"", code.into_str()));
        assert_eq!(serde_json::from_str::<RecordCode>(&json).unwrap(), *code);
    }
}

#[test]
fn what_stood_there_is_kept_with_a_docid_alone_and_of_a_phone_masked() {
    // As blocks of before have it.
    let before =
        r#"{"index":3,"docid":"A2","pointer":"/3/phone","code":"phone_invalid","detail":""}"#;
    let before: KeptError = serde_json::from_str(before).unwrap();
    assert_eq!((before.place(), &before.value), (4, &None));
    let error = before.error;
    let mut kept = KeptError::new(error.clone(), Some(6), Some("0170 123456"), true);
    assert_eq!(kept.value.as_deref(), Some("**** ***456"));
    let written = serde_json::to_string(&kept).unwrap();
    assert_eq!(serde_json::from_str::<KeptError>(&written).unwrap(), kept);
    kept.forget_person();
    assert_eq!(
        (kept.place(), kept.error.docid, kept.value),
        (6, None, None)
    );
    let nobody = RecordError {
        docid: None,
        ..error
    };
    let kept = KeptError::new(nobody, Some(6), Some("0170 123456"), true);
    assert_eq!(kept.value, None);
}
