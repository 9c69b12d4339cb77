//! The counters of a day.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg};

use serde::Serialize;

/// What happened on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
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
    pub(super) fn counters(&mut self) -> [(&'static str, &mut i64); 13] {
        [
            ("views", &mut self.views),
            ("responses", &mut self.responses),
            ("comments", &mut self.comments),
            ("happy", &mut self.happy),
            ("happiness_answers", &mut self.happiness_answers),
            ("promoters", &mut self.promoters),
            ("passives", &mut self.passives),
            ("detractors", &mut self.detractors),
            ("nps_answers", &mut self.nps_answers),
            ("sent", &mut self.sent),
            ("delivered", &mut self.delivered),
            ("answered", &mut self.answered),
            ("delivered_and_answered", &mut self.delivered_and_answered),
        ]
    }
}

impl Add for DayCounts {
    type Output = Self;

    fn add(mut self, mut other: Self) -> Self {
        for ((_, counter), (_, more)) in self.counters().into_iter().zip(other.counters()) {
            *counter = counter.wrapping_add(*more);
        }
        self
    }
}

impl Neg for DayCounts {
    type Output = Self;

    fn neg(mut self) -> Self {
        for (_, counter) in self.counters() {
            *counter = counter.wrapping_neg();
        }
        self
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
