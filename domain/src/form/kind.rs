//! The types of fields: what defines each, how it is answered, and what a published one keeps.
//!
//! Each `match` names every type, so that the compiler lists what a new one needs. How an answer is read, counted and
//! shown in reports follows from its [`AnswerShape`]. The controls of the page are in `api/collect`.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use strum::{EnumDiscriminants, EnumString, IntoStaticStr, VariantArray};

use super::choice::{ChoiceOption, keep_options, read_options};
use super::label::FormTexts;
use super::limits::{MAX_OPTIONS, check_total};
use crate::invalid::{Fault, Problems, code};
use crate::members::Members;

/// How far a rating goes: from 1 to one of these.
const SCALES: Grades = Grades {
    lowest: 2,
    highest: 10,
};
const MAX_TEXT_CHARS: usize = 1_000;
const MAX_COMMENT_CHARS: usize = 10_000;

/// What a field asks. In JSON its type and the members that go with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, EnumDiscriminants)]
#[serde(tag = "type", rename_all = "snake_case")]
#[strum_discriminants(
    doc = "The type of a field.",
    name(FieldType),
    derive(Hash, Serialize, EnumString, IntoStaticStr, VariantArray),
    serde(rename_all = "snake_case"),
    strum(serialize_all = "snake_case")
)]
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

/// How a field is answered.
#[derive(Debug, Clone, Copy)]
pub enum AnswerShape<'a> {
    Grade(Grades),
    /// One of the options.
    One(&'a [ChoiceOption]),
    /// Any of the options.
    Many(&'a [ChoiceOption]),
    Text {
        max_chars: usize,
    },
}

/// The grades from a lowest to a highest one. As text `1 to 5`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grades {
    pub lowest: u8,
    pub highest: u8,
}

impl Grades {
    /// All grades, ascending.
    pub fn iter(self) -> RangeInclusive<u8> {
        self.lowest..=self.highest
    }

    /// The grade that a JSON value is, or the code of what is wrong with it.
    pub(crate) fn read(self, value: &Value) -> Result<u8, &'static str> {
        if !value.is_i64() && !value.is_u64() {
            return Err(code::WRONG_TYPE);
        }
        let number = value.as_u64().and_then(|number| u8::try_from(number).ok());
        let in_range = |grade: &u8| self.iter().contains(grade);
        number.filter(in_range).ok_or(code::OUT_OF_RANGE)
    }
}

impl fmt::Display for Grades {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.lowest, self.highest)
    }
}

impl AnswerShape<'_> {
    fn grade(lowest: u8, highest: u8) -> Self {
        Self::Grade(Grades { lowest, highest })
    }
}

impl FieldType {
    pub fn all() -> impl Iterator<Item = Self> {
        Self::VARIANTS.iter().copied()
    }

    /// All names, between `separator`s.
    fn names(separator: &str) -> String {
        let names: Vec<_> = Self::all().map(Self::as_str).collect();
        names.join(separator)
    }

    /// The type's name on the wire.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The numbers that define a field of this type, each with its range.
    pub fn numbers(self) -> &'static [(&'static str, Grades)] {
        match self {
            Self::Rating => &[("scale", SCALES)],
            Self::Nps
            | Self::Happiness
            | Self::Choice
            | Self::Choices
            | Self::Text
            | Self::Comment => &[],
        }
    }

    pub fn has_options(self) -> bool {
        match self {
            Self::Choice | Self::Choices => true,
            Self::Nps | Self::Happiness | Self::Rating | Self::Text | Self::Comment => false,
        }
    }

    /// Whether a form has at most one field of this type.
    pub fn is_single(self) -> bool {
        match self {
            Self::Nps | Self::Happiness | Self::Comment => true,
            Self::Rating | Self::Choice | Self::Choices | Self::Text => false,
        }
    }
}

impl FieldKind {
    pub fn field_type(&self) -> FieldType {
        self.into()
    }

    pub fn shape(&self) -> AnswerShape<'_> {
        match self {
            Self::Nps => AnswerShape::grade(0, 10),
            Self::Happiness => AnswerShape::grade(1, 5),
            Self::Rating { scale } => AnswerShape::grade(1, *scale),
            Self::Choice { options } => AnswerShape::One(options),
            Self::Choices { options } => AnswerShape::Many(options),
            Self::Text => AnswerShape::Text {
                max_chars: MAX_TEXT_CHARS,
            },
            Self::Comment => AnswerShape::Text {
                max_chars: MAX_COMMENT_CHARS,
            },
        }
    }

    /// The options, retired ones included; empty if the field has none.
    pub fn options(&self) -> &[ChoiceOption] {
        match self.shape() {
            AnswerShape::One(options) | AnswerShape::Many(options) => options,
            AnswerShape::Grade(_) | AnswerShape::Text { .. } => &[],
        }
    }

    /// The options, mutable.
    pub(super) fn options_mut(&mut self) -> &mut [ChoiceOption] {
        match self {
            Self::Choice { options } | Self::Choices { options } => options,
            Self::Nps | Self::Happiness | Self::Rating { .. } | Self::Text | Self::Comment => {
                &mut []
            }
        }
    }

    /// Reads the type of a field and the members that go with it.
    pub(super) fn parse(field: &Members, texts: FormTexts<'_>) -> Option<Self> {
        let field_type = field.parsed("type", |name| {
            let detail = || format!("is none of {}", FieldType::names(", "));
            FieldType::from_str(name).map_err(|_| Fault::new(code::UNKNOWN_TYPE, detail()))
        });
        if field_type.is_none() {
            // The members of any type may be meant.
            let numbers = FieldType::all().flat_map(FieldType::numbers);
            for name in numbers.map(|(name, _)| *name).chain(["options"]) {
                let _ = field.get(name);
            }
        }
        match field_type? {
            FieldType::Nps => Some(Self::Nps),
            FieldType::Happiness => Some(Self::Happiness),
            FieldType::Rating => {
                field.require("scale");
                let scale = field.number("scale", SCALES.iter())?;
                Some(Self::Rating { scale })
            }
            FieldType::Choice => read_options(field, texts).map(|options| Self::Choice { options }),
            FieldType::Choices => {
                read_options(field, texts).map(|options| Self::Choices { options })
            }
            FieldType::Text => Some(Self::Text),
            FieldType::Comment => Some(Self::Comment),
        }
    }

    /// Makes this the kind of a published field that is `old`, and notes what such a field cannot become.
    pub(super) fn replace(&mut self, old: &Self, pointer: &str, problems: &Problems) {
        let stays = |what: &str, old: &dyn fmt::Display| {
            format!("the {what} stays {old} once the form is published")
        };
        if self.field_type() != old.field_type() {
            let detail = stays("type", &old.field_type().as_str());
            return problems.push(format!("{pointer}/type"), code::TYPE_CHANGED, detail);
        }
        match self {
            Self::Rating { scale } => {
                if let Self::Rating { scale: old } = old
                    && scale != old
                {
                    let detail = stays("scale", old);
                    problems.push(format!("{pointer}/scale"), code::SCALE_CHANGED, detail);
                }
            }
            Self::Choice { options } | Self::Choices { options } => {
                keep_options(old.options(), options);
                let pointer = format!("{pointer}/options");
                check_total(options.len(), MAX_OPTIONS, &pointer, problems);
            }
            Self::Nps | Self::Happiness | Self::Text | Self::Comment => {}
        }
    }
}
