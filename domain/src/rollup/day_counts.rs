//! The counters of a day.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg};

use serde::Serialize;
use utoipa::ToSchema;

/// What happened on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, ToSchema)]
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
    /// Messages of campaigns that the provider accepted on the day.
    pub sent: i64,
    /// Of these the delivered ones, whenever that was.
    pub delivered: i64,
    /// Of these the answered ones, whenever that was. An answer to a reminder is one to the first message, whose link it
    /// has. Erasing the feedback changes nothing.
    pub answered: i64,
    /// Of these the delivered and answered ones.
    #[serde(skip)]
    pub delivered_and_answered: i64,
}

impl DayCounts {
    /// How many counters there are.
    pub(super) const LEN: usize = 13;

    /// A message that the provider accepted.
    pub fn message(is_delivered: bool, is_answered: bool) -> Self {
        Self {
            sent: 1,
            delivered: is_delivered.into(),
            answered: is_answered.into(),
            delivered_and_answered: (is_delivered && is_answered).into(),
            ..Self::default()
        }
    }

    /// The counters of messages alone.
    #[must_use]
    pub fn of_messages(self) -> Self {
        Self {
            sent: self.sent,
            delivered: self.delivered,
            answered: self.answered,
            delivered_and_answered: self.delivered_and_answered,
            ..Self::default()
        }
    }

    /// The counters in the order of the declaration, by their names.
    pub(super) fn named(self) -> [(&'static str, i64); Self::LEN] {
        [
            ("views", self.views),
            ("responses", self.responses),
            ("comments", self.comments),
            ("happy", self.happy),
            ("happiness_answers", self.happiness_answers),
            ("promoters", self.promoters),
            ("passives", self.passives),
            ("detractors", self.detractors),
            ("nps_answers", self.nps_answers),
            ("sent", self.sent),
            ("delivered", self.delivered),
            ("answered", self.answered),
            ("delivered_and_answered", self.delivered_and_answered),
        ]
    }

    pub(super) fn to_array(self) -> [i64; Self::LEN] {
        self.named().map(|(_, counter)| counter)
    }

    pub(super) fn from_array(counters: [i64; Self::LEN]) -> Self {
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
            sent: counters[9],
            delivered: counters[10],
            answered: counters[11],
            delivered_and_answered: counters[12],
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
