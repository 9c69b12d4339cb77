use chrono::DateTime;
use domain::form::{FormContent, FormInput};
use serde_json::json;
use store::report::FeedbackRow;
use uuid::Uuid;

use super::AnswerQuery;
use super::item::items;
use super::lines::{header, write};
use crate::operations::AuditQuery;
use api_http::accept::Kind;

/// One field of each kind; the keys are the types.
fn form() -> FormContent {
    let field = |kind: &str| json!({"key": kind, "type": kind, "label": format!("{kind}?"), "required": false});
    let options = json!([{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]);
    let mut fields = [
        "nps",
        "happiness",
        "rating",
        "choice",
        "choices",
        "text",
        "comment",
    ]
    .map(field);
    fields[2]["scale"] = json!(5);
    fields[3]["options"] = options.clone();
    fields[4]["options"] = options;
    let draft =
        json!({"title": "T", "bus_props": ["store:Berlin", "store:\"Ü\""], "fields": fields});
    FormContent::new(FormInput::parse(&draft).unwrap()).unwrap()
}

#[test]
fn answers_to_later_fields_are_left_out() {
    let form = form();
    let rows = [feedback(r#"{"newer": [1, {"x": null}], "nps": 0}"#)];
    let items = items(&form, &rows).unwrap();
    let item = serde_json::to_value(&items[0]).unwrap();
    assert_eq!(item["answers"].as_array().map(Vec::len), Some(1));
    assert_eq!(item["answers"][0]["value"], 0);
}

#[test]
fn what_are_no_answers_is_refused() {
    let form = form();
    for text in ["", "[]", "{", "{} {}", r#"{"nps": }"#] {
        assert!(items(&form, &[feedback(text)]).is_err(), "{text}");
    }
}

fn feedback(answers: &str) -> FeedbackRow {
    FeedbackRow {
        feedback_id: Uuid::from_u128(7),
        submitted_at: DateTime::from_timestamp_micros(1_767_225_600_000_001).unwrap(),
        bus_prop_ids: "2_1".parse().unwrap(),
        track_fields: r#"{"order": "=1"}"#.to_owned(),
        answers: answers.to_owned(),
        nps: Some(9),
        happiness: None,
    }
}

#[test]
fn an_item_shows_its_answers_in_the_forms_order() {
    let form = form();
    let rows = [feedback(
        r#"{"comment":"Good \"so\"","choices":["b","a"],"nps":9}"#,
    )];
    let items = items(&form, &rows).unwrap();
    let text = serde_json::to_string_pretty(&items[0]).unwrap();
    insta::assert_snapshot!(text, @r#"
    {
      "feedback_id": "00000000-0000-0000-0000-000000000007",
      "submitted_at": "2026-01-01T00:00:00.000001Z",
      "bus_props": [
        "store:\"Ü\"",
        "store:Berlin"
      ],
      "track_fields": {"order": "=1"},
      "nps": 9,
      "happiness": null,
      "comment": "Good \"so\"",
      "answers": [
        {
          "key": "nps",
          "label": "nps?",
          "type": "nps",
          "value": 9
        },
        {
          "key": "choices",
          "label": "choices?",
          "type": "choices",
          "value": ["b","a"]
        },
        {
          "key": "comment",
          "label": "comment?",
          "type": "comment",
          "value": "Good \"so\""
        }
      ]
    }
    "#);
}

fn text(kind: Kind, answers: &[&str]) -> String {
    let form = form();
    let rows: Vec<_> = answers.iter().map(|answers| feedback(answers)).collect();
    let mut out = header(kind, &form);
    write(kind, &form, &rows, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn csv_has_a_column_a_field_and_runs_no_formula() {
    let csv = text(
        Kind::Csv,
        &[
            r#"{"nps": 0, "rating": 5, "choice": "a", "choices": ["a","b"], "text": "-1", "comment": "=1+\"x\"\n2"}"#,
            r#"{"nps": 10, "comment": "'+49 170"}"#,
            "{}",
        ],
    );
    insta::assert_snapshot!(csv.replace("\r\n", "\n"), @r#"
    feedback_id,submitted_at,bus_props,track_fields,nps,happiness,rating,choice,choices,text,comment
    00000000-0000-0000-0000-000000000007,2026-01-01T00:00:00.000001Z,"[""store:\""Ü\"""",""store:Berlin""]","{""order"": ""'=1""}",0,,5,a,"[""a"",""b""]",-1,"'=1+""x""
    2"
    00000000-0000-0000-0000-000000000007,2026-01-01T00:00:00.000001Z,"[""store:\""Ü\"""",""store:Berlin""]","{""order"": ""'=1""}",10,,,,,,''+49 170
    00000000-0000-0000-0000-000000000007,2026-01-01T00:00:00.000001Z,"[""store:\""Ü\"""",""store:Berlin""]","{""order"": ""'=1""}",,,,,,,
    "#);
}

#[test]
fn ndjson_has_an_item_a_line() {
    let lines = text(Kind::Ndjson, &[r#"{"nps": 3}"#, r#"{"comment": "a\nb"}"#]);
    let values: Vec<serde_json::Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(values.len(), 2);
    assert_eq!(values[0]["answers"][0]["value"], 3);
    assert_eq!(values[1]["comment"], "a\nb");
}

#[test]
fn whatever_is_searched_for_is_a_filter_or_refused() {
    let form = form();
    bolero::check!().for_each(|bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        let pairs = || text.split('&').filter_map(|pair| pair.split_once('='));
        let one = |name: &str| pairs().find_map(|(given, value)| (given == name).then_some(value));
        let [q, nps, happiness] = ["q", "nps", "happiness"].map(one);
        let answers = text
            .split('&')
            .filter_map(|pair| pair.strip_prefix("answer="));
        let answers: Vec<_> = answers.map(str::to_owned).collect();
        let count = answers.len();
        if let Ok(query) = AnswerQuery::parse(q, nps, happiness, answers)
            && let Ok(filter) = query.filter(&form, true)
        {
            assert_eq!(filter.answers.len(), count);
            assert!(filter.words.iter().all(|word| !word.contains('\0')));
        }
        if let Ok(audit) = AuditQuery::read(|name| Ok(one(name))) {
            let (from, to) = audit.moments(chrono_tz::America::Sao_Paulo);
            assert!(from.zip(to).is_none_or(|(from, to)| from < to));
        }
    });
}
