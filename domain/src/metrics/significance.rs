//! Whether a figure changed, or may differ by chance.

use super::interval::adjusted_nps;
use super::{Metrics, Z_95, real};

/// Whether two rates of answers differ at the 95 % level; `None` where either has no answers.
///
/// The interval of Agresti & Caffo 2000, "Simple and Effective Confidence Intervals for Proportions and Differences of
/// Proportions Result from Adding Two Successes and Two Failures", The American Statistician 54(4), 280–288: one success and one
/// failure more in each sample, then the Wald interval of the difference. They differ if it does not hold 0.
pub fn rates_differ(now: (i64, i64), before: (i64, i64)) -> Option<bool> {
    let sample = |(successes, answers): (i64, i64)| {
        let n = real(answers) + 2.0;
        let p = (real(successes) + 1.0) / n;
        (answers > 0).then(|| (p, p * (1.0 - p) / n))
    };
    Some(differ(sample(now)?, sample(before)?))
}

/// Whether two Net Promoter Scores differ at the 95 % level; `None` where either has no answers.
///
/// Each with the adjustment of [`Interval::nps`](super::Interval::nps), then the Wald interval of the difference of two
/// independent scores, whose variances add up.
pub fn nps_differs(now: &Metrics, before: &Metrics) -> Option<bool> {
    let sample = |metrics: &Metrics| {
        let counts = metrics.nps_detail;
        let score = adjusted_nps(counts.promoters, counts.detractors, counts.answers);
        (counts.answers > 0).then_some(score)
    };
    Some(differ(sample(now)?, sample(before)?))
}

/// Of two estimates with their variances.
fn differ((now, of_now): (f64, f64), (before, of_before): (f64, f64)) -> bool {
    (now - before).abs() > Z_95 * (of_now + of_before).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rollup::DayCounts;

    fn nps(promoters: i64, passives: i64, detractors: i64) -> Metrics {
        Metrics::from(&DayCounts {
            promoters,
            passives,
            detractors,
            nps_answers: promoters + passives + detractors,
            ..DayCounts::default()
        })
    }

    #[test]
    fn a_large_change_differs_and_a_small_one_may_be_chance() {
        assert_eq!(rates_differ((80, 100), (50, 100)), Some(true));
        assert_eq!(rates_differ((52, 100), (50, 100)), Some(false));
        assert_eq!(rates_differ((2, 2), (0, 2)), Some(false), "too few");
        assert_eq!(rates_differ((5_200, 10_000), (5_000, 10_000)), Some(true));
        assert_eq!(nps_differs(&nps(70, 20, 10), &nps(30, 30, 40)), Some(true));
        assert_eq!(nps_differs(&nps(7, 2, 1), &nps(6, 3, 1)), Some(false));
    }

    #[test]
    fn without_answers_nothing_is_said() {
        assert_eq!(rates_differ((0, 0), (1, 2)), None);
        assert_eq!(nps_differs(&nps(1, 0, 0), &nps(0, 0, 0)), None);
    }
}
