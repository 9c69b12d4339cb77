use serde_json::{Value, json};

use super::*;
use crate::invalid::Invalid;

mod draft;
mod edit;
mod law;

fn draft(body: &Value) -> FormDraft {
    FormDraft::parse(body).unwrap()
}

fn form(body: &Value) -> FormContent {
    FormContent::new(draft(body)).unwrap()
}

/// Pointers and codes only.
fn brief(problems: &[Invalid]) -> Vec<(&str, &str)> {
    problems
        .iter()
        .map(|problem| (problem.pointer.as_str(), problem.code))
        .collect()
}

/// `(id, text, retired)` of each business property.
fn bus_props(form: &FormContent) -> Vec<(u32, &str, bool)> {
    form.bus_props
        .iter()
        .map(|entry| (entry.id, entry.text.as_str(), entry.retired))
        .collect()
}

/// `(key, retired)` of each field.
fn fields(form: &FormContent) -> Vec<(&str, bool)> {
    form.fields
        .iter()
        .map(|field| (field.key.as_str(), field.retired))
        .collect()
}

/// What a client gets to see of a form.
fn shown(form: &FormContent) -> Value {
    let bus_props: Vec<_> = form
        .bus_props
        .iter()
        .map(|entry| {
            json!({"bus_prop_id": entry.id.to_string(), "bus_prop": entry.text, "retired": entry.retired})
        })
        .collect();
    let mut fields = json!(form.fields);
    for field in fields.as_array_mut().unwrap() {
        let options = field.get_mut("options").and_then(Value::as_array_mut);
        for option in options.into_iter().flatten() {
            // Nobody outside knows the numbers of options.
            option.as_object_mut().unwrap().remove("number");
        }
    }
    json!({
        "form_id": "0190c0de-0000-7000-8000-000000000000",
        "title": form.title,
        "status": "PUBLISHED",
        "bus_props": bus_props,
        "fields": fields,
        "created_at": "2026-11-22T00:00:00Z",
        "updated_at": "2026-11-22T00:00:00Z",
        "published_at": "2026-11-22T00:00:00Z",
        "deleted_at": null,
    })
}
