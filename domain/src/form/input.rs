//! From the body that makes or replaces a form to a [`FormInput`], or to the list of its problems.

use std::collections::HashSet;

use serde_json::Value;

use super::bus_prop::{BusProp, parse_bus_prop_id};
use super::field::Field;
use super::key::{FieldKey, FieldKeyError};
use super::kind::FieldKind;
use super::limits::{MAX_BUS_PROPS, MAX_FIELDS, MAX_LABEL_CHARS, MAX_TITLE_CHARS};
use super::members::Members;
use crate::invalid::{Invalid, Problems, code};

/// Members that only a response has. A form that was read can be put back with them.
pub const READ_ONLY: [&str; 6] = [
    "form_id",
    "status",
    "created_at",
    "updated_at",
    "published_at",
    "deleted_at",
];

/// What a request wants a form to be. It keeps every rule that needs no other form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormInput {
    pub(super) title: String,
    pub(super) bus_props: Vec<BusPropInput>,
    pub(super) fields: Vec<FieldInput>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BusPropInput {
    /// Where in the body.
    pub(super) pointer: String,
    pub(super) id: Option<u32>,
    pub(super) text: BusProp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FieldInput {
    /// Where in the body.
    pub(super) pointer: String,
    pub(super) field: Field,
}

impl FormInput {
    /// Reads `{title, bus_props: [{bus_prop_id?, bus_prop} | "<name>:<value>"], fields: [{key, type, label, required?, …}]}`
    /// with the members that go with the type. `bus_props` and `fields` may be left out. An entry with `"retired": true`
    /// is as if left out.
    ///
    /// # Errors
    /// Everything that is wrong, up to [`MAX_PROBLEMS`](crate::invalid::MAX_PROBLEMS).
    pub fn parse(body: &Value) -> Result<Self, Vec<Invalid>> {
        let mut problems = Problems::default();
        let input = Members::of(body, String::new(), &mut problems)
            .and_then(|form| read_form(&form, &mut problems));
        match input {
            Some(input) if problems.is_empty() => Ok(input),
            _ => Err(problems.into_vec()),
        }
    }
}

fn read_form(form: &Members, problems: &mut Problems) -> Option<FormInput> {
    let mut known = vec!["title", "bus_props", "fields"];
    known.extend(READ_ONLY);
    form.only(&known, problems);
    let title = form.line("title", MAX_TITLE_CHARS, problems);
    let bus_props = read_bus_props(form, problems);
    let fields = read_fields(form, problems);
    Some(FormInput {
        title: title?,
        bus_props,
        fields,
    })
}

fn read_bus_props(form: &Members, problems: &mut Problems) -> Vec<BusPropInput> {
    let entries = form.list("bus_props", MAX_BUS_PROPS, problems);
    let mut bus_props = Vec::with_capacity(entries.len());
    let mut ids = HashSet::new();
    let mut texts = HashSet::new();
    for (n, entry) in entries.iter().enumerate() {
        let pointer = format!("{}/{n}", form.pointer_to("bus_props"));
        let Some(read) = read_bus_prop(entry, pointer, problems) else {
            continue;
        };
        if read.id.is_some_and(|id| !ids.insert(id)) {
            problems.push(
                format!("{}/bus_prop_id", read.pointer),
                code::DUPLICATE,
                "the bus_prop_id comes before in the list",
            );
        }
        if !texts.insert(read.text.clone()) {
            problems.push(
                read.pointer.clone(),
                code::DUPLICATE,
                "the bus_prop comes before in the list",
            );
        }
        bus_props.push(read);
    }
    bus_props
}

/// One entry; `None` if it is retired or broken.
fn read_bus_prop(entry: &Value, pointer: String, problems: &mut Problems) -> Option<BusPropInput> {
    if let Value::String(text) = entry {
        let text = parse_bus_prop(text, &pointer, problems)?;
        return Some(BusPropInput {
            pointer,
            id: None,
            text,
        });
    }
    let entry = Members::of(entry, pointer.clone(), problems)?;
    if entry.is_retired() {
        return None;
    }
    entry.only(&["bus_prop_id", "bus_prop", "retired"], problems);
    entry.flag("retired", problems);
    let id = match entry.get("bus_prop_id") {
        None => None,
        Some(Value::String(text)) => {
            let id = parse_bus_prop_id(text);
            if id.is_none() {
                problems.push(
                    entry.pointer_to("bus_prop_id"),
                    code::MALFORMED,
                    "bus_prop_id is not a number from 1 in plain digits",
                );
            }
            id
        }
        Some(_) => {
            problems.push(
                entry.pointer_to("bus_prop_id"),
                code::WRONG_TYPE,
                "bus_prop_id is not a string",
            );
            None
        }
    };
    let text = entry.text("bus_prop", problems)?;
    let text = parse_bus_prop(text, &entry.pointer_to("bus_prop"), problems)?;
    Some(BusPropInput { pointer, id, text })
}

fn parse_bus_prop(text: &str, pointer: &str, problems: &mut Problems) -> Option<BusProp> {
    BusProp::parse(text)
        .map_err(|error| problems.push(pointer, error.code(), format!("bus_prop {error}")))
        .ok()
}

/// The fields that are not retired, each key once.
fn read_fields(form: &Members, problems: &mut Problems) -> Vec<FieldInput> {
    let entries = form.list("fields", MAX_FIELDS, problems);
    let mut fields = Vec::with_capacity(entries.len());
    let mut keys = HashSet::new();
    let mut single_types = HashSet::new();
    for (n, entry) in entries.iter().enumerate() {
        let pointer = format!("{}/{n}", form.pointer_to("fields"));
        let Some(entry) = Members::of(entry, pointer.clone(), problems) else {
            continue;
        };
        if entry.is_retired() {
            continue;
        }
        let key = read_key(&entry, problems);
        if let Some(key) = &key
            && !keys.insert(key.clone())
        {
            problems.push(
                entry.pointer_to("key"),
                code::DUPLICATE,
                "another field before has this key",
            );
        }
        let label = entry.line("label", MAX_LABEL_CHARS, problems);
        let required = entry.flag("required", problems);
        entry.flag("retired", problems);
        let common = ["key", "type", "label", "required", "retired"];
        let kind = FieldKind::parse(&entry, &common, problems);
        if let Some(field_type) = kind.as_ref().map(FieldKind::field_type)
            && field_type.is_single()
            && !single_types.insert(field_type)
        {
            problems.push(
                entry.pointer_to("type"),
                code::DUPLICATE,
                format!("a form has one field of type {}", field_type.as_str()),
            );
        }
        if let (Some(key), Some(label), Some(kind)) = (key, label, kind) {
            fields.push(FieldInput {
                pointer,
                field: Field {
                    key,
                    kind,
                    label,
                    required,
                    retired: false,
                },
            });
        }
    }
    fields
}

fn read_key(field: &Members, problems: &mut Problems) -> Option<FieldKey> {
    let text = field.text("key", problems)?;
    FieldKey::parse(text)
        .map_err(|error| {
            let code = match error {
                FieldKeyError::Malformed => code::MALFORMED,
                FieldKeyError::Reserved => code::RESERVED,
            };
            problems.push(field.pointer_to("key"), code, format!("key {error}"));
        })
        .ok()
}
