//! One question of a form.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::FieldKey;

/// The characters of an option's value, at most; at least 1.
pub const MAX_VALUE_CHARS: usize = 100;
/// How far a rating goes: from 1 to one of these.
pub const SCALES: RangeInclusive<u8> = 2..=10;
const MAX_TEXT_CHARS: usize = 1_000;
const MAX_COMMENT_CHARS: usize = 10_000;

/// A question. In JSON, stored and answered alike, `type` and what goes with it (`scale`, `options`) stand
/// beside the other members.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    pub key: FieldKey,
    #[serde(flatten)]
    pub kind: FieldKind,
    pub label: String,
    pub required: bool,
    /// Off the page; still in reports.
    pub retired: bool,
}

/// What can be answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FieldKind {
    /// 0 to 10: how likely somebody is to recommend the company.
    Nps,
    /// 1 to 5, as smileys.
    Happiness,
    /// 1 to `scale`.
    Rating { scale: u8 },
    /// One of the options.
    Choice { options: Vec<ChoiceOption> },
    /// Any of the options.
    Choices { options: Vec<ChoiceOption> },
    /// A short text, of one line on the page; not a comment in reports.
    Text,
    /// A long text.
    Comment,
}

/// One option of a choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChoiceOption {
    /// 1 to 100 characters, each value once in a field.
    pub value: String,
    pub label: String,
    /// Off the page; still in reports.
    pub retired: bool,
    /// What counts know it by: each number once in a field, and the same as long as the field's form is published.
    pub(crate) number: u8,
}

impl FieldKind {
    /// The names of all types.
    pub const TYPES: [&str; 7] = [
        "nps",
        "happiness",
        "rating",
        "choice",
        "choices",
        "text",
        "comment",
    ];

    /// The type's name on the wire.
    pub fn type_name(&self) -> &'static str {
        match self {
            FieldKind::Nps => "nps",
            FieldKind::Happiness => "happiness",
            FieldKind::Rating { .. } => "rating",
            FieldKind::Choice { .. } => "choice",
            FieldKind::Choices { .. } => "choices",
            FieldKind::Text => "text",
            FieldKind::Comment => "comment",
        }
    }

    /// The grades that can be given; `None` if the answer is no grade.
    pub fn grades(&self) -> Option<RangeInclusive<u8>> {
        match self {
            FieldKind::Nps => Some(0..=10),
            FieldKind::Happiness => Some(1..=5),
            FieldKind::Rating { scale } => Some(1..=*scale),
            _ => None,
        }
    }

    /// The options, retired ones included; empty if the field has none.
    pub fn options(&self) -> &[ChoiceOption] {
        match self {
            FieldKind::Choice { options } | FieldKind::Choices { options } => options,
            _ => &[],
        }
    }

    /// The option with this value, retired or not.
    pub fn option(&self, value: &str) -> Option<&ChoiceOption> {
        self.options().iter().find(|option| option.value == value)
    }

    /// The characters of an answer, at most; `None` if the answer is no text.
    pub fn max_chars(&self) -> Option<usize> {
        match self {
            FieldKind::Text => Some(MAX_TEXT_CHARS),
            FieldKind::Comment => Some(MAX_COMMENT_CHARS),
            _ => None,
        }
    }

    /// Whether a form can have one field of this type only.
    pub(super) fn is_single(&self) -> bool {
        matches!(
            self,
            FieldKind::Nps | FieldKind::Happiness | FieldKind::Comment
        )
    }
}

impl Field {
    /// The options of the page.
    pub fn page_options(&self) -> impl Iterator<Item = &ChoiceOption> {
        self.kind.options().iter().filter(|option| !option.retired)
    }
}
