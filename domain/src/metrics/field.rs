//! How one field was answered.

use std::fmt;

use serde::Serialize;

use super::ratio;
use crate::form::{AnswerShape, Field, FieldKey, FieldType, FormContent};
use crate::rollup::{FieldCount, FieldCounts};

/// How one field was answered.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FieldSummary {
    pub key: FieldKey,
    #[serde(rename = "type")]
    pub kind: FieldType,
    pub label: String,
    /// Off the page.
    pub retired: bool,
    pub answers: i64,
    /// Responses − answers.
    pub skipped: i64,
    /// Of grades.
    pub mean: Option<f64>,
    /// Every grade or option, zeros too; empty for texts.
    pub distribution: Vec<ValueShare>,
}

/// How often one grade or option was given.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ValueShare {
    pub value: GradeOrOption,
    pub label: String,
    pub count: i64,
    /// Count ÷ the field's answers.
    pub share: Option<f64>,
}

/// A grade, or the value of an option.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum GradeOrOption {
    Grade(u8),
    Option(String),
}

/// As in the parameter of a list.
impl fmt::Display for GradeOrOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Grade(grade) => grade.fmt(f),
            Self::Option(value) => f.write_str(value),
        }
    }
}

impl FieldSummary {
    /// Of every field of the form, in its order. `counts` and `responses` are of the same days and `bus_prop`.
    pub fn of_form(form: &FormContent, counts: &FieldCounts, responses: i64) -> Vec<Self> {
        let none = FieldCount::default();
        let summary = |field: &Field| {
            let count = counts.get(field.key.as_str()).unwrap_or(&none);
            let answers = count.answers();
            let (mean, values) = values(form, field, count);
            let share = |(value, label, number)| ValueShare {
                value,
                label,
                count: count.value(number),
                share: ratio(count.value(number), answers),
            };
            Self {
                key: field.key.clone(),
                kind: field.kind.field_type(),
                label: field.label.clone(),
                retired: field.retired,
                answers,
                skipped: responses.wrapping_sub(answers),
                mean,
                distribution: values.into_iter().map(share).collect(),
            }
        };
        form.fields.iter().map(summary).collect()
    }
}

/// The mean of a field of grades; and what may be answered, with its label and the number by which it is counted.
fn values(
    form: &FormContent,
    field: &Field,
    count: &FieldCount,
) -> (Option<f64>, Vec<(GradeOrOption, String, u8)>) {
    match field.kind.shape() {
        AnswerShape::Grade(grades) => {
            let grade = |grade: u8| (GradeOrOption::Grade(grade), grade.to_string(), grade);
            let mean = ratio(count.sum(), count.answers());
            (mean, grades.iter().map(grade).collect())
        }
        AnswerShape::One(_) | AnswerShape::Many(_) => {
            let options = form.numbered_options(field).map(|(number, option)| {
                let value = GradeOrOption::Option(option.value.clone());
                (value, option.label.clone(), number)
            });
            (None, options.collect())
        }
        AnswerShape::Text { .. } => (None, Vec::new()),
    }
}
