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
