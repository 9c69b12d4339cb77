//! Whether one share is above another by more than chance, also where the counts are small.

use super::{count, real};

/// Of the terms that are told to be over-represented about so many are so by chance alone.
const FALSE_DISCOVERIES: f64 = 0.05;

/// Of two groups, one that something was counted in and the other: counts below or equal to `of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TwoShares {
    pub with: (i64, i64),
    pub of: (i64, i64),
}

impl TwoShares {
    /// How likely it is that the first share is as far above the second, or farther, where both groups are alike: from 0 to 1.
    ///
    /// Fisher's exact test of one side: with its margins fixed, the first count is hypergeometric (Fisher 1935, "The Logic of Inductive
    /// Inference", Journal of the Royal Statistical Society 98(1), 39–82). The counts that were found count half, because the test is
    /// too careful otherwise where counts are small: the mid-p of Lancaster 1961, "Significance Tests in Discrete Distributions",
    /// Journal of the American Statistical Association 56(294), 223–234.
    #[must_use]
    pub fn mid_p(self) -> f64 {
        let (first, of_first) = (self.with.0, self.of.0);
        let (all, of_all) = (first + self.with.1, of_first + self.of.1);
        let of_second = of_all - of_first;
        let found =
            ln_choose(of_first, first) + ln_choose(of_second, all - first) - ln_choose(of_all, all);
        let found = found.exp();
        // Too far below what is expected for the rest to be added up from it.
        if found == 0.0 && first * of_all < all * of_first {
            return 1.0;
        }
        let (mut sum, mut one) = (found / 2.0, found);
        for more in first..all.min(of_first) {
            one *= real((of_first - more) * (all - more));
            one /= real((more + 1) * (of_second - all + more + 1));
            sum += one;
        }
        sum.min(1.0)
    }
}

/// The logarithm of the number of ways to choose so many of all.
fn ln_choose(of: i64, chosen: i64) -> f64 {
    let chosen = chosen.min(of - chosen);
    let others = of - chosen;
    let factor = |i: i64| (real(others + i) / real(i)).ln();
    (1..=chosen).map(factor).sum()
}

/// How many of the lowest p of so many tests are no chance; `lowest` ascends and may leave out those that are no candidates.
///
/// Benjamini & Hochberg 1995, "Controlling the False Discovery Rate: A Practical and Powerful Approach to Multiple Testing", Journal of
/// the Royal Statistical Society B 57(1), 289–300: the more is looked for, the more stands out by chance.
pub(super) fn discoveries(lowest: &[f64], tests: usize) -> usize {
    let share = |rank: usize| FALSE_DISCOVERIES * real(count(rank)) / real(count(tests));
    let ranks = (1..).zip(lowest);
    let kept = ranks.filter(|(rank, p)| **p <= share(*rank));
    kept.map(|(rank, _)| rank).last().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mid_p_is_that_of_known_tables() {
        for (with, of, expected) in [
            // Fisher's tea: three, and all, of the four cups with milk first; 17 and 1 of 70 ways without the half.
            ((3, 1), (4, 4), 9.0 / 70.0),
            ((4, 0), (4, 4), 0.5 / 70.0),
            // His twins of criminals: 10 of 13 and 2 of 17; 0.000 465 without the half.
            ((10, 2), (13, 17), 2.403_309_623_4e-4),
            // A word of few: z = 1.95 did not find it.
            ((6, 0), (50, 122), 2.413_012_620_2e-4),
            ((3, 0), (50, 122), 1.175_990_592_08e-2),
            // On the other side, and with nobody to compare with.
            ((0, 3), (50, 122), 0.822_857_417_14),
            ((3, 0), (9, 0), 0.5),
            // Nothing that many have is missed.
            ((60, 40), (600, 1_400), 1.045_411_910_27e-10),
        ] {
            let p = TwoShares { with, of }.mid_p();
            assert!((p / expected - 1.0).abs() < 1e-9, "{with:?} of {of:?}: {p}");
        }
    }

    #[test]
    fn more_tests_want_lower_p() {
        let p = [0.000_2, 0.000_6, 0.004, 0.2];
        for (tests, expected) in [(4, 3), (30, 3), (40, 2), (150, 2), (200, 1), (300, 0)] {
            assert_eq!(discoveries(&p, tests), expected, "{tests}");
        }
        assert_eq!(discoveries(&[], 0), 0);
    }
}
