//! The difference between the figures of two ranges.

use std::ops::Sub;

use serde::Serialize;
use utoipa::ToSchema;

use super::Metrics;

/// How metrics differ from earlier ones; null where either of two is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, ToSchema)]
pub struct Change {
    pub views: i64,
    pub responses: i64,
    #[schema(required = true)]
    pub response_rate: Option<f64>,
    pub comments: i64,
    #[schema(required = true)]
    pub happiness_rate: Option<f64>,
    pub happiness: HappinessChange,
    /// In points.
    #[schema(required = true)]
    pub nps: Option<f64>,
    pub nps_detail: NpsChange,
    #[schema(required = true)]
    pub sent: Option<i64>,
    #[schema(required = true)]
    pub delivered: Option<i64>,
    #[schema(required = true)]
    pub answered: Option<i64>,
    #[schema(required = true)]
    pub response_rate_delivered: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, ToSchema)]
pub struct HappinessChange {
    pub happy: i64,
    pub answers: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, ToSchema)]
pub struct NpsChange {
    pub promoters: i64,
    pub passives: i64,
    pub detractors: i64,
    pub answers: i64,
}

impl Metrics {
    /// These figures minus `previous`.
    pub fn since(&self, previous: &Metrics) -> Change {
        let more = i64::wrapping_sub;
        let (happiness, was) = (self.happiness, previous.happiness);
        let happiness = HappinessChange {
            happy: more(happiness.happy, was.happy),
            answers: more(happiness.answers, was.answers),
        };
        let (nps, was) = (self.nps_detail, previous.nps_detail);
        let nps_detail = NpsChange {
            promoters: more(nps.promoters, was.promoters),
            passives: more(nps.passives, was.passives),
            detractors: more(nps.detractors, was.detractors),
            answers: more(nps.answers, was.answers),
        };
        Change {
            views: more(self.views, previous.views),
            responses: more(self.responses, previous.responses),
            response_rate: difference(self.response_rate, previous.response_rate),
            comments: more(self.comments, previous.comments),
            happiness_rate: difference(self.happiness_rate, previous.happiness_rate),
            happiness,
            nps: difference(self.nps, previous.nps),
            nps_detail,
            sent: difference(self.sent, previous.sent),
            delivered: difference(self.delivered, previous.delivered),
            answered: difference(self.answered, previous.answered),
            response_rate_delivered: difference(
                self.response_rate_delivered,
                previous.response_rate_delivered,
            ),
        }
    }
}

fn difference<T: Sub<Output = T>>(now: Option<T>, before: Option<T>) -> Option<T> {
    Some(now? - before?)
}
