//! Periods of the calendar that a report is about, up to today, and what each is compared with.

use std::fmt;
use std::str::FromStr;

use chrono::{Datelike, Days, Months, NaiveDate};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::date_range::DateRange;

/// A part of the calendar. As text `week`, `month`, `quarter` or `year`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum CalendarUnit {
    /// From Monday on.
    Week,
    Month,
    Quarter,
    Year,
}

/// The week, month, quarter or year that today is in, up to today, or the whole one before. As text `this-week` or `last-week`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CalendarPeriod {
    pub unit: CalendarUnit,
    pub is_last: bool,
}

/// What a report's figures are compared with. As text `before` or `year`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum Comparison {
    /// The period before; of days that are no period as many days just before.
    #[default]
    Before,
    /// The same days a year ago.
    Year,
}

impl CalendarUnit {
    /// The first day of the unit that has the day.
    fn start(self, day: NaiveDate) -> NaiveDate {
        let back = match self {
            Self::Week => return day - Days::new(day.weekday().num_days_from_monday().into()),
            Self::Month => 0,
            Self::Quarter => day.month0() % 3,
            Self::Year => day.month0(),
        };
        day - Days::new(day.day0().into()) - Months::new(back)
    }

    /// The first day of the unit before one that begins on `start`.
    fn before(self, start: NaiveDate) -> NaiveDate {
        match self {
            Self::Week => start - Days::new(7),
            Self::Month => start - Months::new(1),
            Self::Quarter => start - Months::new(3),
            Self::Year => start - Months::new(12),
        }
    }
}

impl CalendarPeriod {
    /// All, each unit's own before its last.
    pub fn all() -> impl Iterator<Item = Self> {
        let units = CalendarUnit::VARIANTS.iter();
        units.flat_map(|&unit| [false, true].map(|is_last| Self { unit, is_last }))
    }

    /// Its days.
    pub fn dates(self, today: NaiveDate) -> DateRange {
        let start = self.unit.start(today);
        if self.is_last {
            DateRange::between(self.unit.before(start), start - Days::new(1))
        } else {
            DateRange::between(start, today)
        }
    }

    /// The unit before the one that `dates` are of; of one that is not over as many of its days.
    fn before(self, dates: DateRange) -> DateRange {
        let start = self.unit.before(dates.start());
        let last = dates.start() - Days::new(1);
        if self.is_last {
            return DateRange::between(start, last);
        }
        let end = start + (dates.end() - dates.start());
        DateRange::between(start, end.min(last))
    }
}

impl Comparison {
    /// What these days are compared with, which are a period of the calendar or any. `None`: the calendar does not reach back so
    /// far.
    pub fn dates(self, period: Option<CalendarPeriod>, dates: DateRange) -> Option<DateRange> {
        // Reports begin in the year 1.
        dates
            .start()
            .checked_sub_months(Months::new(24))
            .filter(|start| start.year() > 0)?;
        match (self, period) {
            (Self::Before, Some(period)) => Some(period.before(dates)),
            (Self::Before, None) => dates.previous().ok(),
            (Self::Year, period) => {
                // A week has the same days of the week.
                let is_week = period.is_some_and(|period| period.unit == CalendarUnit::Week);
                let back = |day: NaiveDate| {
                    if is_week {
                        day - Days::new(364)
                    } else {
                        day - Months::new(12)
                    }
                };
                Some(DateRange::between(back(dates.start()), back(dates.end())))
            }
        }
    }
}

impl fmt::Display for CalendarPeriod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit: &str = self.unit.into();
        write!(f, "{}-{unit}", if self.is_last { "last" } else { "this" })
    }
}

impl FromStr for CalendarPeriod {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::all()
            .find(|period| period.to_string() == text)
            .ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: &str, end: &str) -> DateRange {
        DateRange::parse(start, end).unwrap()
    }

    #[test]
    fn a_period_has_days_and_what_it_is_compared_with() {
        // A Tuesday.
        let today = NaiveDate::from_ymd_opt(2026, 3, 31).unwrap();
        for (period, dates, before, year) in [
            (
                "this-week",
                ("2026-03-30", "2026-03-31"),
                ("2026-03-23", "2026-03-24"),
                ("2025-03-31", "2025-04-01"),
            ),
            (
                "last-week",
                ("2026-03-23", "2026-03-29"),
                ("2026-03-16", "2026-03-22"),
                ("2025-03-24", "2025-03-30"),
            ),
            // The month before is shorter.
            (
                "this-month",
                ("2026-03-01", "2026-03-31"),
                ("2026-02-01", "2026-02-28"),
                ("2025-03-01", "2025-03-31"),
            ),
            (
                "last-month",
                ("2026-02-01", "2026-02-28"),
                ("2026-01-01", "2026-01-31"),
                ("2025-02-01", "2025-02-28"),
            ),
            (
                "this-quarter",
                ("2026-01-01", "2026-03-31"),
                ("2025-10-01", "2025-12-29"),
                ("2025-01-01", "2025-03-31"),
            ),
            (
                "last-quarter",
                ("2025-10-01", "2025-12-31"),
                ("2025-07-01", "2025-09-30"),
                ("2024-10-01", "2024-12-31"),
            ),
            (
                "this-year",
                ("2026-01-01", "2026-03-31"),
                ("2025-01-01", "2025-03-31"),
                ("2025-01-01", "2025-03-31"),
            ),
            (
                "last-year",
                ("2025-01-01", "2025-12-31"),
                ("2024-01-01", "2024-12-31"),
                ("2024-01-01", "2024-12-31"),
            ),
        ] {
            let read: CalendarPeriod = period.parse().unwrap();
            let found = read.dates(today);
            assert_eq!(found, range(dates.0, dates.1), "{period}");
            let compared = |comparison: Comparison| comparison.dates(Some(read), found).unwrap();
            assert_eq!(
                compared(Comparison::Before),
                range(before.0, before.1),
                "{period}"
            );
            assert_eq!(
                compared(Comparison::Year),
                range(year.0, year.1),
                "{period}"
            );
        }
        assert!("next-week".parse::<CalendarPeriod>().is_err());
    }

    #[test]
    fn other_days_are_compared_with_as_many_before_or_a_year_ago() {
        let days = range("2024-02-29", "2024-03-02");
        assert_eq!(
            Comparison::Before.dates(None, days),
            Some(range("2024-02-26", "2024-02-28"))
        );
        assert_eq!(
            Comparison::Year.dates(None, days),
            Some(range("2023-02-28", "2023-03-02"))
        );
        assert_eq!(
            Comparison::Year.dates(None, range("0001-01-01", "0001-01-02")),
            None
        );
    }
}
