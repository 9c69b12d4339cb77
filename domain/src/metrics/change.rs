//! The difference between the figures of two ranges.

use std::ops::Sub;

use serde::Serialize;

use super::Metrics;
use crate::rollup::DayCounts;

/// How metrics differ from earlier ones; null where either of two is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MetricsChange {
    pub views: i64,
    pub responses: i64,
    pub response_rate: Option<f64>,
    pub comments: i64,
    pub happiness_rate: Option<f64>,
    pub happiness: HappinessChange,
    /// In points.
    pub nps: Option<f64>,
    pub nps_detail: NpsChange,
    pub sent: Option<i64>,
    pub delivered: Option<i64>,
    pub answered: Option<i64>,
    pub response_rate_delivered: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct HappinessChange {
    pub happy: i64,
    pub answers: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct NpsChange {
    pub promoters: i64,
    pub passives: i64,
    pub detractors: i64,
    pub answers: i64,
}

impl MetricsChange {
    /// The figures of `now` minus those of `before`.
    pub fn new(now: DayCounts, before: DayCounts) -> Self {
        let more = now + -before;
        let (now, before) = (Metrics::from(&now), Metrics::from(&before));
        Self {
            views: more.views,
            responses: more.responses,
            response_rate: difference(now.response_rate, before.response_rate),
            comments: more.comments,
            happiness_rate: difference(now.happiness_rate, before.happiness_rate),
            happiness: HappinessChange {
                happy: more.happy,
                answers: more.happiness_answers,
            },
            nps: difference(now.nps, before.nps),
            nps_detail: NpsChange {
                promoters: more.promoters,
                passives: more.passives,
                detractors: more.detractors,
                answers: more.nps_answers,
            },
            sent: difference(now.sent, before.sent),
            delivered: difference(now.delivered, before.delivered),
            answered: difference(now.answered, before.answered),
            response_rate_delivered: difference(
                now.response_rate_delivered,
                before.response_rate_delivered,
            ),
        }
    }
}

fn difference<T: Sub<Output = T>>(now: Option<T>, before: Option<T>) -> Option<T> {
    Some(now? - before?)
}
