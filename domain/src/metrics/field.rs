//! How one field was answered.

use serde::Serialize;

use super::ratio;
use crate::form::{Field, FieldKey, FormContent};
use crate::rollup::{FieldCount, FieldCounts};

/// The answers to a field in a range. As JSON one of the `fields` of a form's report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FieldSummary {
    pub key: FieldKey,
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub label: String,
    pub retired: bool,
    pub answers: i64,
    /// Responses that left the field out, those from before it was on the form too.
    pub skipped: i64,
    /// Of the grades; `None` for a field without grades.
    pub mean: Option<f64>,
    /// Every grade, ascending, or every option in the form's order, retired ones too. Empty for `text` and `comment`.
    pub distribution: Vec<ValueShare>,
}

/// How often one grade or option was given.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ValueShare {
    pub value: FieldValue,
    /// The option's label; of a grade its digits.
    pub label: String,
    pub count: i64,
    /// Of the field's answers, 0 to 1; those of a field `choices` may sum to more than 1.
    pub share: Option<f64>,
}

/// A value as in answers: a number or a string.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum FieldValue {
    Grade(u8),
    Option(String),
}

impl FieldSummary {
    /// Of every field of the form, in its order. `counts` and `responses` are of the same days and `bus_prop`.
    pub fn of_form(form: &FormContent, counts: &FieldCounts, responses: i64) -> Vec<Self> {
        let fields = form.fields.iter();
        fields
            .map(|field| Self::new(field, counts, responses))
            .collect()
    }

    pub fn new(field: &Field, counts: &FieldCounts, responses: i64) -> Self {
        let none = FieldCount::default();
        let count = counts.get(field.key.as_str()).unwrap_or(&none);
        let answers = count.answers();
        let graded = field.kind.grades().is_some();
        Self {
            key: field.key.clone(),
            kind: field.kind.type_name(),
            label: field.label.clone(),
            retired: field.retired,
            answers,
            skipped: responses.wrapping_sub(answers),
            mean: ratio(count.sum(), answers).filter(|_| graded),
            distribution: distribution(field, count),
        }
    }
}

fn distribution(field: &Field, count: &FieldCount) -> Vec<ValueShare> {
    let share = |value, label, times| ValueShare {
        value,
        label,
        count: times,
        share: ratio(times, count.answers()),
    };
    let grades = field.kind.grades().into_iter().flatten();
    let grades = grades.map(|grade| {
        let label = grade.to_string();
        share(FieldValue::Grade(grade), label, count.value(grade))
    });
    let options = field.kind.options().iter().map(|option| {
        let value = FieldValue::Option(option.value.clone());
        share(value, option.label.clone(), count.value(option.number))
    });
    grades.chain(options).collect()
}
