//! The counts of all values of a form's business properties on some days, kept by the version of the form's counts: they are read from
//! a row for each value and day. What is read is kept too, by whole months, so that a page of other days of these reads nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use api_http::{Problem, Result};
use chrono::Months;
use domain::date_range::DateRange;
use domain::month::Month;
use domain::rollup::DayCounts;
use moka::future::Cache;
use report::{BusPropDay, BusPropReader};
use store::form::FormKey;
use store::report::Version;

/// Months of the grid at least.
const MONTHS: u32 = 6;
/// So many values are kept, of all forms and days together; each takes about a kilobyte.
const KEPT: u64 = 10_000;
/// So many days of a value; each takes 128 bytes. A form that has more of its own is read each time.
const KEPT_DAYS: u64 = 80_000;

/// The counts of a value.
#[derive(Default)]
pub struct ValueCounts {
    pub now: DayCounts,
    /// On the days that these are compared with.
    pub before: DayCounts,
    /// In no order; those without counts are missing.
    pub months: Vec<(Month, DayCounts)>,
}

impl ValueCounts {
    /// The counts of a month, if it has any.
    pub fn month(&self, month: Month) -> Option<&DayCounts> {
        let mut months = self.months.iter();
        months.find_map(|(counted, counts)| (*counted == month).then_some(counts))
    }

    fn add_to_month(&mut self, month: Month, counts: DayCounts) {
        match self
            .months
            .iter_mut()
            .find(|(counted, _)| *counted == month)
        {
            Some((_, all)) => *all += counts,
            None => self.months.push((month, counts)),
        }
    }
}

/// The counts of values by their ids, and those of the whole form ([`WHOLE`](store::report::WHOLE)).
pub type CountsById = BTreeMap<i64, ValueCounts>;

/// Which days are counted.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CountedDays {
    pub dates: DateRange,
    pub compared: Option<DateRange>,
    /// Whether each month is counted too ([`months`]).
    pub by_month: bool,
}

impl CountedDays {
    /// All days that are read: whole months.
    fn all(self) -> DateRange {
        let mut all = self.dates;
        if let Some(compared) = self.compared {
            all = all.spanning(compared);
        }
        for month in self.months() {
            all = all.spanning(DateRange::day(month.first()));
        }
        let first = DateRange::day(Month::of(all.start()).first());
        first.spanning(DateRange::day(Month::of(all.end()).last()))
    }

    /// The months that the days are of, and as many before as make [`MONTHS`]; none unless they are counted.
    pub fn months(self) -> Vec<Month> {
        if !self.by_month {
            return Vec::new();
        }
        let dates = self.dates;
        let first = dates.end().checked_sub_months(Months::new(MONTHS - 1));
        let first = first.unwrap_or(dates.end());
        DateRange::day(first).spanning(dates).months().collect()
    }

    fn sum(self, days: &[BusPropDay]) -> CountsById {
        let mut counts = CountsById::new();
        for day in days {
            let counts = counts.entry(day.bus_prop_id).or_default();
            if self.dates.contains(day.day) {
                counts.now += day.counts;
            }
            let is_compared = |compared: DateRange| compared.contains(day.day);
            if self.compared.is_some_and(is_compared) {
                counts.before += day.counts;
            }
            if self.by_month {
                counts.add_to_month(Month::of(day.day), day.counts);
            }
        }
        counts
    }
}

/// The counts that this process has read.
pub struct CountedValues {
    sums: Cache<(FormKey, CountedDays, Version), Arc<CountsById>>,
    days: Cache<(FormKey, DateRange, Version), Arc<Vec<BusPropDay>>>,
}

impl Default for CountedValues {
    fn default() -> Self {
        let weight = |length| u32::try_from(length).unwrap_or(u32::MAX);
        let sums = Cache::builder().max_capacity(KEPT);
        let days = Cache::builder().max_capacity(KEPT_DAYS);
        Self {
            sums: sums
                .weigher(move |_, counts: &Arc<CountsById>| weight(counts.len()))
                .build(),
            days: days
                .weigher(move |_, days: &Arc<Vec<BusPropDay>>| weight(days.len()))
                .build(),
        }
    }
}

impl CountedValues {
    /// The counts of a form and of its values at a version of its counts, or a later one; where they are not kept, the reader is opened.
    ///
    /// # Errors
    /// 503.
    pub async fn find(
        &self,
        form: FormKey,
        days: CountedDays,
        version: Version,
        reader: impl Future<Output = Result<BusPropReader, store::Error>>,
    ) -> Result<Arc<CountsById>> {
        let all = days.all();
        let read = async { Ok::<_, Problem>(Arc::new(reader.await?.days(all).await?)) };
        let sum = Box::pin(async {
            let read = self.days.try_get_with((form, all, version), read).await?;
            Ok::<_, Arc<Problem>>(Arc::new(days.sum(&read)))
        });
        let found = self.sums.try_get_with((form, days, version), sum).await;
        found.map_err(|problem| Problem::clone(&problem))
    }
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;

    use super::*;

    fn range(first: &str, last: &str) -> DateRange {
        DateRange::parse(first, last).unwrap()
    }

    #[test]
    fn each_day_counts_where_it_belongs() {
        let days = CountedDays {
            dates: range("2026-03-10", "2026-03-12"),
            compared: Some(range("2026-03-07", "2026-03-09")),
            by_month: true,
        };
        assert_eq!(days.all(), range("2025-10-01", "2026-03-31"));
        // The grid has as many months whether the days are of one, of two, or of more.
        for (first, months) in [("2026-02-20", 6), ("2025-10-31", 6), ("2025-09-30", 7)] {
            let dates = range(first, "2026-03-12");
            let days = CountedDays { dates, ..days };
            assert_eq!(days.months().len(), months, "{first}");
        }
        let day = |bus_prop_id, day: &str, responses| BusPropDay {
            bus_prop_id,
            day: day.parse::<NaiveDate>().unwrap(),
            counts: DayCounts {
                responses,
                ..DayCounts::default()
            },
        };
        let counts = days.sum(&[
            day(1, "2025-12-31", 1),
            day(1, "2026-03-07", 2),
            day(1, "2026-03-10", 4),
            day(1, "2026-03-12", 8),
            day(2, "2026-03-31", 16),
        ]);
        let one = &counts[&1];
        assert_eq!((one.now.responses, one.before.responses), (12, 2));
        let months: Vec<_> = one.months.iter().map(|(_, of)| of.responses).collect();
        assert_eq!(months, [1, 14]);
        assert_eq!(counts[&2].now, DayCounts::default());
        let days = CountedDays {
            compared: None,
            by_month: false,
            ..days
        };
        let march = range("2026-03-01", "2026-03-31");
        assert_eq!((days.all(), days.months()), (march, Vec::new()));
    }
}
