//! From the body that makes or replaces a form to a [`FormInput`], or to the list of its problems.

use std::cell::Cell;
use std::collections::HashSet;

use serde_json::Value;

use super::bus_prop::{BusProp, parse_bus_prop_id};
use super::field::Field;
use super::key::FieldKey;
use super::kind::FieldKind;
use super::label::{FormTexts, Labels, TextKind, read_language};
use super::limits::{MAX_BUS_PROPS, MAX_FIELDS, MAX_LABEL_CHARS, MAX_TITLE_CHARS};
use super::link::{FormLink, read_links};
use super::show_if::ShowIf;
use crate::invalid::{Fault, Invalid, code};
use crate::members::{Members, read_body};

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
    pub(super) labels: Labels,
    pub(super) language: Option<String>,
    /// With it in other languages, …
    pub(super) intro: (Option<String>, Labels),
    /// … as this.
    pub(super) thanks: (Option<String>, Labels),
    pub(super) links: Vec<FormLink>,
    pub(super) piping: bool,
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
    /// Reads `{title, bus_props: [{bus_prop_id?, bus_prop} | "<name>:<value>"], fields: [{key, type, label, required?, show_if?,
    /// …}], language?, intro?, intro_labels?, thanks?, thanks_labels?, links?: [{label, url}], piping?}` with the members that go
    /// with the type, and `labels` beside any title or label. `bus_props` and `fields` may be left out. An entry with
    /// `"retired": true` is as if left out.
    ///
    /// # Errors
    /// Everything that is wrong, up to [`MAX_PROBLEMS`](crate::invalid::MAX_PROBLEMS).
    pub fn parse(body: &Value) -> Result<Self, Vec<Invalid>> {
        read_body(body, &READ_ONLY, read_form)
    }
}

fn read_form(form: &Members) -> Option<FormInput> {
    let piping = form.flag("piping");
    let language = form.optional("language", read_language);
    let piped = Cell::default();
    let texts = FormTexts {
        piping,
        piped: &piped,
        language: language.as_deref(),
    };
    let kind = TextKind::Line(MAX_TITLE_CHARS);
    let title = texts.text(form, "title", kind);
    let labels = texts.labels(form, "labels", kind);
    let (intro, thanks) = (texts.block(form, "intro"), texts.block(form, "thanks"));
    let links = read_links(form, texts);
    let bus_props = read_bus_props(form);
    let fields = read_fields(form, texts);
    Some(FormInput {
        title: title?,
        labels,
        intro,
        thanks,
        links,
        piping,
        bus_props: bus_props?,
        fields: fields?,
        language,
    })
}

fn read_bus_props(form: &Members) -> Option<Vec<BusPropInput>> {
    let mut bus_props = Vec::new();
    let mut ids = HashSet::new();
    let mut texts = HashSet::new();
    for (pointer, entry) in form.entries_in_use("bus_props", MAX_BUS_PROPS)? {
        let Some(read) = read_bus_prop(form, entry, pointer) else {
            continue;
        };
        if read.id.is_some_and(|id| !ids.insert(id)) {
            let pointer = format!("{}/bus_prop_id", read.pointer);
            let detail = "the bus_prop_id comes before in the list";
            form.problems.push(pointer, code::DUPLICATE, detail);
        }
        if !texts.insert(read.text.clone()) {
            let detail = "the bus_prop comes before in the list";
            form.problems.push(&read.pointer, code::DUPLICATE, detail);
        }
        bus_props.push(read);
    }
    Some(bus_props)
}

/// One entry of the form's list; `None` if it is broken.
fn read_bus_prop(form: &Members, entry: &Value, pointer: String) -> Option<BusPropInput> {
    if let Value::String(text) = entry {
        let noted = |fault: Fault| {
            let detail = format!("bus_prop {fault}");
            form.problems.push(&pointer, fault.code, detail);
        };
        let text = BusProp::parse(text).map_err(noted).ok()?;
        return Some(BusPropInput {
            pointer,
            id: None,
            text,
        });
    }
    let entry = Members::of(entry, pointer, form.problems)?;
    entry.flag("retired");
    let id = entry.optional("bus_prop_id", |text| {
        let detail = "is not a number from 1 in plain digits";
        parse_bus_prop_id(text).ok_or_else(|| Fault::new(code::MALFORMED, detail))
    });
    let text = entry.parsed("bus_prop", BusProp::parse);
    entry.no_others(&[]);
    Some(BusPropInput {
        pointer: entry.pointer,
        id,
        text: text?,
    })
}

/// The fields that are not retired, each key once.
fn read_fields(form: &Members, texts: FormTexts<'_>) -> Option<Vec<FieldInput>> {
    let mut fields: Vec<FieldInput> = Vec::new();
    let mut keys = HashSet::new();
    let mut single_types = HashSet::new();
    let entries = form.entries_in_use("fields", MAX_FIELDS)?;
    for entry in entries.filter_map(|entry| form.object(entry)) {
        let key = entry.parsed("key", FieldKey::parse);
        if let Some(key) = &key
            && !keys.insert(key.clone())
        {
            let detail = "another field before has this key";
            entry.note("key", code::DUPLICATE, detail);
        }
        let kind = TextKind::Line(MAX_LABEL_CHARS);
        let label = texts.text(&entry, "label", kind);
        let labels = texts.labels(&entry, "labels", kind);
        let show_if = ShowIf::parse(
            &entry,
            fields
                .iter()
                .map(|before| (&before.field.key, &before.field.kind)),
        );
        let required = entry.flag("required");
        entry.flag("retired");
        let kind = FieldKind::parse(&entry, texts);
        entry.no_others(&[]);
        if let Some(field_type) = kind.as_ref().map(FieldKind::field_type)
            && field_type.is_single()
            && !single_types.insert(field_type)
        {
            let detail = format!("a form has one field of type {}", field_type.as_str());
            entry.note("type", code::DUPLICATE, detail);
        }
        if let (Some(key), Some(label), Some(kind)) = (key, label, kind) {
            fields.push(FieldInput {
                pointer: entry.pointer,
                field: Field {
                    key,
                    kind,
                    label,
                    required,
                    retired: false,
                    labels,
                    show_if,
                },
            });
        }
    }
    Some(fields)
}
