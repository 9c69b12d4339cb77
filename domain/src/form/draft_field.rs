//! The fields of a [`FormDraft`](super::FormDraft), and everything that can be wrong with them.

use std::collections::HashSet;

use super::draft::DraftField;
use super::field::{MAX_VALUE_CHARS, SCALES};
use super::members::Members;
use super::{
    ChoiceOption, Field, FieldKey, FieldKeyError, FieldKind, MAX_FIELDS, MAX_LABEL_CHARS,
    MAX_OPTIONS,
};
use crate::invalid::{Problems, code, whole_number};

/// The fields that are not retired, each key once.
pub(super) fn read_fields(form: &Members, problems: &mut Problems) -> Vec<DraftField> {
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
                // Options are fewer than a byte can number.
                number: u8::try_from(options.len()).unwrap_or(u8::MAX),
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
