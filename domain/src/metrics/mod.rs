//! The figures of a report, made from the counts of [`crate::rollup`]: rates, intervals, means, differences,
//! and the terms of detractors.
//!
//! Each type serialises as the report shows it. A figure without answers is `null`. Nothing is rounded, so that equal
//! counts give equal bytes. The caller sums the days, forms and business properties.

mod change;
mod exact;
mod field;
mod interval;
mod stop_words;
mod terms;

use serde::Serialize;

pub use self::change::{HappinessChange, MetricsChange, NpsChange};
pub use self::exact::TwoShares;
pub use self::field::{FieldSummary, GradeOrOption, ValueShare};
pub use self::interval::{Interval, Z_95, nps_differs, rates_differ};
pub use self::terms::{Term, over_represented};
use crate::rollup::DayCounts;

/// Sums over the range. A rate without answers is null.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Metrics {
    pub views: i64,
    pub responses: i64,
    /// Responses ÷ views.
    pub response_rate: Option<f64>,
    pub comments: i64,
    /// The share of 4 and 5 among the answers to `happiness`.
    pub happiness_rate: Option<f64>,
    pub happiness: Happiness,
    /// 100 × (promoters − detractors) ÷ answers.
    // Reichheld 2003, "The One Number You Need to Grow", Harvard Business Review 81(12), 46–54.
    pub nps: Option<f64>,
    pub nps_detail: NpsDetail,
    /// Messages of campaigns that the provider accepted in the range; null, as are the next three, where there is none.
    pub sent: Option<i64>,
    /// Of these the delivered ones, whenever that was.
    pub delivered: Option<i64>,
    /// Of these the answered ones, whenever that was. An answer to a reminder is one to the first message, whose link it
    /// has.
    pub answered: Option<i64>,
    /// Messages delivered and answered ÷ messages delivered.
    pub response_rate_delivered: Option<f64>,
}

/// What the happiness rate is made of, with its 95 % interval (Wilson).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Happiness {
    pub happy: i64,
    pub answers: i64,
    pub low: Option<f64>,
    pub high: Option<f64>,
}

/// What the NPS is made of, with its 95 % interval (adjusted Wald).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct NpsDetail {
    pub promoters: i64,
    pub passives: i64,
    pub detractors: i64,
    pub answers: i64,
    pub low: Option<f64>,
    pub high: Option<f64>,
}

impl From<&DayCounts> for Metrics {
    fn from(counts: &DayCounts) -> Self {
        let happiness = Interval::wilson(counts.happy, counts.happiness_answers);
        let nps = Interval::nps(counts.promoters, counts.detractors, counts.nps_answers);
        let lead = counts.promoters.wrapping_sub(counts.detractors);
        let of_sent = |count| (counts.sent != 0).then_some(count);
        Self {
            views: counts.views,
            responses: counts.responses,
            response_rate: ratio(counts.responses, counts.views),
            comments: counts.comments,
            happiness_rate: ratio(counts.happy, counts.happiness_answers),
            happiness: Happiness {
                happy: counts.happy,
                answers: counts.happiness_answers,
                low: happiness.map(|interval| interval.low),
                high: happiness.map(|interval| interval.high),
            },
            nps: percentage(lead, counts.nps_answers),
            nps_detail: NpsDetail {
                promoters: counts.promoters,
                passives: counts.passives,
                detractors: counts.detractors,
                answers: counts.nps_answers,
                low: nps.map(|interval| interval.low),
                high: nps.map(|interval| interval.high),
            },
            sent: of_sent(counts.sent),
            delivered: of_sent(counts.delivered),
            answered: of_sent(counts.answered),
            response_rate_delivered: ratio(counts.delivered_and_answered, counts.delivered),
        }
    }
}

/// `part` ÷ `whole`; `None` without a whole.
fn ratio(part: i64, whole: i64) -> Option<f64> {
    (whole > 0).then(|| real(part) / real(whole))
}

/// 100 × `part` ÷ `whole`, multiplied first: 1 of 8 and the like come out exact.
fn percentage(part: i64, whole: i64) -> Option<f64> {
    (whole > 0).then(|| 100.0 * real(part) / real(whole))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts stay far below 2^53, up to which every one is exact"
)]
fn real(count: i64) -> f64 {
    count as f64
}

fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
