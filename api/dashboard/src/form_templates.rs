//! Forms to begin with, in the language of whoever begins: their questions, and what is asked only of some.

use api_language::Text;
use serde_json::{Value, json};

/// Their names; that of one message has what a template is called, and those that begin with it what it says.
pub const TEMPLATES: [&str; 5] = ["visit", "delivery", "stay", "service", "one"];
/// What stands between the choices of a message.
const BETWEEN: &str = " | ";

/// A form in JSON; one with two questions where there is no template of this name.
pub fn template(t: &Text, name: &str) -> Value {
    let title = |name: &str| t.get(&format!("template-{name}-title"));
    let low = json!({"key": "recommend", "in": [0, 1, 2, 3, 4, 5, 6]});
    let unhappy = json!({"key": "mood", "in": [1, 2, 3]});
    let recommend = || field(t, "recommend", "nps", "template-recommend");
    let more = || field(t, "more", "comment", "template-more");
    let (title, fields) = match name {
        "visit" => (
            title(name),
            json!([
                required(field(t, "mood", "happiness", "template-visit-mood")),
                required(recommend()),
                shown_if(some(t, "better", "template-visit-better"), &low),
                rated(field(t, "staff", "rating", "template-visit-staff")),
                more(),
            ]),
        ),
        "delivery" => (
            title(name),
            json!([
                required(field(t, "mood", "happiness", "template-delivery-mood")),
                shown_if(some(t, "wrong", "template-delivery-wrong"), &unhappy),
                required(recommend()),
                more(),
            ]),
        ),
        "stay" => (
            title(name),
            json!([
                required(recommend()),
                shown_if(some(t, "better", "template-stay-better"), &low),
                rated(field(t, "clean", "rating", "template-stay-clean")),
                rated(field(t, "breakfast", "rating", "template-stay-breakfast")),
                rated(field(t, "staff", "rating", "template-stay-staff")),
                more(),
            ]),
        ),
        "service" => (
            title(name),
            json!([
                required(one(
                    t,
                    "solved",
                    "template-service-solved",
                    ["yes", "partly", "no"]
                )),
                shown_if(
                    field(t, "open", "text", "template-service-open"),
                    &json!({"key": "solved", "in": ["partly", "no"]}),
                ),
                field(t, "mood", "happiness", "template-service-mood"),
                required(recommend()),
                more(),
            ]),
        ),
        "one" => (title(name), json!([required(recommend())])),
        _ => {
            let comment = json!({"key": "more", "type": "comment", "label": t.get("form-comment")});
            let nps = json!({"key": "recommend", "type": "nps", "label": t.get("form-nps"), "required": true});
            return json!({"title": "", "language": t.code, "fields": [nps, comment]});
        }
    };
    json!({
        "title": title, "language": t.code, "intro": t.get("template-intro"), "thanks": t.get("template-thanks"),
        "fields": fields,
    })
}

fn field(t: &Text, key: &str, kind: &str, label: &str) -> Value {
    json!({"key": key, "type": kind, "label": t.get(label)})
}

fn required(mut field: Value) -> Value {
    field["required"] = json!(true);
    field
}

fn rated(mut field: Value) -> Value {
    field["scale"] = json!(5);
    field
}

fn shown_if(mut field: Value, condition: &Value) -> Value {
    field["show_if"] = condition.clone();
    field
}

/// One of some choices.
fn one<const N: usize>(t: &Text, key: &str, label: &str, values: [&str; N]) -> Value {
    let labels = t.get(&format!("{label}-choices"));
    let options = values.iter().zip(labels.split(BETWEEN));
    let options = options.map(|(value, label)| json!({"value": value, "label": label}));
    let mut field = field(t, key, "choice", label);
    field["options"] = options.collect();
    field
}

/// Any of some choices, the last of which takes a text.
fn some(t: &Text, key: &str, label: &str) -> Value {
    let labels = t.get(&format!("{label}-choices"));
    let labels: Vec<&str> = labels.split(BETWEEN).collect();
    let options = labels.iter().enumerate().map(|(place, label)| {
        let mut option = json!({"value": label, "label": label});
        if place + 1 == labels.len() {
            option["text"] = json!(true);
        }
        option
    });
    let mut field = field(t, key, "choices", label);
    field["options"] = options.collect();
    field
}

#[cfg(test)]
mod tests {
    use api_language::{codes, of_code};
    use domain::form::{FormContent, FormInput};

    use super::*;

    #[test]
    fn every_template_is_a_form_in_every_language() {
        for code in codes() {
            for name in TEMPLATES {
                let form = template(of_code(code), name);
                let content = FormInput::parse(&form).and_then(FormContent::new);
                let content = content.unwrap_or_else(|wrong| panic!("{code} {name}: {wrong:?}"));
                let labels = content.fields.iter().map(|field| &field.label);
                assert!(
                    labels
                        .chain([&content.title])
                        .all(|text| !text.starts_with("template-"))
                );
            }
        }
    }
}
