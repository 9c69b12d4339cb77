use serde_json::{Value, json};

use super::*;
use crate::invalid::Invalid;

mod edit;
mod input;
mod law;

fn input(body: &Value) -> FormInput {
    FormInput::parse(body).unwrap()
}

fn form(body: &Value) -> FormContent {
    FormContent::new(input(body)).unwrap()
}

/// Pointers and codes only.
fn codes(problems: &[Invalid]) -> Vec<(&str, &str)> {
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
    json!({
        "form_id": "0190c0de-0000-7000-8000-000000000000",
        "title": form.title,
        "status": "PUBLISHED",
        "bus_props": bus_props,
        "fields": form.fields,
        "created_at": "2026-11-22T00:00:00Z",
        "updated_at": "2026-11-22T00:00:00Z",
        "published_at": "2026-11-22T00:00:00Z",
        "deleted_at": null,
    })
}
