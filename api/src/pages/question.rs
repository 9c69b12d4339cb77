//! One field as a question of the page: its label, its controls, what was typed, and what is wrong with it.

use std::ops::RangeInclusive;

use domain::form::{Field, FieldKind};

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
    pub(super) most: usize,
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

/// A row of grades that breaks into equal rows on a narrow screen.
pub(super) struct Scale {
    pub(super) grades: Vec<Grade>,
    /// Grades in a row: of a narrow and of a wide screen.
    pub(super) narrow: usize,
    pub(super) wide: usize,
}

impl Scale {
    /// The grades whose meaning stands below.
    pub(super) fn ends(&self) -> impl Iterator<Item = &Grade> {
        self.grades.iter().filter(|grade| !grade.meaning.is_empty())
    }
}

/// One grade of a scale.
pub(super) struct Grade {
    pub(super) id: String,
    pub(super) value: u8,
    /// What it means, in words; empty between the ends of a scale of numbers.
    pub(super) meaning: &'static str,
    pub(super) tone: Tone,
    pub(super) checked: bool,
}

/// One option of a choice.
pub(super) struct Choice<'a> {
    pub(super) id: String,
    pub(super) value: &'a str,
    pub(super) label: &'a str,
    pub(super) checked: bool,
}

fn chosen(grades: &[Grade], words: impl Fn(&Grade) -> String) -> String {
    let chosen = grades.iter().find(|grade| grade.checked);
    chosen.map(words).unwrap_or_default()
}

/// How a grade is coloured: the name of its class in the style.
#[derive(Clone, Copy)]
pub(super) enum Tone {
    Low,
    Mid,
    High,
    Even,
}

impl Tone {
    pub(super) fn class(self) -> &'static str {
        match self {
            Tone::Low => "low",
            Tone::Mid => "mid",
            Tone::High => "high",
            Tone::Even => "even",
        }
    }
}

/// Detractors, passives, promoters.
fn nps_tone(grade: u8) -> Tone {
    match grade {
        0..=6 => Tone::Low,
        7..=8 => Tone::Mid,
        _ => Tone::High,
    }
}

fn happiness_tone(grade: u8) -> Tone {
    match grade {
        0..=2 => Tone::Low,
        3 => Tone::Mid,
        _ => Tone::High,
    }
}

fn smiley_meaning(grade: u8) -> &'static str {
    match grade {
        1 => "Very unhappy",
        2 => "Unhappy",
        3 => "Neutral",
        4 => "Happy",
        _ => "Very happy",
    }
}

impl Grade {
    fn all(
        values: RangeInclusive<u8>,
        meaning: impl Fn(u8) -> &'static str,
        tone: fn(u8) -> Tone,
        key: &str,
        typed: &[&str],
    ) -> Vec<Self> {
        let grade = |(place, value): (usize, u8)| Self {
            id: id(key, place),
            value,
            meaning: meaning(value),
            tone: tone(value),
            checked: typed.contains(&value.to_string().as_str()),
        };
        values.enumerate().map(grade).collect()
    }

    /// A smiley's mouth, as a path in a square of 32.
    pub(super) fn mouth(&self) -> &'static str {
        match self.value {
            1 => "M10 23q6-7 12 0",
            2 => "M11 22q5-3 10 0",
            3 => "M11 21h10",
            4 => "M11 20q5 4 10 0",
            _ => "M10 19q6 9 12 0z",
        }
    }
}

/// The most grades that a row has room for at 320 px, each 44 px wide.
const NARROW: usize = 6;

impl<'a> Question<'a> {
    /// The question of a field with what was `typed` under its key, in the order it came.
    pub(super) fn new(field: &'a Field, typed: &[&'a str], error: Option<String>) -> Self {
        let key = field.key.as_str();
        let first = typed.first().copied().unwrap_or_default();
        let control = match &field.kind {
            FieldKind::Nps => {
                let ends = ["not at all likely", "extremely likely"];
                Control::scale(0..=10, ends, nps_tone, key, typed)
            }
            FieldKind::Rating { scale } => Control::scale(
                1..=*scale,
                ["lowest", "highest"],
                |_| Tone::Even,
                key,
                typed,
            ),
            FieldKind::Happiness => Control::Smileys {
                grades: Grade::all(1..=5, smiley_meaning, happiness_tone, key, typed),
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
            most: field.kind.max_chars().unwrap_or_default(),
        }
    }

    /// Whether several controls answer it.
    pub(super) fn is_group(&self) -> bool {
        !matches!(self.control, Control::Line { .. } | Control::Area { .. })
    }

    /// Whether one of several controls answers it.
    pub(super) fn is_radio(&self) -> bool {
        self.is_group()
            && !matches!(
                self.control,
                Control::Options {
                    kind: "checkbox",
                    ..
                }
            )
    }

    /// What is said about the length of a text.
    pub(super) fn limit(&self) -> String {
        format!("At most {} characters.", in_words(self.most))
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

    fn scale(
        values: RangeInclusive<u8>,
        [lowest, highest]: [&'static str; 2],
        tone: fn(u8) -> Tone,
        key: &str,
        typed: &[&str],
    ) -> Self {
        let (low, high) = (*values.start(), *values.end());
        let meaning = |value| match value {
            value if value == low => lowest,
            value if value == high => highest,
            _ => "",
        };
        let grades = Grade::all(values, meaning, tone, key, typed);
        let wide = grades.len();
        Control::Scale(Scale {
            narrow: wide.div_ceil(wide.div_ceil(NARROW)),
            wide,
            grades,
        })
    }
}

/// The id of the control at this place, from 0. No key has a `-`, so that no id is given twice.
fn id(key: &str, place: usize) -> String {
    match place {
        0 => target(key),
        _ => format!("f-{key}-{place}"),
    }
}

/// The id of a question's first control, to which the summary of problems leads.
pub(super) fn target(key: &str) -> String {
    format!("f-{key}")
}
