//! Confidence intervals of rates.

use super::{Metrics, percentage, ratio, real};

/// The 97.5 % quantile of the normal distribution: 95 % lie within it on both sides.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// A 95 % confidence interval, both ends included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

impl Interval {
    /// Of the rate `successes` ÷ `answers`, within 0 and 1; `None` without answers.
    ///
    /// The score interval of Wilson 1927, "Probable Inference, the Law of Succession, and Statistical Inference",
    /// Journal of the American Statistical Association 22(158), 209–212, with p = successes ÷ n:
    ///
    /// (p + z²/2n ± z·√(p·(1 − p)/n + z²/4n²)) ÷ (1 + z²/n)
    pub fn wilson(successes: i64, answers: i64) -> Option<Self> {
        let rate = ratio(successes, answers)?;
        let n = real(answers);
        let z2 = Z_95 * Z_95;
        let spread = rate * (1.0 - rate) / n + z2 / (4.0 * n * n);
        let centre = (rate + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half_width = Z_95 * spread.max(0.0).sqrt() / (1.0 + z2 / n);
        // The formula keeps the ends within 0 and 1 and around the rate. Rounding may break that in the last bit.
        Some(Self::around(centre, half_width, (0.0, 1.0), rate))
    }

    /// Of the Net Promoter Score, within -100 and 100; `None` without answers.
    ///
    /// The adjusted Wald interval of Rocks 2016, "Interval Estimation for the 'Net Promoter Score'", The American
    /// Statistician 70(4), 365–372: three answers more, of which ¾ are promoters, 1½ passives and ¾ detractors
    /// (the weights that the author's R package `NPS` has as `pseudo_observations`), and then the Wald interval of
    /// a difference of two shares of one sample, with p and d the adjusted shares and n the adjusted answers:
    ///
    /// p − d ± z·√((p + d − (p − d)²) ÷ n)
    ///
    /// The adjustment draws it towards 0. With few answers that all agree it would miss the score itself: it is
    /// then widened up to it.
    pub fn nps(promoters: i64, detractors: i64, answers: i64) -> Option<Self> {
        let nps = percentage(promoters.wrapping_sub(detractors), answers)?;
        let (lead, variance) = adjusted_nps(promoters, detractors, answers);
        let half_width = Z_95 * variance.sqrt();
        let (centre, half_width) = (100.0 * lead, 100.0 * half_width);
        Some(Self::around(centre, half_width, (-100.0, 100.0), nps))
    }

    /// Around a centre within limits, and as wide as to hold the estimate.
    fn around(centre: f64, half_width: f64, (min, max): (f64, f64), estimate: f64) -> Self {
        Self {
            low: (centre - half_width).clamp(min, max).min(estimate),
            high: (centre + half_width).clamp(min, max).max(estimate),
        }
    }
}

/// The score with the pseudo-observations of [`Interval::nps`], as a share, and its variance.
pub(super) fn adjusted_nps(promoters: i64, detractors: i64, answers: i64) -> (f64, f64) {
    let n = real(answers) + 3.0;
    let (p, d) = ((real(promoters) + 0.75) / n, (real(detractors) + 0.75) / n);
    let lead = p - d;
    (lead, (p + d - lead * lead).max(0.0) / n)
}

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
/// Each with the adjustment of [`Interval::nps`](Interval::nps), then the Wald interval of the difference of two
/// independent scores, whose variances add up.
pub fn nps_differs(now: &Metrics, before: &Metrics) -> Option<bool> {
    let sample = |metrics: &Metrics| {
        let counts = metrics.nps_detail;
        let score = adjusted_nps(counts.promoters, counts.detractors, counts.answers);
        (counts.answers > 0).then_some(score)
    };
    Some(differ(sample(now)?, sample(before)?))
}

/// Whether two estimates with these variances differ.
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
