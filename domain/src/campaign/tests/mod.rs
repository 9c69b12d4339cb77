use serde_json::{Value, json};

use super::*;
use crate::invalid::Invalid;

mod counts;
mod input;
mod judge;
mod part_states;
mod recipients;

/// The least that a campaign needs.
fn least() -> Value {
    json!({
        "name": "Autumn",
        "form_id": "0190c0de-0000-7000-8000-00000000000f",
        "sender": "demo",
        "text": "How was it? {link}",
        "audience": {"on_import": true},
    })
}

/// The least with these members in addition, or instead.
fn with(members: &Value) -> Value {
    let mut body = least();
    for (name, value) in members.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

#[track_caller]
fn content(body: &Value) -> CampaignContent {
    CampaignContent::parse(body).unwrap()
}

/// Pointers and codes only.
fn codes(problems: &[Invalid]) -> Vec<(&str, &str)> {
    problems
        .iter()
        .map(|problem| (problem.pointer.as_str(), problem.code))
        .collect()
}

/// What is wrong with a campaign because of these members.
#[track_caller]
fn refused(members: &Value, expected: &[(&str, &str)]) {
    let problems = CampaignContent::parse(&with(members)).unwrap_err();
    assert_eq!(codes(&problems), expected, "{members}");
}
