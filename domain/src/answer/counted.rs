//! What a figure counts of the answers to a form, which is what the list behind it has.

use crate::form::{AnswerShape, FieldType, FormContent};
use crate::metrics::GradeOrOption;
use crate::rollup::Delta;

/// The answers that a figure counts and that its list has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Counted {
    /// All.
    Responses,
    /// Those with a comment.
    Comments,
    Nps(GradeRange),
    Happiness(GradeRange),
    Answer(AnswerMatch),
}

/// Grades of a field, both ends included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GradeRange {
    /// Empty where the form has no such field.
    pub key: String,
    pub lowest: u8,
    pub highest: u8,
}

/// One field, and how it is answered. As text `key=value`, or `key` where any answer matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerMatch {
    pub key: String,
    /// A grade, or an option that is chosen, maybe among others; `None`: anything.
    pub value: Option<GradeOrOption>,
    /// What counts know the value by.
    number: u8,
}

impl Counted {
    /// How many there are among these counts.
    pub fn count(&self, delta: &Delta) -> i64 {
        match self {
            Self::Responses => delta.counts.responses,
            Self::Comments => delta.counts.comments,
            Self::Nps(range) | Self::Happiness(range) => {
                let field = delta.fields.get(&range.key);
                let grades = range.lowest..=range.highest;
                field.map_or(0, |field| grades.map(|grade| field.value(grade)).sum())
            }
            Self::Answer(AnswerMatch { key, value, number }) => {
                let field = delta.fields.get(key);
                field.map_or(0, |field| match value {
                    Some(_) => field.value(*number),
                    None => field.answers(),
                })
            }
        }
    }

    /// Whether the counters of a day alone tell how many there are, without the counts of its fields.
    pub fn is_counter(&self) -> bool {
        matches!(self, Self::Responses | Self::Comments)
    }

    /// The parameter of a list that has these; `None`: the list has it without one.
    pub fn parameter(&self) -> Option<(&'static str, String)> {
        let grades = |range: &GradeRange| format!("{}-{}", range.lowest, range.highest);
        match self {
            Self::Responses | Self::Comments => None,
            Self::Nps(range) => Some(("nps", grades(range))),
            Self::Happiness(range) => Some(("happiness", grades(range))),
            Self::Answer(AnswerMatch { key, value, .. }) => {
                let text = match value {
                    None => key.clone(),
                    Some(value) => format!("{key}={value}"),
                };
                Some(("answer", text))
            }
        }
    }
}

impl GradeRange {
    /// Of the field of a type that a form has at most one of.
    pub fn new(form: &FormContent, kind: FieldType, (lowest, highest): (u8, u8)) -> Self {
        let mut fields = form.fields.iter();
        let field = fields.find(|field| field.kind.field_type() == kind);
        Self {
            key: field.map_or_else(String::new, |field| field.key.as_str().to_owned()),
            lowest,
            highest,
        }
    }
}

impl AnswerMatch {
    /// Reads `key=value` or `key`. `None`: the form has no such field, grade or option, or the field takes any text.
    pub fn read(form: &FormContent, text: &str) -> Option<Self> {
        let (key, value) = match text.split_once('=') {
            Some((key, value)) => (key, Some(value)),
            None => (text, None),
        };
        let field = form.field(key)?;
        let shape = field.kind.shape();
        let mut number = 0;
        let value = match (value, shape) {
            (None, _) => None,
            (Some(text), AnswerShape::Grade(grades)) => {
                let mut grades = grades.iter();
                number = grades.find(|grade| grade.to_string() == text)?;
                Some(GradeOrOption::Grade(number))
            }
            (Some(text), AnswerShape::One(_) | AnswerShape::Many(_)) => {
                let mut options = form.numbered_options(field);
                number = options.find(|(_, option)| option.value == text)?.0;
                Some(GradeOrOption::Option(text.to_owned()))
            }
            (Some(_), AnswerShape::Text { .. }) => return None,
        };
        Some(Self {
            key: key.to_owned(),
            value,
            number,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::rollup::tests::{delta, form};

    #[test]
    fn a_figure_counts_what_its_parameter_reads_as() {
        let form = form();
        let counts = delta(&json!({"nps": 3, "colour": "b"}));
        let read = |text| AnswerMatch::read(&form, text).map(Counted::Answer);
        for (text, count) in [("nps=3", 1), ("nps=4", 0), ("colour=b", 1), ("colour", 1)] {
            let counted = read(text).unwrap();
            assert_eq!(counted.count(&counts), count, "{text}");
            assert_eq!(counted.parameter(), Some(("answer", text.to_owned())));
        }
        let detractors = Counted::Nps(GradeRange::new(&form, FieldType::Nps, (0, 6)));
        assert_eq!(detractors.count(&counts), counts.counts.detractors);
        assert_eq!(detractors.parameter(), Some(("nps", "0-6".to_owned())));
        for text in ["", "=", "none", "nps=11", "nps=03", "nps=", "colour=none"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
