//! Ranges of days, the day of a time in a time zone, and both as texts.

use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, TimeDelta, Utc};
use chrono_tz::Tz;

use crate::invalid::NotValid;
use crate::month::Month;

/// At most this many days, both ends included.
pub const MAX_DAYS: i64 = 1_830;

/// From `start` to `end`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DateRange {
    start: NaiveDate,
    end: NaiveDate,
}

impl DateRange {
    pub fn parse(start: &str, end: &str) -> Result<Self, NotValid> {
        let start = parse_date(start).ok_or(NotValid("start_date is not a date (YYYY-MM-DD)"))?;
        let end = parse_date(end).ok_or(NotValid("end_date is not a date (YYYY-MM-DD)"))?;
        if start > end {
            return Err(NotValid("start_date is after end_date"));
        }
        let range = Self { start, end };
        if range.num_days() > MAX_DAYS {
            return Err(NotValid("the range has more than 1830 days"));
        }
        Ok(range)
    }

    /// The days from the earlier of two to the later.
    pub(crate) fn between(one: NaiveDate, other: NaiveDate) -> Self {
        Self {
            start: one.min(other),
            end: one.max(other),
        }
    }

    /// One day.
    pub fn day(day: NaiveDate) -> Self {
        Self::between(day, day)
    }

    /// The days of both ranges and those between them.
    #[must_use]
    pub fn spanning(self, other: Self) -> Self {
        Self::between(self.start.min(other.start), self.end.max(other.end))
    }

    pub fn start(&self) -> NaiveDate {
        self.start
    }

    pub fn end(&self) -> NaiveDate {
        self.end
    }

    /// How many days, both ends included; at least 1.
    pub fn num_days(&self) -> i64 {
        (self.end - self.start).num_days() + 1
    }

    /// Every day of the range, in order.
    pub fn days(&self) -> impl Iterator<Item = NaiveDate> + use<> {
        let end = self.end;
        self.start.iter_days().take_while(move |day| *day <= end)
    }

    /// The same number of days, just before.
    ///
    /// # Errors
    /// They would begin before the year 1.
    pub fn previous(&self) -> Result<Self, NotValid> {
        let days = TimeDelta::days(self.num_days());
        let (start, end) = (self.start - days, self.end - days);
        if start.year() < 1 {
            return Err(NotValid(
                "as many days before start_date would begin before 0001-01-01",
            ));
        }
        Ok(Self { start, end })
    }

    /// This range and [`Self::previous`], if there is one, in one.
    #[must_use]
    pub fn with_previous(&self) -> Self {
        let previous = self.previous();
        let start = previous.map_or(self.start, |previous| previous.start);
        Self { start, ..*self }
    }

    /// This range and at least so many days before it, as far as there are.
    #[must_use]
    pub fn with_days_before(&self, days: i64) -> Self {
        let start = self.start.checked_sub_signed(TimeDelta::days(days));
        let start = start.filter(|start| start.year() >= 1);
        Self {
            start: start.unwrap_or(self.start),
            ..*self
        }
    }

    /// Every month of which the range has a day, in order.
    pub fn months(&self) -> impl Iterator<Item = Month> + use<> {
        let (start, end) = (Month::of(self.start), Month::of(self.end));
        std::iter::successors(Some(start), |month| Some(month.next()))
            .take_while(move |month| *month <= end)
    }

    /// Whether it has the day.
    pub fn contains(&self, day: NaiveDate) -> bool {
        self.start <= day && day <= self.end
    }
}

/// Reads `YYYY-MM-DD` and nothing else: four, two and two ASCII digits, a day of the calendar, from the year 1
/// on (`PostgreSQL` has no year 0).
pub fn parse_date(text: &str) -> Option<NaiveDate> {
    // The library reads signs, white space and numbers of fewer digits too.
    let plain = |byte: u8| byte.is_ascii_digit() || byte == b'-';
    let date: NaiveDate = text.parse().ok()?;
    (text.len() == 10 && text.bytes().all(plain) && date.year() > 0).then_some(date)
}

/// Reads RFC 3339 in UTC, such as `2030-12-31T23:59:59Z`, and nothing else.
pub fn parse_time(text: &str) -> Result<DateTime<Utc>, NotValid> {
    // The library reads longer years, other offsets and spaces too.
    let byte = |index| text.as_bytes().get(index).copied();
    let is_utc = text.ends_with('Z') && byte(4) == Some(b'-') && byte(10) == Some(b'T');
    let time = DateTime::parse_from_rfc3339(text).ok().filter(|_| is_utc);
    time.map(|time| time.to_utc())
        .ok_or(NotValid("is not a time such as 2030-12-31T23:59:59Z"))
}

/// When a day begins in a time zone.
pub fn start_of(day: NaiveDate, zone: Tz) -> DateTime<Utc> {
    let midnight = day.and_time(NaiveTime::MIN);
    // Where a clock skips midnight, the day begins an hour later.
    let hours = [0, 1].into_iter().map(TimeDelta::hours);
    let mut starts =
        hours.filter_map(|hours| (midnight + hours).and_local_timezone(zone).earliest());
    starts
        .next()
        .map_or_else(|| midnight.and_utc(), |start| start.to_utc())
}

/// The day on which `at` falls in the account's time zone.
pub fn day_of(at: DateTime<Utc>, zone: Tz) -> NaiveDate {
    at.with_timezone(&zone).date_naive()
}

#[cfg(test)]
mod tests {
    use chrono::TimeZone;
    use proptest::prelude::*;

    use super::*;

