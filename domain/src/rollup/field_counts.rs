//! How often each field was answered, and with what.

use std::collections::{BTreeMap, HashSet};

use crate::answer::AnswerValue;
use crate::form::{Field, FormContent};

/// The answers of each field, by its key. Fields, grades and options without a count are not in it.
///
/// Options are counted by their number and not by their value: a form may have megabytes of values, and each business
/// property has counts of its own.
#[derive(Debug, Clone, PartialEq, Eq, Default, derive_more::Deref)]
pub struct FieldCounts(BTreeMap<String, FieldCount>);

/// The answers of one field. As a change, each number may be negative.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FieldCount {
    pub(super) answers: i64,
    /// By grade, or by the number of an option; the last one is not 0.
    values: Vec<i64>,
}

impl FieldCounts {
    /// Adds the other's counts.
    pub fn merge(&mut self, other: &Self) {
        for (key, count) in &other.0 {
            self.field(key).merge(count);
        }
        self.drop_zeros();
    }

    /// The counts that undo these.
    #[must_use]
    pub fn negated(mut self) -> Self {
        for field in self.0.values_mut() {
            field.answers = field.answers.wrapping_neg();
            for count in &mut field.values {
                *count = count.wrapping_neg();
            }
        }
        self
    }

    /// Counts one answer to a field of the form.
    pub(super) fn count(&mut self, form: &FormContent, field: &Field, answer: &AnswerValue) {
        let count = self.field(field.key.as_str());
        count.answers += 1;
        match answer {
            AnswerValue::Grade(grade) => *count.at(*grade) += 1,
            AnswerValue::Text(value) => count.choose(form, field, &[value.as_str()].into()),
            AnswerValue::Chosen(values) => {
                let values = values.iter().map(String::as_str).collect();
                count.choose(form, field, &values);
            }
        }
    }

    /// The count of a field, which has to be more than 0 in the end.
    pub(super) fn field(&mut self, key: &str) -> &mut FieldCount {
        self.0.entry(key.to_owned()).or_default()
    }

    pub(super) fn drop_zeros(&mut self) {
        self.0.retain(|_, field| !field.is_empty());
    }
}

impl FieldCount {
    /// Counts options. A text that is no option is not counted by its value.
    fn choose(&mut self, form: &FormContent, field: &Field, chosen: &HashSet<&str>) {
        for (number, option) in form.numbered_options(field) {
            if chosen.contains(option.value.as_str()) {
                *self.at(number) += 1;
            }
        }
    }

    /// How often the field was answered; for `choices` less than what its options sum to.
    pub fn answers(&self) -> i64 {
        self.answers
    }

    /// The sum of all grades, for their mean.
    pub fn sum(&self) -> i64 {
        let parts = self.values();
        let parts = parts.map(|(grade, count)| i64::from(grade).wrapping_mul(count));
        parts.fold(0, i64::wrapping_add)
    }

    /// How often this grade, or the option of this number, was chosen.
    pub fn value(&self, value: u8) -> i64 {
        let count = self.values.get(usize::from(value));
        count.copied().unwrap_or_default()
    }

    /// Every grade, or the number of every option, that was chosen, and how often, ascending.
    pub fn values(&self) -> impl Iterator<Item = (u8, i64)> {
        let values = (0..=u8::MAX).zip(self.values.iter().copied());
        values.filter(|(_, count)| *count != 0)
    }

    /// The count of a grade or option; [`Self::drop_zeros`] follows.
    pub(super) fn at(&mut self, value: u8) -> &mut i64 {
        let index = usize::from(value);
        if self.values.len() <= index {
            self.values.resize(index + 1, 0);
        }
        &mut self.values[index]
    }

    fn merge(&mut self, other: &Self) {
        self.answers = self.answers.wrapping_add(other.answers);
        for (value, count) in other.values() {
            add(self.at(value), count);
        }
        self.drop_zeros();
    }

    pub(super) fn drop_zeros(&mut self) {
        while self.values.pop_if(|count| *count == 0).is_some() {}
    }

    pub(super) fn is_empty(&self) -> bool {
        self.answers == 0 && self.values.is_empty()
    }
}

pub(super) fn add(count: &mut i64, more: i64) {
    *count = count.wrapping_add(more);
}
