//! How often each field was answered, and with what.

use super::codec::{self, DecodeError};
use super::walk::{Walk, entry};
use crate::answer::AnswerValue;

/// The answers of each field, by its key. Fields, grades and options without a count are not in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FieldCounts {
    pub(super) fields: Vec<(String, FieldCount)>,
}

/// The answers of one field. As a change, each number may be negative.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FieldCount {
    pub(super) answers: i64,
    pub(super) grades: Vec<(u8, i64)>,
    pub(super) options: Vec<(String, i64)>,
}

impl FieldCounts {
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// The field with this key, if it has any count.
    pub fn get(&self, key: &str) -> Option<&FieldCount> {
        let place = self.fields.binary_search_by(|(k, _)| k.as_str().cmp(key));
        place.ok().map(|place| &self.fields[place].1)
    }

    /// Every field with a count, in the byte order of their keys.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &FieldCount)> {
        let fields = self.fields.iter();
        fields.map(|(key, count)| (key.as_str(), count))
    }

    /// Adds the other's counts.
    pub fn merge(&mut self, other: &Self) {
        let mut walk = Walk::along(&mut self.fields);
        for (key, count) in &other.fields {
            walk.at(key.as_str()).merge(count);
        }
        self.drop_zeros();
    }

    /// What takes these counts back.
    #[must_use]
    pub fn negated(mut self) -> Self {
        for (_, field) in &mut self.fields {
            field.answers = field.answers.wrapping_neg();
            for (_, count) in &mut field.grades {
                *count = count.wrapping_neg();
            }
            for (_, count) in &mut field.options {
                *count = count.wrapping_neg();
            }
        }
        self
    }

    /// The bytes of the counts, the same for equal counts; their layout is in [`crate::rollup`].
    pub fn encode(&self) -> Vec<u8> {
        let mut out = codec::start();
        codec::write_fields(&mut out, self);
        out
    }

    /// Reads what [`Self::encode`] wrote, and nothing else.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        Self::default().merged_with(bytes)
    }

    /// Adds encoded counts without building them first: the quick way to sum up many days.
    pub fn merged_with(mut self, encoded: &[u8]) -> Result<Self, DecodeError> {
        codec::read(encoded, |rest| codec::read_fields(rest, &mut self))?;
        Ok(self)
    }

    /// Counts one answer.
    pub(super) fn count(&mut self, key: &str, answer: &AnswerValue) {
        let field = entry(&mut self.fields, key);
        field.answers += 1;
        match answer {
            AnswerValue::Grade(grade) => *entry(&mut field.grades, grade) += 1,
            AnswerValue::Choice(value) => *entry(&mut field.options, value.as_str()) += 1,
            AnswerValue::Choices(values) => {
                for value in values {
                    *entry(&mut field.options, value.as_str()) += 1;
                }
            }
            AnswerValue::Text(_) => {}
        }
    }

    pub(super) fn drop_zeros(&mut self) {
        self.fields.retain(|(_, field)| !field.is_empty());
    }
}

impl FieldCount {
    /// How often the field was answered; for `choices` less than what its options sum to.
    pub fn answers(&self) -> i64 {
        self.answers
    }

    /// The sum of all grades given, of which the mean is made.
    pub fn sum(&self) -> i64 {
        let parts = self.grades();
        let parts = parts.map(|(grade, count)| i64::from(grade).wrapping_mul(count));
        parts.fold(0, i64::wrapping_add)
    }

    /// How often this grade was given.
    pub fn grade(&self, grade: u8) -> i64 {
        let place = self.grades.binary_search_by_key(&grade, |(g, _)| *g);
        place.map_or(0, |place| self.grades[place].1)
    }

    /// How often the option of this value was chosen.
    pub fn option(&self, value: &str) -> i64 {
        let place = self
            .options
            .binary_search_by(|(v, _)| v.as_str().cmp(value));
        place.map_or(0, |place| self.options[place].1)
    }

    /// Every grade given and how often, ascending.
    pub fn grades(&self) -> impl ExactSizeIterator<Item = (u8, i64)> {
        self.grades.iter().copied()
    }

    /// Every option chosen and how often, in the byte order of their values.
    pub fn options(&self) -> impl ExactSizeIterator<Item = (&str, i64)> {
        let options = self.options.iter();
        options.map(|(value, count)| (value.as_str(), *count))
    }

    fn merge(&mut self, other: &Self) {
        self.answers = self.answers.wrapping_add(other.answers);
        let mut walk = Walk::along(&mut self.grades);
        for (grade, count) in &other.grades {
            add(walk.at(grade), *count);
        }
        let mut walk = Walk::along(&mut self.options);
        for (value, count) in &other.options {
            add(walk.at(value.as_str()), *count);
        }
        self.drop_zeros();
    }

    pub(super) fn drop_zeros(&mut self) {
        self.grades.retain(|(_, count)| *count != 0);
        self.options.retain(|(_, count)| *count != 0);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.answers == 0 && self.grades.is_empty() && self.options.is_empty()
    }
}

pub(super) fn add(count: &mut i64, more: i64) {
    *count = count.wrapping_add(more);
}
