use super::*;

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

fn read(given: &[(&str, &str)]) -> Result<Value, Vec<Invalid>> {
    Answers::from_pairs(&form(), &pairs(given)).map(|answers| answers.to_value())
}

#[track_caller]
fn refused(given: &[(&str, &str)], expected: &[(&str, &str)]) {
    assert_eq!(codes(&read(given).unwrap_err()), expected, "{given:?}");
}

#[test]
fn a_page_sends_texts() {
    let given = [
        ("nps", "10"),
        ("mood", "1"),
        ("stars", "7"),
        ("why", "b"),
        ("what", "a"),
        ("name", " Ann "),
        ("what", "b"),
        ("more", "x\r\ny"),
    ];
    assert_eq!(
        read(&given).unwrap(),
        json!({
            "nps": 10, "mood": 1, "stars": 7, "why": "b", "what": ["a", "b"], "name": " Ann ", "more": "x\ny",
        })
    );
}

#[test]
fn an_empty_value_is_no_answer() {
    let empty = [
        ("nps", ""),
        ("why", ""),
        ("what", ""),
        ("name", ""),
        ("more", " \r\n"),
    ];
    refused(&empty, &[("", "missing")]);
    refused(&[], &[("", "missing")]);
    assert_eq!(
        read(&[("nps", ""), ("nps", "3")]).unwrap(),
        json!({"nps": 3})
    );
    assert_eq!(
        read(&[("what", ""), ("what", "a")]).unwrap(),
        json!({"what": ["a"]})
    );
}

#[test]
fn a_grade_is_written_in_plain_digits() {
    for value in [
        "+5", "05", "00", "5.0", "5e0", " 5", "5 ", "٥", "five", "-1", "-0", "true", "null", "\0",
    ] {
        refused(&[("nps", value)], &[("nps", "wrong_type")]);
    }
    for value in ["11", "256", "261", "18446744073709551615"] {
        refused(&[("nps", value)], &[("nps", "out_of_range")]);
    }
    refused(&[("mood", "0")], &[("mood", "out_of_range")]);
    refused(&[("stars", "8")], &[("stars", "out_of_range")]);
}

#[test]
fn only_choices_are_answered_more_than_once() {
    for (key, value) in [("nps", "1"), ("why", "a"), ("name", "x"), ("more", "x")] {
        refused(&[(key, value), (key, value)], &[(key, "duplicate")]);
    }
    refused(&[("what", "a"), ("what", "a")], &[("what", "duplicate")]);
    refused(&[("what", "c"); 101], &[("what", "too_many")]);
}

#[test]
fn every_problem_is_reported_fields_first() {
    refused(
        &[
            ("other", ""),
            ("more", "\0"),
            ("what", "c"),
            ("what", "old"),
            ("nps", "99"),
            ("gone", "x"),
            ("other", "y"),
        ],
        &[
            ("nps", "out_of_range"),
            ("what", "not_offered"),
            ("what", "not_offered"),
            ("more", "control_character"),
            ("other", "unknown_key"),
            ("gone", "retired"),
        ],
    );
    let problems = Answers::from_pairs(&form_with_required(), &pairs(&[("name", "")]));
    assert_eq!(
        codes(&problems.unwrap_err()),
        [("nps", "missing"), ("name", "missing")]
    );
}

#[test]
fn a_long_comment_is_refused_whole() {
    refused(&[("more", &"a".repeat(1_000_000))], &[("more", "too_long")]);
}

/// A choice and choices, of which the option `x` takes a text.
fn form_with_texts() -> FormContent {
    let options =
        json!([{"value": "a", "label": "A"}, {"value": "x", "label": "Other", "text": true}]);
    form_of(&json!({"title": "T", "fields": [
        {"key": "one", "type": "choice", "label": "L", "options": options},
        {"key": "some", "type": "choices", "label": "L", "options": options},
    ]}))
}

#[test]
fn what_else_there_is_comes_beside_its_option() {
    let form = form_with_texts();
    for (given, stored) in [
        (
            &[
                ("one", "x"),
                ("one.text", " rain "),
                ("some", "a"),
                ("some", "x"),
                ("some.text", "fog"),
            ][..],
            json!({"one": "x", "one.text": " rain ", "some": ["a", "x"], "some.text": "fog"}),
        ),
        // Written without having chosen it.
        (
            &[("one.text", "rain")],
            json!({"one": "x", "one.text": "rain"}),
        ),
        // Written before something else was chosen.
        (&[("one", "a"), ("one.text", "rain")], json!({"one": "a"})),
        (&[("one", "x"), ("one.text", " ")], json!({"one": "x"})),
    ] {
        let read = Answers::from_pairs(&form, &pairs(given)).unwrap();
        assert_eq!(read.to_value(), stored, "{given:?}");
        assert_eq!(Answers::from_stored(&form, stored).unwrap(), read);
    }
    let unknown = Answers::from_pairs(&form, &pairs(&[("one", "a"), ("two.text", "b")]));
    assert_eq!(codes(&unknown.unwrap_err()), [("two.text", "unknown_key")]);
}

#[test]
fn a_program_gives_an_option_with_its_text() {
    let form = form_with_texts();
    let read = |given: Value| Answers::from_json(&form, &given).map(|read| read.to_value());
    let given =
        json!({"one": {"value": "x", "text": "rain"}, "some": ["a", {"value": "x", "text": null}]});
    let stored = json!({"one": "x", "one.text": "rain", "some": ["a", "x"]});
    assert_eq!(read(given).unwrap(), stored);
    for (given, code) in [
        (json!({"value": "a", "text": "b"}), "unknown_member"),
        (json!({"value": "x", "more": "b"}), "unknown_member"),
        (json!({"value": "y", "text": "b"}), "not_offered"),
        (json!({"text": "b"}), "wrong_type"),
        (json!({"value": "x", "text": 1}), "wrong_type"),
        (json!({"value": "x", "text": "b".repeat(201)}), "too_long"),
        (json!({"value": "x", "text": "\0"}), "control_character"),
    ] {
        let problems = read(json!({"one": given})).unwrap_err();
        assert_eq!(codes(&problems), [("one", code)], "{given}");
    }
}
