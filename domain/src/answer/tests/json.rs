use super::*;
use crate::invalid::{Problems, code};

#[track_caller]
fn refused(answers: &Value, expected: &[(&str, &str)]) {
    let problems = Answers::from_json(&form(), answers).unwrap_err();
    assert_eq!(codes(&problems), expected, "{answers}");
}

#[test]
fn answers_come_in_the_forms_order_with_their_types() {
    let given = json!({
        "more": "line 1\r\nline 2 <b>\r\n", "name": " Ann ", "what": ["b", "a"], "why": "a", "stars": 7, "mood": 5, "nps": 0,
    });
    let answers = Answers::from_json(&form(), &given).unwrap();
    let list: Vec<_> = answers
        .iter()
        .map(|(key, value)| (key.as_str(), value.clone()))
        .collect();
    assert_eq!(
        list,
        [
            ("nps", AnswerValue::Grade(0)),
            ("mood", AnswerValue::Grade(5)),
            ("stars", AnswerValue::Grade(7)),
            ("why", AnswerValue::Text("a".to_owned())),
            (
                "what",
                AnswerValue::Chosen(vec!["b".to_owned(), "a".to_owned()])
            ),
            ("name", AnswerValue::Text(" Ann ".to_owned())),
            ("more", AnswerValue::Text("line 1\nline 2 <b>\n".to_owned())),
        ]
    );
    assert_eq!(answers.nps, Some(0));
    assert_eq!(answers.happiness, Some(5));
    assert!(answers.has_comment);
    assert_eq!(answers.get("stars"), Some(&AnswerValue::Grade(7)));
    assert_eq!(answers.get("gone"), None);
    let mut stored = given;
    stored["more"] = json!("line 1\nline 2 <b>\n");
    assert_eq!(answers.to_value(), stored);
}

#[test]
fn a_text_is_no_comment_and_a_rating_no_happiness() {
    let answers = Answers::from_json(&form(), &json!({"name": "x", "stars": 5})).unwrap();
    assert_eq!(
        (answers.nps, answers.happiness, answers.has_comment),
        (None, None, false)
    );
    assert_eq!(answers.len(), 2);
}

#[test]
fn a_grade_is_a_whole_number_of_its_range() {
    for (key, low, high) in [("nps", 0, 10), ("mood", 1, 5), ("stars", 1, 7)] {
        for grade in low..=high {
            assert!(Answers::from_json(&form(), &json!({key: grade})).is_ok());
        }
        for grade in [
            json!(low - 1),
            json!(high + 1),
            json!(-1),
            json!(256 + low),
            json!(u64::MAX),
            json!(i64::MIN),
        ] {
            refused(&json!({key: grade}), &[(key, "out_of_range")]);
        }
        for grade in [
            json!("5"),
            json!(5.0),
            json!(4.5),
            json!(1e300),
            json!(true),
            json!([5]),
            json!({}),
        ] {
            refused(&json!({key: grade}), &[(key, "wrong_type")]);
        }
    }
}

#[test]
fn a_choice_is_one_that_the_page_offers() {
    for value in ["c", "A", "a ", "", "old", "a\0"] {
        refused(&json!({"why": value}), &[("why", "not_offered")]);
        refused(&json!({"what": ["a", value]}), &[("what", "not_offered")]);
    }
    refused(&json!({"what": ["a", "b", "a"]}), &[("what", "duplicate")]);
    refused(
        &json!({"what": ["c", "a", "a", "d"]}),
        &[
            ("what", "not_offered"),
            ("what", "duplicate"),
            ("what", "not_offered"),
        ],
    );
    for value in [json!(1), json!(["a"]), json!({})] {
        refused(&json!({"why": value}), &[("why", "wrong_type")]);
    }
    for value in [json!("a"), json!([1]), json!(["a", null])] {
        refused(&json!({"what": value}), &[("what", "wrong_type")]);
    }
}

#[test]
fn a_text_counts_its_characters_after_its_lines_are_joined_by_lf() {
    for (key, max) in [("name", 1_000), ("more", 10_000)] {
        let longest = "💛".repeat(max - 1) + "\r\n";
        let answers = Answers::from_json(&form(), &json!({key: longest})).unwrap();
        let Some(AnswerValue::Text(text)) = answers.get(key) else {
            panic!()
        };
        assert_eq!(text.chars().count(), max);
        refused(&json!({key: "a".repeat(max + 1)}), &[(key, "too_long")]);
        refused(&json!({key: "a\0b"}), &[(key, "control_character")]);
        let both = "\0".repeat(max + 1);
        refused(
            &json!({key: both}),
            &[(key, "control_character"), (key, "too_long")],
        );
        refused(&json!({key: 5}), &[(key, "wrong_type")]);
        // Other control characters are part of what people paste.
        assert!(Answers::from_json(&form(), &json!({key: "a\tb\u{1}"})).is_ok());
    }
}

