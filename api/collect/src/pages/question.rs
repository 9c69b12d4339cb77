//! One field as a question of the page: its label, its controls, what was typed, and what is wrong with it.

use domain::form::{AnswerShape, Field, FieldKind};

use super::grade::{Grade, Scale, chosen};
use super::wording::in_words;

/// A question of the page.
pub(super) struct Question<'a> {
    pub(super) key: &'a str,
    pub(super) label: &'a str,
    pub(super) required: bool,
    pub(super) control: Control<'a>,
    /// What is wrong with what was typed, for people.
    pub(super) error: Option<String>,
    /// The characters that a text may have; 0 where the answer is no text.
    pub(super) max_chars: usize,
}

/// What is touched to answer.
pub(super) enum Control<'a> {
    Scale(Scale),
    Smileys {
        grades: Vec<Grade>,
    },
    Options {
        kind: &'static str,
        options: Vec<Choice<'a>>,
    },
    Line {
        typed: &'a str,
    },
    Area {
        typed: &'a str,
    },
}

/// One option of a choice.
pub(super) struct Choice<'a> {
    pub(super) id: String,
    pub(super) value: &'a str,
    pub(super) label: &'a str,
    pub(super) checked: bool,
}

impl<'a> Question<'a> {
    /// The question of a field with what was `typed` under its key, in the order it came.
    pub(super) fn new(field: &'a Field, typed: &[&'a str], error: Option<String>) -> Self {
        let key = field.key.as_str();
        let first = typed.first().copied().unwrap_or_default();
        let control = match &field.kind {
            FieldKind::Nps => Control::Scale(Scale::nps(key, typed)),
            FieldKind::Rating { scale } => Control::Scale(Scale::rating(*scale, key, typed)),
            FieldKind::Happiness => Control::Smileys {
                grades: Grade::smileys(key, typed),
            },
            FieldKind::Choice { .. } => Control::options("radio", field, typed),
            FieldKind::Choices { .. } => Control::options("checkbox", field, typed),
            FieldKind::Text => Control::Line { typed: first },
            FieldKind::Comment => Control::Area { typed: first },
        };
        Self {
            key,
            label: &field.label,
            required: field.required,
            control,
            error,
            max_chars: match field.kind.shape() {
                AnswerShape::Text { max_chars } => max_chars,
                AnswerShape::Grade(_) | AnswerShape::One(_) | AnswerShape::Many(_) => 0,
            },
        }
    }

    /// Whether several controls answer it.
    pub(super) fn is_group(&self) -> bool {
        match self.control {
            Control::Scale(_) | Control::Smileys { .. } | Control::Options { .. } => true,
            Control::Line { .. } | Control::Area { .. } => false,
        }
    }

    /// Whether one of several controls answers it.
    pub(super) fn is_radio(&self) -> bool {
        match self.control {
            Control::Scale(_) | Control::Smileys { .. } => true,
            Control::Options { kind, .. } => kind == "radio",
            Control::Line { .. } | Control::Area { .. } => false,
        }
    }

    /// What is said about the length of a text.
    pub(super) fn limit(&self) -> String {
        format!("At most {} characters.", in_words(self.max_chars))
    }

    /// The ids of what describes a text's box.
    pub(super) fn described_by(&self) -> String {
        let key = self.key;
        match self.error {
            Some(_) => format!("h-{key} e-{key}"),
            None => format!("h-{key}"),
        }
    }

    /// What was chosen or typed, as people read it; empty if nothing was.
    pub(super) fn answer(&self) -> String {
        match &self.control {
            Control::Scale(scale) => chosen(&scale.grades, |grade| grade.value.to_string()),
            Control::Smileys { grades } => chosen(grades, |grade| grade.meaning.to_owned()),
            Control::Options { options, .. } => {
                let chosen = options.iter().filter(|option| option.checked);
                chosen
                    .map(|option| option.label)
                    .collect::<Vec<_>>()
                    .join("\n")
            }
            Control::Line { typed } | Control::Area { typed } => (*typed).to_owned(),
        }
    }
}

impl<'a> Control<'a> {
    fn options(kind: &'static str, field: &'a Field, typed: &[&str]) -> Self {
        let options = field.page_options().enumerate();
        let options = options.map(|(place, option)| Choice {
            id: id(field.key.as_str(), place),
            value: &option.value,
            label: &option.label,
            checked: typed.contains(&option.value.as_str()),
        });
        Control::Options {
            kind,
            options: options.collect(),
        }
    }
}

/// The id of the control at this place, from 0. No key has a `-`, so that no id is given twice.
pub(super) fn id(key: &str, place: usize) -> String {
    match place {
        0 => format!("f-{key}"),
        _ => format!("f-{key}-{place}"),
    }
}
