//! One field as a question of the page: its label, its control, what was typed, and what is wrong with it.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use api_language::Text;
use domain::form::{AnswerShape, Field, FieldKind, MAX_OTHER_CHARS, ShowIf};
use serde_json::{Value, json};

/// The most grades that a row has room for at 320 px, each 44 px wide.
const NARROW: usize = 6;

/// What came under a field's key.
pub(super) struct Typed<'a> {
    /// In the order it came.
    pub(super) values: Vec<&'a str>,
    /// Beside an option.
    pub(super) text: Option<&'a str>,
}

impl<'a> Typed<'a> {
    /// The first text that came under the key.
    pub(super) fn first(&self) -> &'a str {
        self.values.first().copied().unwrap_or_default()
    }
}

/// A question of the page.
pub(super) struct Question<'a> {
    pub(super) key: &'a str,
    pub(super) label: &'a str,
    pub(super) required: bool,
    /// The key of a question before, and a JSON array of those of its values with which this one is asked.
    pub(super) show_if: Option<(&'a str, String)>,
    pub(super) control: Control,
    /// What can be chosen; nothing where something is typed.
    pub(super) choices: Vec<Choice<'a>>,
    /// The first text that came under the key, or of a choice the text beside an option.
    pub(super) typed: &'a str,
    /// What is wrong with what was typed, for people.
    pub(super) error: Option<String>,
    /// The characters that a text may have.
    pub(super) max_chars: usize,
}

/// What is touched to answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Control {
    /// A row of grades that breaks into equal rows on a narrow screen.
    Scale,
    Smileys,
    Radio,
    Checkbox,
    Line,
    Area,
}

/// One grade of a scale, one smiley, or one option.
#[derive(Default)]
pub(super) struct Choice<'a> {
    pub(super) id: String,
    pub(super) value: Cow<'a, str>,
    /// What it means, in words; empty between the ends of a scale of numbers.
    pub(super) label: Cow<'a, str>,
    /// How a smiley or a grade is coloured: the name of its class in the style.
    pub(super) tone: &'static str,
    /// A smiley's mouth, as a path in a square of 32.
    pub(super) mouth: &'static str,
    /// Whether a text may be given with it.
    pub(super) text: bool,
    pub(super) checked: bool,
}

impl<'a> Question<'a> {
    /// The question of a field with what was `typed` under its key, in the order it came.
    pub(super) fn new(
        t: &Text,
        field: &'a Field,
        typed: &Typed<'a>,
        error: Option<String>,
    ) -> Self {
        let key = field.key.as_str();
        let (control, mut choices) = match &field.kind {
            FieldKind::Nps => (Control::Scale, nps(t)),
            FieldKind::Rating { scale } => (Control::Scale, rating(t, *scale)),
            FieldKind::Happiness => (Control::Smileys, smileys(t)),
            FieldKind::Choice { .. } => (Control::Radio, options(field)),
            FieldKind::Choices { .. } => (Control::Checkbox, options(field)),
            FieldKind::Text => (Control::Line, Vec::new()),
            FieldKind::Comment => (Control::Area, Vec::new()),
        };
        for (place, choice) in choices.iter_mut().enumerate() {
            // No key has a `-`, so that no id is given twice. The summary leads to the first.
            choice.id = match place {
                0 => format!("f-{key}"),
                _ => format!("f-{key}-{place}"),
            };
            choice.checked = typed.values.contains(&&*choice.value);
            let is_written = typed.text.is_some_and(|text| !text.trim().is_empty());
            choice.checked |= choice.text && is_written && typed.values.is_empty();
        }
        let (typed, max_chars) = match field.kind.shape() {
            AnswerShape::Text { max_chars } => (typed.first(), max_chars),
            AnswerShape::Grade(_) | AnswerShape::One(_) | AnswerShape::Many(_) => {
                (typed.text.unwrap_or_default(), MAX_OTHER_CHARS)
            }
        };
        Self {
            key,
            label: &field.label,
            required: field.required,
            show_if: field.show_if.as_ref().map(condition),
            control,
            choices,
            typed,
            error,
            max_chars,
        }
    }

