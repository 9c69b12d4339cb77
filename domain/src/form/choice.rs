//! The options of a choice.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::label::{FormTexts, Labels, TextKind};
use super::limits::{MAX_LABEL_CHARS, MAX_OPTIONS};
use crate::invalid::code;
use crate::members::Members;

/// The characters of an option's value, at most; at least 1.
pub const MAX_VALUE_CHARS: usize = 100;
/// The characters of a text beside an option, at most.
pub const MAX_OTHER_CHARS: usize = 200;

/// What can be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChoiceOption {
    // Each value once in a field.
    pub value: String,
    pub label: String,
    /// In other languages.
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    pub labels: Labels,
    /// Only where it is: a text may be given with it ("other: …"). At most one of those in use.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub text: bool,
    /// Only where it is: off the page, still in reports.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retired: bool,
}

/// Reads the options of a field, at least one that is not retired.
pub(super) fn read_options(field: &Members, texts: FormTexts<'_>) -> Option<Vec<ChoiceOption>> {
    let mut entries = field.entries_in_use("options", MAX_OPTIONS)?.peekable();
    if entries.peek().is_none() {
        let detail = "a choice has at least one option that is not retired";
        field.note("options", code::MISSING, detail);
    }
    let mut options = Vec::new();
    let mut values = HashSet::new();
    let mut has_text = false;
    for entry in entries.filter_map(|entry| field.object(entry)) {
        entry.flag("retired");
        let value = entry.line("value", MAX_VALUE_CHARS);
        let kind = TextKind::Line(MAX_LABEL_CHARS);
        let label = texts.text(&entry, "label", kind);
        let labels = texts.labels(&entry, "labels", kind);
        let text = entry.flag("text");
        if text && has_text {
            let detail = "another option before takes a text";
            entry.note("text", code::DUPLICATE, detail);
        }
        has_text |= text;
        entry.no_others(&[]);
        if let Some(value) = &value
            && !values.insert(value.clone())
        {
            let detail = "another option before has this value";
            entry.note("value", code::DUPLICATE, detail);
        }
        if let (Some(value), Some(label)) = (value, label) {
            options.push(ChoiceOption {
                value,
                label,
                labels,
                text,
                retired: false,
            });
        }
    }
    Some(options)
}

/// Makes `new` the options of a published field that has `old`: options that are left out are retired.
pub(super) fn keep_options(old: &[ChoiceOption], new: &mut Vec<ChoiceOption>) {
    for option in old {
        if !new.iter().any(|new| new.value == option.value) {
            new.push(ChoiceOption {
                retired: true,
                ..option.clone()
            });
        }
    }
}
