//! How one field was answered.

use serde::Serialize;
use utoipa::ToSchema;

use super::ratio;
use crate::form::{AnswerShape, Field, FieldKey, FieldType, FormContent};
use crate::rollup::{FieldCount, FieldCounts};

/// How one field was answered.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct FieldSummary {
    #[schema(value_type = String)]
    pub key: FieldKey,
    #[serde(rename = "type")]
    #[schema(inline)]
    pub kind: FieldType,
    pub label: String,
    /// Off the page.
    pub retired: bool,
    pub answers: i64,
    /// Responses − answers.
    pub skipped: i64,
    /// Of grades.
    #[schema(required = true)]
    pub mean: Option<f64>,
    /// Every grade or option, zeros too; empty for texts.
    pub distribution: Vec<ValueShare>,
}

/// How often one grade or option was given.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ValueShare {
    pub value: GradeOrOption,
    pub label: String,
    pub count: i64,
    /// Count ÷ the field's answers.
    #[schema(required = true)]
    pub share: Option<f64>,
}

/// A grade, or the value of an option.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum GradeOrOption {
    Grade(u8),
    Option(String),
}

impl FieldSummary {
    /// Of every field of the form, in its order. `counts` and `responses` are of the same days and `bus_prop`.
    pub fn of_form(form: &FormContent, counts: &FieldCounts, responses: i64) -> Vec<Self> {
        let fields = form.fields.iter();
        fields
            .map(|field| Self::new(form, field, counts, responses))
            .collect()
    }

    fn new(form: &FormContent, field: &Field, counts: &FieldCounts, responses: i64) -> Self {
        let none = FieldCount::default();
        let count = counts.get(field.key.as_str()).unwrap_or(&none);
        let answers = count.answers();
        let mean = match field.kind.shape() {
            AnswerShape::Grade(_) => ratio(count.sum(), answers),
            AnswerShape::One(_) | AnswerShape::Many(_) | AnswerShape::Text { .. } => None,
        };
        Self {
            key: field.key.clone(),
            kind: field.kind.field_type(),
            label: field.label.clone(),
            retired: field.retired,
            answers,
            skipped: responses.wrapping_sub(answers),
            mean,
            distribution: distribution(form, field, count),
        }
    }
}

fn distribution(form: &FormContent, field: &Field, count: &FieldCount) -> Vec<ValueShare> {
    let share = |value, label, times| ValueShare {
        value,
        label,
        count: times,
        share: ratio(times, count.answers()),
    };
    match field.kind.shape() {
        AnswerShape::Grade(grades) => grades
            .iter()
            .map(|grade| {
                let label = grade.to_string();
                share(GradeOrOption::Grade(grade), label, count.value(grade))
            })
            .collect(),
        AnswerShape::One(_) | AnswerShape::Many(_) => form
            .numbered_options(field)
            .map(|(number, option)| {
                let value = GradeOrOption::Option(option.value.clone());
                share(value, option.label.clone(), count.value(number))
            })
            .collect(),
        AnswerShape::Text { .. } => Vec::new(),
    }
}