    /// Whether several controls answer it.
    pub(super) fn is_group(&self) -> bool {
        match self.control {
            Control::Line | Control::Area => false,
            Control::Scale | Control::Smileys | Control::Radio | Control::Checkbox => true,
        }
    }

    /// Whether one of several controls answers it.
    pub(super) fn is_radio(&self) -> bool {
        self.is_group() && self.control != Control::Checkbox
    }

    /// Grades in a row of a narrow screen.
    pub(super) fn narrow(&self) -> usize {
        let wide = self.choices.len();
        wide.div_ceil(wide.div_ceil(NARROW))
    }

    /// What was chosen or typed, as people read it; empty if nothing was.
    pub(super) fn answer(&self) -> String {
        let chosen = self.choices.iter().filter(|choice| choice.checked);
        let words: Vec<Cow<'_, str>> = match self.control {
            Control::Line | Control::Area => vec![self.typed.into()],
            Control::Scale => chosen.take(1).map(|choice| choice.value.clone()).collect(),
            Control::Smileys => chosen.take(1).map(|choice| choice.label.clone()).collect(),
            Control::Radio | Control::Checkbox => chosen
                .map(|choice| match self.typed {
                    text if choice.text && !text.is_empty() => {
                        format!("{}: {text}", choice.label).into()
                    }
                    _ => choice.label.clone(),
                })
                .collect(),
        };
        words.join("\n")
    }
}

/// The values as controls have them: all are texts.
fn condition(show_if: &ShowIf) -> (&str, String) {
    let values = show_if.values.iter().map(|value| match value {
        Value::String(text) => json!(text),
        other => json!(other.to_string()),
    });
    (show_if.key.as_str(), values.collect::<Value>().to_string())
}

/// 0 to 10, all alike: colours would say which grade is wanted.
fn nps(t: &Text) -> Vec<Choice<'static>> {
    let ends = [t.get("public-nps-0"), t.get("public-nps-10")];
    grades(0..=10, ends)
}

/// 1 to `highest`.
fn rating(t: &Text, highest: u8) -> Vec<Choice<'static>> {
    let ends = [t.get("public-lowest"), t.get("public-highest")];
    grades(1..=highest, ends)
}

fn grades(values: RangeInclusive<u8>, [lowest, highest]: [String; 2]) -> Vec<Choice<'static>> {
    let (low, high) = (*values.start(), *values.end());
    let grade = |value: u8| Choice {
        value: value.to_string().into(),
        label: match value {
            value if value == low => lowest.clone().into(),
            value if value == high => highest.clone().into(),
            _ => "".into(),
        },
        tone: "even",
        ..Choice::default()
    };
    values.map(grade).collect()
}

/// 1 to 5: their tones and mouths.
const SMILEYS: [(&str, &str); 5] = [
    ("low", "M10 23q6-7 12 0"),
    ("low", "M11 22q5-3 10 0"),
    ("mid", "M11 21h10"),
    ("high", "M11 20q5 4 10 0"),
    ("high", "M10 19q6 9 12 0z"),
];

fn smileys(t: &Text) -> Vec<Choice<'static>> {
    let smiley = |(value, (tone, mouth)): (usize, (&'static str, &'static str))| Choice {
        value: value.to_string().into(),
        label: t.of("public-happiness", value).into(),
        tone,
        mouth,
        ..Choice::default()
    };
    (1..).zip(SMILEYS).map(smiley).collect()
}

fn options(field: &Field) -> Vec<Choice<'_>> {
    let options = field.page_options().map(|option| Choice {
        value: option.value.as_str().into(),
        label: option.label.as_str().into(),
        text: option.text,
        ..Choice::default()
    });
    options.collect()
}
