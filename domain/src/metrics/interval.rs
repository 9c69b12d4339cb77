//! Confidence intervals of rates.

use super::{percentage, ratio, real};

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
        let reach = Z_95 * spread.max(0.0).sqrt() / (1.0 + z2 / n);
        // By the formula the ends stay within 0 and 1 and hold the rate; rounding may miss that by a bit.
        Some(Self::around(centre, reach, (0.0, 1.0), rate))
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
        let reach = Z_95 * variance.sqrt();
        let (centre, reach) = (100.0 * lead, 100.0 * reach);
        Some(Self::around(centre, reach, (-100.0, 100.0), nps))
    }

    /// Around a centre within limits, and as wide as to hold the estimate.
    fn around(centre: f64, reach: f64, (min, max): (f64, f64), estimate: f64) -> Self {
        Self {
            low: (centre - reach).clamp(min, max).min(estimate),
            high: (centre + reach).clamp(min, max).max(estimate),
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
