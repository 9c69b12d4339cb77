//! From the body that makes or replaces a form to a [`FormDraft`], or to the list of its problems.

use std::collections::HashSet;

use serde_json::Value;

use super::field::{MAX_VALUE_CHARS, SCALES};
use super::members::Members;
use super::{
    BusProp, ChoiceOption, Field, FieldKey, FieldKeyError, FieldKind, MAX_BUS_PROPS, MAX_FIELDS,
    MAX_LABEL_CHARS, MAX_OPTIONS, MAX_TITLE_CHARS,
};
use crate::invalid::{Invalid, Problems, code, whole_number};
use crate::link::parse_bus_prop_id;

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

fn read_fields(form: &Members, problems: &mut Problems) -> Vec<DraftField> {
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
        let kind = read_kind(&entry, problems);
        if let Some(kind) = &kind
            && kind.is_single()
            && !single_types.insert(kind.type_name())
        {
            problems.push(
                entry.pointer_to("type"),
                code::DUPLICATE,
                format!("a form has one field of type {}", kind.type_name()),
            );
        }
        if let (Some(key), Some(label), Some(kind)) = (key, label, kind) {
            fields.push(DraftField {
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

/// The type, and the members that go with it. All others are noted, unless the type is not known.
fn read_kind(field: &Members, problems: &mut Problems) -> Option<FieldKind> {
    let mut known = vec!["key", "type", "label", "required", "retired"];
    let name = field.text("type", problems);
    if !name.is_some_and(|name| FieldKind::TYPES.contains(&name)) {
        if name.is_some() {
            problems.push(
                field.pointer_to("type"),
                code::UNKNOWN_TYPE,
                format!("type is none of {}", FieldKind::TYPES.join(", ")),
            );
        }
        known.extend(["scale", "options"]);
    }
    let kind = match name.unwrap_or_default() {
        "nps" => Some(FieldKind::Nps),
        "happiness" => Some(FieldKind::Happiness),
        "rating" => {
            known.push("scale");
            read_scale(field, problems).map(|scale| FieldKind::Rating { scale })
        }
        "choice" => {
            known.push("options");
            let options = read_options(field, problems);
            Some(FieldKind::Choice { options })
        }
        "choices" => {
            known.push("options");
            let options = read_options(field, problems);
            Some(FieldKind::Choices { options })
        }
        "text" => Some(FieldKind::Text),
        "comment" => Some(FieldKind::Comment),
        _ => None,
    };
    field.only(&known, problems);
    kind
}

fn read_scale(field: &Members, problems: &mut Problems) -> Option<u8> {
    let read = field
        .get("scale")
        .ok_or(code::MISSING)
        .and_then(|value| whole_number(value, SCALES));
    read.map_err(|code| {
        let detail = format!(
            "scale is a whole number from {} to {}",
            SCALES.start(),
            SCALES.end()
        );
        problems.push(field.pointer_to("scale"), code, detail);
    })
    .ok()
}

/// At least one option that is not retired.
fn read_options(field: &Members, problems: &mut Problems) -> Vec<ChoiceOption> {
    let entries = field.list("options", MAX_OPTIONS, problems);
    let at = field.pointer_to("options");
    let mut options = Vec::with_capacity(entries.len());
    let mut values = HashSet::new();
    let mut retired = 0;
    for (n, entry) in entries.iter().enumerate() {
        let Some(entry) = Members::of(entry, format!("{at}/{n}"), problems) else {
            continue;
        };
        if entry.is_retired() {
            retired += 1;
            continue;
        }
        entry.only(&["value", "label", "retired"], problems);
        entry.flag("retired", problems);
        let value = entry.line("value", MAX_VALUE_CHARS, problems);
        let label = entry.line("label", MAX_LABEL_CHARS, problems);
        if let Some(value) = &value
            && !values.insert(value.clone())
        {
            problems.push(
                entry.pointer_to("value"),
                code::DUPLICATE,
                "another option before has this value",
            );
        }
        if let (Some(value), Some(label)) = (value, label) {
            options.push(ChoiceOption {
                value,
                label,
                retired: false,
            });
        }
    }
    // A list of a wrong type or length was noted already.
    let given_none = field
        .get("options")
        .is_none_or(|list| list.as_array().is_some_and(Vec::is_empty));
    if given_none || (retired > 0 && retired == entries.len()) {
        problems.push(
            at,
            code::MISSING,
            "a choice has at least one option that is not retired",
        );
    }
    options
}
