//! Median, least and most of some measurements.

/// What some rounds of one measurement gave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The middle one; of an even number the mean of both in the middle.
    pub median: f64,
    /// The least.
    pub min: f64,
    /// The most.
    pub max: f64,
}

impl Spread {
    /// `None` of nothing.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let upper = values.get(values.len() / 2)?;
        let lower = values.get((values.len() - 1) / 2)?;
        Some(Self {
            median: f64::midpoint(*lower, *upper),
            min: *values.first()?,
            max: *values.last()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_odd_and_of_even_numbers() {
        let odd = Spread::of([3.0, 1.0, 2.0]);
        let even = Spread::of([4.0, 1.0, 2.0, 3.0]);
        assert_eq!(
            odd.map(|odd| (odd.min, odd.median, odd.max)),
            Some((1.0, 2.0, 3.0))
        );
        assert_eq!(even.map(|even| even.median), Some(2.5));
        assert_eq!(Spread::of([]), None);
    }
}
