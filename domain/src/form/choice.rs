//! The options of a choice.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::limits::{MAX_LABEL_CHARS, MAX_OPTIONS};
use super::members::Members;
use crate::invalid::{Problems, code};

/// The characters of an option's value, at most; at least 1.
pub const MAX_VALUE_CHARS: usize = 100;

/// What can be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChoiceOption {
    // Each value once in a field.
    pub value: String,
    pub label: String,
    /// Only where it is: off the page, still in reports.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub retired: bool,
    /// What counts know it by: each number once in a field, and the same as long as the field's form is published.
    #[serde(skip)]
    pub(crate) number: u8,
}

/// Reads the options of a field, at least one that is not retired.
pub(super) fn read_options(field: &Members, problems: &mut Problems) -> Vec<ChoiceOption> {
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
    let has_none = field
        .get("options")
        .is_none_or(|list| list.as_array().is_some_and(Vec::is_empty));
    if has_none || (retired > 0 && retired == entries.len()) {
        problems.push(
            at,
            code::MISSING,
            "a choice has at least one option that is not retired",
        );
    }
    options
}

/// Makes `new` the options of a published field that has `old`: options that are left out are retired, and each keeps its
/// number, because counts name options by it.
pub(super) fn keep_options(old: &[ChoiceOption], new: &mut Vec<ChoiceOption>) {
    let last = old.iter().map(|option| option.number).max();
    let mut free = last.map_or(0, |last| last.saturating_add(1));
    for option in new.iter_mut() {
        if let Some(known) = old.iter().find(|known| known.value == option.value) {
            option.number = known.number;
        } else {
            option.number = free;
            free = free.saturating_add(1);
        }
    }
    for option in old {
        if !new.iter().any(|new| new.value == option.value) {
            new.push(ChoiceOption {
                retired: true,
                ..option.clone()
            });
        }
    }
}
