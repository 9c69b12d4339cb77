//! How operations follow one another: what one answers is what the next is asked with. The capabilities do not know each
//! other, so it is said here and not beside the handlers.

use serde_json::{Value, json};

use super::{elements, operations};

/// Parameters of paths, and where in a response their values are.
type Given = &'static [(&'static str, &'static str)];

const FORM: Given = &[
    ("form_id", "$response.body#/form_id"),
    ("bus_prop_id", "$response.body#/bus_props/0/bus_prop_id"),
    ("bus_prop", "$response.body#/bus_props/0/bus_prop"),
];
const LINK: Given = &[("token", "$response.body#/token")];
const FEEDBACK: Given = &[("feedback_id", "$response.body#/feedback_id")];
const BATCH: Given = &[("batch_id", "$response.body#/batch_id")];
const CAMPAIGN: Given = &[("campaign_id", "$response.body#/campaign_id")];

/// An operation, its status, and what it gives then to all operations whose paths name that.
const GIVING: [(&str, &str, Given); 7] = [
    ("create_form", "201", FORM),
    ("publish_form", "200", FORM),
    ("create_link", "201", LINK),
    ("create_plain_link", "201", LINK),
    ("submit_answers", "201", FEEDBACK),
    ("import_sms", "202", BATCH),
    ("create_campaign", "201", CAMPAIGN),
];

/// Adds links to the operations that give something.
pub fn add(document: &mut Value) {
    let all: Vec<Value> = operations(document).map(|(_, next)| next.clone()).collect();
    for (_, operation) in operations(document) {
        let id = &operation["operationId"];
        let Some((_, status, given)) = GIVING.iter().find(|(of, ..)| id == of) else {
            continue;
        };
        for next in &all {
            let parameters = link(next, given);
            if let (Some(id), false) = (next["operationId"].as_str(), parameters.is_null()) {
                let link = json!({"operationId": id, "parameters": parameters});
                operation["responses"][*status]["links"][id] = link;
            }
        }
    }
}

/// The parameters of an operation's path that are given; null: none.
fn link(next: &Value, given: Given) -> Value {
    let mut link = Value::Null;
    for parameter in elements(&next["parameters"]).filter(|parameter| parameter["in"] == "path") {
        let name = parameter["name"].as_str().unwrap_or_default();
        let meant = match (next["operationId"].as_str(), name) {
            (Some("create_plain_link"), "id") => "form_id",
            (_, "id") => "token",
            // Only a message's link stops messages.
            (Some("stop_messages"), _) => continue,
            (_, name) => name,
        };
        if let Some((_, value)) = given.iter().find(|(given, _)| *given == meant) {
            link[name] = json!(value);
        }
    }
    link
}