    fn date(year: i32, month: u32, day: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(year, month, day).unwrap()
    }

    #[test]
    fn a_range_includes_both_ends() {
        let range = DateRange::parse("2024-02-28", "2024-03-01").unwrap();
        assert_eq!(range.num_days(), 3);
        assert_eq!(
            range.days().collect::<Vec<_>>(),
            [date(2024, 2, 28), date(2024, 2, 29), date(2024, 3, 1)]
        );
        assert_eq!(
            DateRange::parse("2026-01-01", "2026-01-01")
                .unwrap()
                .num_days(),
            1
        );
    }

    #[test]
    fn what_is_no_range_is_refused_with_its_reason() {
        for (start, end, error) in [
            (
                "2026-02-30",
                "2026-03-01",
                NotValid("start_date is not a date (YYYY-MM-DD)"),
            ),
            (
                "2026-2-3",
                "2026-03-01",
                NotValid("start_date is not a date (YYYY-MM-DD)"),
            ),
            (
                "+026-02-03",
                "2026-03-01",
                NotValid("start_date is not a date (YYYY-MM-DD)"),
            ),
            (
                " 2026-02-03",
                "2026-03-01",
                NotValid("start_date is not a date (YYYY-MM-DD)"),
            ),
            (
                "0000-01-01",
                "2026-03-01",
                NotValid("start_date is not a date (YYYY-MM-DD)"),
            ),
            (
                "2026-01-01",
                "",
                NotValid("end_date is not a date (YYYY-MM-DD)"),
            ),
            (
                "2026-01-01",
                "2026-01-01T00:00:00Z",
                NotValid("end_date is not a date (YYYY-MM-DD)"),
            ),
            (
                "2026-01-01",
                "2026-13-01",
                NotValid("end_date is not a date (YYYY-MM-DD)"),
            ),
            (
                "2026-01-02",
                "2026-01-01",
                NotValid("start_date is after end_date"),
            ),
        ] {
            assert_eq!(DateRange::parse(start, end), Err(error), "{start} {end}");
        }
    }

    #[test]
    fn a_range_of_1830_days_is_the_longest() {
        assert_eq!(
            DateRange::parse("2020-01-01", "2025-01-03")
                .unwrap()
                .num_days(),
            MAX_DAYS
        );
        assert_eq!(
            DateRange::parse("2020-01-01", "2025-01-04"),
            Err(NotValid("the range has more than 1830 days"))
        );
        assert!(DateRange::parse("9999-12-31", "9999-12-31").is_ok());
    }

    #[test]
    fn the_range_before_has_as_many_days_and_ends_the_day_before() {
        let range = DateRange::parse("2024-03-01", "2024-03-31").unwrap();
        let previous = range.previous().unwrap();
        assert_eq!(previous.num_days(), range.num_days());
        assert_eq!(
            (previous.start(), previous.end()),
            (date(2024, 1, 30), date(2024, 2, 29))
        );
        let both = range.with_previous();
        assert_eq!((both.start(), both.end()), (previous.start(), range.end()));
        let first = DateRange::parse("0001-01-01", "0001-01-02").unwrap();
        assert_eq!(first.with_previous(), first);
        assert_eq!(
            first.previous(),
            Err(NotValid(
                "as many days before start_date would begin before 0001-01-01"
            ))
        );
        let third = DateRange::parse("0001-01-03", "0001-01-04").unwrap();
        assert_eq!(third.previous(), Ok(first));
    }

    #[test]
    fn a_range_knows_its_months_and_days() {
        let range = DateRange::parse("2023-12-31", "2024-02-01").unwrap();
        let months: Vec<_> = range.months().map(|month| month.to_string()).collect();
        assert_eq!(months, ["2023-12", "2024-01", "2024-02"]);
        let last = DateRange::parse("9999-12-01", "9999-12-31").unwrap();
        assert_eq!(last.months().count(), 1);
        assert!(range.contains(date(2024, 1, 5)) && !range.contains(date(2024, 2, 2)));
    }

    #[test]
    fn a_time_is_rfc_3339_in_utc() {
        let time = parse_time("2999-12-31T23:59:59.001Z").unwrap();
        assert_eq!(time.timestamp_subsec_millis(), 1);
        for text in [
            "2999-01-01T00:00:00z",
            "2999-01-01T00:00:00+00:00",
            "+2999-01-01T00:00:00Z",
            "2999-01-01 00:00:00Z",
            "2999-01-01T24:00:00Z",
            "99999-01-01T00:00:00Z",
        ] {
            assert!(parse_time(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_moment_falls_on_the_day_of_the_accounts_zone() {
        let at = Utc.with_ymd_and_hms(2026, 3, 31, 23, 30, 0).unwrap();
        assert_eq!(day_of(at, Tz::UTC), date(2026, 3, 31));
        assert_eq!(day_of(at, chrono_tz::Europe::Berlin), date(2026, 4, 1));
        assert_eq!(day_of(at, chrono_tz::America::New_York), date(2026, 3, 31));
    }

    proptest! {
        #[test]
        fn a_date_reads_back_and_rubbish_does_not(text in "[0-9]{4}-[0-9]{2}-[0-9]{2}|[-0-9]{8,11}") {
            match parse_date(&text) {
                Some(day) => prop_assert_eq!(day.format("%Y-%m-%d").to_string(), text),
                None => prop_assert!(
                    NaiveDate::parse_from_str(&text, "%Y-%m-%d").is_err()
                        || text.len() != 10
                        || text.starts_with("0000")
                        || text.starts_with('-')
                ),
            }
        }
    }
}
