use serde_json::{Value, json};

use super::*;
use crate::form::{FormContent, FormInput};
use crate::invalid::Invalid;

mod json;
mod law;
mod pairs;

fn form_of(body: &Value) -> FormContent {
    FormContent::new(FormInput::parse(body).unwrap()).unwrap()
}

/// One field of each type, none required; `gone` and the option `old` of `why` and `what` are retired.
fn form() -> FormContent {
    let options = json!([
        {"value": "a", "label": "A"}, {"value": "b", "label": "B"}, {"value": "old", "label": "Old"},
    ]);
    let mut fields = json!([
        {"key": "nps", "type": "nps", "label": "L"},
        {"key": "mood", "type": "happiness", "label": "L"},
        {"key": "stars", "type": "rating", "label": "L", "scale": 7},
        {"key": "why", "type": "choice", "label": "L", "options": options},
        {"key": "what", "type": "choices", "label": "L", "options": options},
        {"key": "name", "type": "text", "label": "L"},
        {"key": "more", "type": "comment", "label": "L"},
        {"key": "gone", "type": "text", "label": "L"},
    ]);
    let form = form_of(&json!({"title": "T", "fields": fields}));
    fields[3]["options"][2]["retired"] = json!(true);
    fields[4]["options"][2]["retired"] = json!(true);
    fields[7]["retired"] = json!(true);
    let draft = FormInput::parse(&json!({"title": "T", "fields": fields})).unwrap();
    form.replaced_by(draft, true).unwrap()
}

/// Two required fields and an optional one.
fn form_with_required() -> FormContent {
    form_of(&json!({"title": "T", "fields": [
        {"key": "nps", "type": "nps", "label": "L", "required": true},
        {"key": "name", "type": "text", "label": "L", "required": true},
        {"key": "more", "type": "comment", "label": "L"},
    ]}))
}

/// Keys and codes only.
fn codes(problems: &[Invalid]) -> Vec<(&str, &str)> {
    problems
        .iter()
        .map(|problem| (problem.pointer.trim_start_matches('/'), problem.code))
        .collect()
}