#[test]
fn a_line_ends_in_lf_however_it_was_sent() {
    for (sent, kept) in [
        ("a\r\nb", "a\nb"),
        ("a\rb\r", "a\nb\n"),
        ("a\r\r\nb", "a\n\nb"),
    ] {
        let answers = Answers::from_json(&form(), &json!({"more": sent})).unwrap();
        let kept = AnswerValue::Text(kept.to_owned());
        assert_eq!(answers.get("more"), Some(&kept), "{sent:?}");
        let again = Answers::from_json(&form(), &answers.to_value()).unwrap();
        assert_eq!(again, answers, "{sent:?}");
    }
}

#[test]
fn null_blank_and_empty_are_no_answer() {
    let nothing = json!({"nps": null, "name": " \r\n\t\u{2003}", "more": "", "what": []});
    refused(&nothing, &[("", "missing")]);
    refused(&json!({}), &[("", "missing")]);
    let mut one = nothing;
    one["mood"] = json!(1);
    assert_eq!(Answers::from_json(&form(), &one).unwrap().len(), 1);
}

#[test]
fn a_required_field_needs_an_answer() {
    let form = form_with_required();
    let problems = |answers: &Value| Answers::from_json(&form, answers).unwrap_err();
    assert_eq!(
        codes(&problems(&json!({}))),
        [("nps", "missing"), ("name", "missing")]
    );
    assert_eq!(
        codes(&problems(&json!({"nps": 11, "name": "  ", "more": "x"}))),
        [("nps", "out_of_range"), ("name", "missing")]
    );
    assert!(Answers::from_json(&form, &json!({"nps": 1, "name": "x"})).is_ok());
}

#[test]
fn unknown_and_retired_keys_are_refused() {
    refused(
        &json!({"nps": 1, "NPS": 1, "visit": 1, "gone": "x", "zz": null}),
        &[
            ("NPS", "unknown_key"),
            ("gone", "retired"),
            ("visit", "unknown_key"),
            ("zz", "unknown_key"),
        ],
    );
    let long = "\0".repeat(1_000);
    let problems = Answers::from_json(&form(), &json!({long: 1})).unwrap_err();
    let shown = "\u{fffd}".repeat(85);
    assert_eq!(problems[0].pointer, format!("/{shown}…"));
}

#[test]
fn answers_are_an_object() {
    for answers in [json!(null), json!([]), json!("nps=1"), json!(1)] {
        refused(&answers, &[("", "wrong_type")]);
    }
}

#[test]
fn problems_end_at_100() {
    let unknown: Value = (0..500).map(|n| (n.to_string(), json!(1))).collect();
    assert_eq!(
        Answers::from_json(&form(), &unknown).unwrap_err().len(),
        100
    );
    let many = json!({"nps": 11, "what": vec!["c"; 100], "name": "\0", "zz": 1});
    assert_eq!(Answers::from_json(&form(), &many).unwrap_err().len(), 100);
}

#[test]
fn a_problem_that_is_not_kept_is_not_worded() {
    let problems = Problems::default();
    for _ in 0..100 {
        problems.push("nps", code::MISSING, "");
    }
    let worded = std::fmt::from_fn(|_| panic!("it was worded"));
    problems.push("nps", code::MISSING, worded);
}

#[test]
fn a_list_of_more_choices_than_a_field_has_options_is_one_problem() {
    for entry in [json!("c"), json!("a"), json!(1)] {
        refused(&json!({"what": vec![entry; 101]}), &[("what", "too_many")]);
    }
    let most = json!({"what": vec!["c"; 100]});
    assert_eq!(Answers::from_json(&form(), &most).unwrap_err().len(), 100);
}

#[test]
fn stored_answers_read_back_although_the_form_has_moved_on() {
    let stored = json!({"gone": "x", "why": "old", "what": ["old"], "nps": 3});
    let answers = Answers::from_stored(&form(), stored.clone()).unwrap();
    assert_eq!(answers.to_value(), stored);
    assert_eq!(answers.nps, Some(3));
    assert!(Answers::from_stored(&form_with_required(), json!({"nps": 3})).is_ok());
}

#[test]
fn stored_answers_that_the_form_cannot_have_taken_are_an_error() {
    for (stored, key) in [
        (json!([]), ""),
        (json!({"nps": 11}), "nps"),
        (json!({"nps": "1"}), "nps"),
        (json!({"why": 1}), "why"),
        (json!({"what": "a"}), "what"),
        (json!({"what": [1]}), "what"),
        (json!({"name": 1}), "name"),
        (json!({"other": "x"}), "other"),
    ] {
        let error = Answers::from_stored(&form(), stored).unwrap_err();
        assert!(error.ends_with(&format!("`{key}`")), "{error}");
    }
}
