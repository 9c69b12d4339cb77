//! The counts that one event changes.

use std::collections::BTreeMap;

use super::{DayCounts, DecodeError, FieldCounts, codec};
use crate::answer::Answers;
use crate::form::FormContent;
use crate::varint;

/// The counters of a day and the counts of its fields: the change that one event makes, or the sum of many.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Delta {
    pub counts: DayCounts,
    pub fields: FieldCounts,
}

impl From<DayCounts> for Delta {
    fn from(counts: DayCounts) -> Self {
        Self {
            counts,
            ..Self::default()
        }
    }
}

impl Delta {
    /// A visit that is seen or answered for the first time on a day.
    pub fn view() -> Self {
        Self::from(DayCounts {
            views: 1,
            ..DayCounts::default()
        })
    }

    /// A stored feedback, without the view of its visit.
    pub fn answer(form: &FormContent, answers: &Answers) -> Self {
        let mut counts = DayCounts {
            responses: 1,
            comments: answers.has_comment.into(),
            ..DayCounts::default()
        };
        if let Some(grade) = answers.happiness {
            counts.happiness_answers = 1;
            counts.happy = (grade >= 4).into();
        }
        if let Some(grade) = answers.nps {
            counts.nps_answers = 1;
            match grade {
                9.. => counts.promoters = 1,
                7..9 => counts.passives = 1,
                0..7 => counts.detractors = 1,
            }
        }
        let mut fields = FieldCounts::default();
        for (key, value) in answers.iter() {
            if let Some(field) = form.field(key.as_str()) {
                fields.count(form, field, value);
            }
        }
        Self { counts, fields }
    }

    /// The delta that undoes this one.
    #[must_use]
    pub fn negated(self) -> Self {
        Self {
            counts: -self.counts,
            fields: self.fields.negated(),
        }
    }

    /// Adds the counts of another delta.
    pub fn merge(&mut self, other: &Self) {
        self.counts += other.counts;
        self.fields.merge(&other.fields);
    }

    /// The bytes of the counts, the same for equal counts; their layout is in [`crate::rollup`].
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![codec::VERSION];
        let mut counts = self.counts;
        for (_, counter) in counts.counters() {
            varint::write_signed(&mut out, *counter);
        }
        codec::write_fields(&mut out, &self.fields);
        out
    }

    /// Merges an encoded delta without building it first.
    pub fn merged_with(mut self, encoded: &[u8]) -> Result<Self, DecodeError> {
        codec::read(encoded, |rest| {
            self.counts += codec::read_counts(rest)?;
            codec::read_fields(rest, &mut self.fields)
        })?;
        Ok(self)
    }

    /// Every number that differs from the other's, by its name, with both: the counters first, then those of the fields, `<key>`
    /// for the answers of one and `<key>=<grade or number of an option>` for one of them.
    pub fn differences(&self, other: &Self) -> Vec<(String, (i64, i64))> {
        let (mut own, mut others) = (self.counts, other.counts);
        let counters = own.counters().into_iter().zip(others.counters());
        let counters =
            counters.map(|((name, left), (_, right))| (name.to_owned(), (*left, *right)));
        let mut fields: BTreeMap<String, (i64, i64)> = BTreeMap::new();
        for (name, count) in named(&self.fields) {
            fields.entry(name).or_default().0 = count;
        }
        for (name, count) in named(&other.fields) {
            fields.entry(name).or_default().1 = count;
        }
        let all = counters.chain(fields);
        all.filter(|(_, (left, right))| left != right).collect()
    }
}

fn named(fields: &FieldCounts) -> impl Iterator<Item = (String, i64)> {
    fields.iter().flat_map(|(key, field)| {
        let values = field.values();
        let values = values.map(move |(value, count)| (format!("{key}={value}"), count));
        std::iter::once((key.clone(), field.answers())).chain(values)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::rollup::tests::delta;

    #[test]
    fn equal_counts_do_not_differ_and_others_tell_where() {
        let mut left = Delta::view();
        left.fields = delta(&json!({"nps": 9, "colour": "b"})).fields;
        assert_eq!(left.differences(&left.clone()), []);
        let mut right = left.clone();
        right.counts.views = 3;
        right.fields.merge(&delta(&json!({"nps": 2})).fields);
        let differ = [("views", (1, 3)), ("nps", (1, 2)), ("nps=2", (0, 1))];
        let differ = differ.map(|(counter, found)| (counter.to_owned(), found));
        assert_eq!(left.differences(&right), differ);
        let against_nothing = left.differences(&Delta::default());
        let names: Vec<_> = against_nothing
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(names, ["views", "colour", "colour=1", "nps", "nps=9"]);
    }
}
