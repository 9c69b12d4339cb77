//! The nine counters of a day.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What happened on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, ToSchema)]
pub struct DayCounts {
    /// Visits seen or answered.
    pub views: i64,
    /// Stored answers of a visit.
    pub responses: i64,
    /// Feedbacks with a comment.
    pub comments: i64,
    /// Answers 4 and 5 to `happiness`.
    pub happy: i64,
    pub happiness_answers: i64,
    /// Answers 9 and 10 to `nps`.
    pub promoters: i64,
    /// Answers 7 and 8 to `nps`.
    pub passives: i64,
    /// Answers 0 to 6 to `nps`.
    pub detractors: i64,
    pub nps_answers: i64,
}

impl DayCounts {
    /// The counters in the order of the declaration.
    pub fn to_array(self) -> [i64; 9] {
        [
            self.views,
            self.responses,
            self.comments,
            self.happy,
            self.happiness_answers,
            self.promoters,
            self.passives,
            self.detractors,
            self.nps_answers,
        ]
    }

    pub(super) fn from_array(counters: [i64; 9]) -> Self {
        Self {
            views: counters[0],
            responses: counters[1],
            comments: counters[2],
            happy: counters[3],
            happiness_answers: counters[4],
            promoters: counters[5],
            passives: counters[6],
            detractors: counters[7],
            nps_answers: counters[8],
        }
    }
}

impl Add for DayCounts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let mut sum = self.to_array();
        for (counter, more) in sum.iter_mut().zip(other.to_array()) {
            *counter = counter.wrapping_add(more);
        }
        Self::from_array(sum)
    }
}

impl Neg for DayCounts {
    type Output = Self;

    fn neg(self) -> Self {
        Self::from_array(self.to_array().map(i64::wrapping_neg))
    }
}

impl AddAssign for DayCounts {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for DayCounts {
    fn sum<I: Iterator<Item = Self>>(days: I) -> Self {
        days.fold(Self::default(), Add::add)
    }
}
