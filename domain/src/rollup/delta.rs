//! The counts that one event changes.

use super::{DayCounts, DecodeError, FieldCounts, codec};
use crate::answer::Answers;
use crate::form::FormContent;

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
        codec::write_counts(&mut out, self.counts);
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
}
