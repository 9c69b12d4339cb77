//! From the body that makes or replaces a form to a [`FormDraft`], or to the list of its problems.

use std::collections::HashSet;

use serde_json::Value;

use super::draft_field::read_fields;
use super::members::Members;
use super::{BusProp, Field, MAX_BUS_PROPS, MAX_TITLE_CHARS, parse_bus_prop_id};
use crate::invalid::{Invalid, Problems, code};

/// Only the answer has these; a form that was read can be put back with them.
const READ_ONLY: [&str; 6] = [
    "form_id",
    "status",
    "created_at",
    "updated_at",
    "published_at",
    "deleted_at",
];

/// What a request wants a form to be: each rule that needs no other form is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormDraft {
    pub(super) title: String,
    pub(super) bus_props: Vec<DraftBusProp>,
    pub(super) fields: Vec<DraftField>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DraftBusProp {
    /// Where in the body.
    pub(super) pointer: String,
    pub(super) id: Option<u32>,
    pub(super) text: BusProp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DraftField {
    /// Where in the body.
    pub(super) pointer: String,
    pub(super) field: Field,
}

impl FormDraft {
    /// Reads `{title, bus_props: [{bus_prop_id?, bus_prop} | "<name>:<value>"],
    /// fields: [{key, type, label, required?, scale?, options?: [{value, label}]}]}`. `bus_props` and `fields` may be
    /// left out. An entry with `"retired": true` is as if left out.
    ///
    /// # Errors
    /// Everything that is wrong, up to [`MAX_PROBLEMS`](crate::invalid::MAX_PROBLEMS).
    pub fn parse(body: &Value) -> Result<Self, Vec<Invalid>> {
        let mut problems = Problems::default();
        let draft = Members::of(body, String::new(), &mut problems)
            .and_then(|form| read_form(&form, &mut problems));
        match draft {
            Some(draft) if problems.is_empty() => Ok(draft),
            _ => Err(problems.into_vec()),
        }
    }
}

fn read_form(form: &Members, problems: &mut Problems) -> Option<FormDraft> {
    let mut known = vec!["title", "bus_props", "fields"];
    known.extend(READ_ONLY);
    form.only(&known, problems);
    let title = form.line("title", MAX_TITLE_CHARS, problems);
    let bus_props = read_bus_props(form, problems);
    let fields = read_fields(form, problems);
    Some(FormDraft {
        title: title?,
        bus_props,
        fields,
    })
}

fn read_bus_props(form: &Members, problems: &mut Problems) -> Vec<DraftBusProp> {
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
fn read_bus_prop(entry: &Value, pointer: String, problems: &mut Problems) -> Option<DraftBusProp> {
    if let Value::String(text) = entry {
        let text = judge_bus_prop(text, &pointer, problems)?;
        return Some(DraftBusProp {
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
    let text = judge_bus_prop(text, &entry.pointer_to("bus_prop"), problems)?;
    Some(DraftBusProp { pointer, id, text })
}

fn judge_bus_prop(text: &str, pointer: &str, problems: &mut Problems) -> Option<BusProp> {
    BusProp::parse(text)
        .map_err(|error| problems.push(pointer, error.code(), format!("bus_prop {error}")))
        .ok()
}
