//! A month of a year: counts are cached and versioned by month.

use std::fmt;

use chrono::{Datelike, Months, NaiveDate, TimeDelta};

/// A month, as text `2026-05`. The order is that of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Month(NaiveDate);

impl Month {
    /// The month in which a day lies.
    pub fn of(day: NaiveDate) -> Self {
        Self(day - TimeDelta::days(i64::from(day.day0())))
    }

    /// Its first day.
    pub fn first(self) -> NaiveDate {
        self.0
    }

    /// Its last day.
    pub fn last(self) -> NaiveDate {
        self.next().0 - TimeDelta::days(1)
    }

    /// The month after it.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + Months::new(1))
    }

    /// Its day of this number, from 1.
    pub fn day(self, number: u32) -> Option<NaiveDate> {
        self.0.with_day(number)
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.0.year(), self.0.month())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_has_its_days_and_no_other() {
        for (day, first, last, text) in [
            ("2024-02-29", "2024-02-01", "2024-02-29", "2024-02"),
            ("2023-02-01", "2023-02-01", "2023-02-28", "2023-02"),
            ("2026-12-31", "2026-12-01", "2026-12-31", "2026-12"),
            ("0001-01-01", "0001-01-01", "0001-01-31", "0001-01"),
        ] {
            let day: NaiveDate = day.parse().unwrap();
            let month = Month::of(day);
            assert_eq!(month.first().to_string(), first);
            assert_eq!(month.last().to_string(), last);
            assert_eq!(month.to_string(), text);
            assert_eq!(month.day(day.day()), Some(day));
            assert_eq!(month.day(month.last().day() + 1), None);
            assert_eq!(month.day(0), None);
            assert_eq!(Month::of(month.next().first()), month.next());
        }
    }
}
