//! How long a list is: what the rollups have, and the pending counts.

use std::collections::BTreeMap;
use std::ops::Range;

use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta, Utc};
use domain::answer::Counted;
use domain::date_range::{DateRange, day_of};
use domain::link::BusPropIds;
use domain::rollup::{DayCounts, DecodeCounts, DecodeError, Delta};
use futures::TryStreamExt;
use sea_orm::FromQueryResult;
use uuid::Uuid;

use super::FeedbackQuery;
use crate::report::form::{COUNTERS, DayDelta};
use crate::report::rollup::WHOLE;
use crate::tx::{Sql, statement, values};
use crate::{Result, Tx};

/// Days that are so far apart have no ids between each other's ([`ids_of_days`]).
const APART: TimeDelta = TimeDelta::days(3);
/// The runs that are read one by one, at most. All earlier days are one more run.
const RUNS: usize = 50;

/// No account's day begins further from the same day in UTC, nor is it moved further by a later time zone table. Rows of
/// other days between the bounds are told by their day.
const SLACK: TimeDelta = TimeDelta::days(1);

/// The ids that feedbacks of these days may have.
pub(crate) fn ids_of_days(first: NaiveDate, last: NaiveDate) -> Range<Uuid> {
    let midnight = |day: NaiveDate| day.and_time(NaiveTime::MIN).and_utc();
    first_id(midnight(first) - SLACK)..first_id(midnight(last) + SLACK + SLACK)
}

/// The lowest id of a moment.
pub(crate) fn first_id(at: DateTime<Utc>) -> Uuid {
    let millis = u64::try_from(at.timestamp_millis()).unwrap_or(0);
    Uuid::from_u128(u128::from(millis) << 80)
}

/// The moment of an id, to the millisecond.
fn time_of(id: Uuid) -> DateTime<Utc> {
    let millis = i64::try_from(id.as_u128() >> 80).unwrap_or(i64::MAX);
    DateTime::from_timestamp_millis(millis).unwrap_or(DateTime::<Utc>::MAX_UTC)
}

#[derive(FromQueryResult)]
struct PendingCounts {
    day: NaiveDate,
    bus_prop_ids: String,
    delta: Vec<u8>,
}

/// A list's rows by day.
pub(super) type RowsByDay = BTreeMap<NaiveDate, i64>;

/// Days one after the other, and how many rows of a list are on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DayRun {
    pub first: NaiveDate,
    pub last: NaiveDate,
    pub rows: usize,
}

impl DayRun {
    /// Nobody knows how many rows.
    pub(super) fn of(range: DateRange) -> Self {
        Self {
            first: range.start(),
            last: range.end(),
            rows: usize::MAX,
        }
    }

    /// The ids that its rows may have, older than `before`.
    pub(super) fn ids(self, before: Option<Uuid>) -> Range<Uuid> {
        let ids = ids_of_days(self.first, self.last);
        ids.start..before.map_or(ids.end, |before| before.min(ids.end))
    }
}

/// Where the list's first `rows` that are older than `before` are: newest first, and whatever is in one is newer than
/// whatever is in the next. Of a list that is narrowed there is more than one, so that rare rows are not looked for where
/// they are not; otherwise all rows that are passed are the list's.
pub(super) fn runs(
    rows_by_day: &RowsByDay,
    query: &FeedbackQuery,
    before: Option<Uuid>,
    rows: usize,
) -> Vec<DayRun> {
    // Of the day of `before` and, should days have moved, of its neighbours some may be newer and some older.
    let day = before.map(|id| day_of(time_of(id), query.time_zone));
    let last = day.map_or(NaiveDate::MAX, |day| day + TimeDelta::days(1));
    let sure = day.map_or(NaiveDate::MAX, |day| day - TimeDelta::days(2));
    let most = if query.is_narrowed() { RUNS } else { 1 };
    let mut found: usize = 0;
    let mut runs: Vec<DayRun> = Vec::new();
    for (day, listed) in rows_by_day.range(..=last).rev() {
        let Some(listed) = usize::try_from(*listed).ok().filter(|listed| *listed > 0) else {
            continue;
        };
        if found >= rows {
            break;
        }
        let is_last = runs.len() >= most;
        match runs.last_mut() {
            Some(run) if is_last || run.first - *day < APART => {
                run.first = *day;
                run.rows = run.rows.saturating_add(listed);
            }
            _ => runs.push(DayRun {
                first: *day,
                last: *day,
                rows: listed,
            }),
        }
        if *day <= sure {
            found = found.saturating_add(listed);
        }
    }
    runs
}

/// How many rows of a list a day has, by the beginning of its delta where its counters tell.
fn listed(counted: &Counted, delta: &[u8]) -> Result<i64, DecodeError> {
    if counted.is_counter() {
        Ok(counted.count(&DayCounts::decode(delta)?.into()))
    } else {
        Ok(counted.count(&Delta::decode(delta)?))
    }
}

impl Tx {
    /// The list's counts by day, rolled up and pending. `None` where only reading the list tells: no count is that of its rows, or
    /// a newer version wrote what is pending.
    pub(super) async fn rows_by_day(&mut self, query: &FeedbackQuery) -> Result<Option<RowsByDay>> {
        let Some(counted) = query.counted() else {
            return Ok(None);
        };
        let bus_prop_id = query.bus_prop_id.map_or(WHOLE, i64::from);
        let (first, last) = (query.range.start(), query.range.end());
        let bytes = if counted.is_counter() {
            COUNTERS
        } else {
            i32::MAX
        };
        let days = statement!(
            "SELECT day, substr(delta, 1, $6) AS delta FROM rollup
              WHERE account_id = $1 AND form_id = $2 AND bus_prop_id = $3 AND day BETWEEN $4 AND $5"
        );
        let values = values![query.form, bus_prop_id, first, last, bytes];
        let days: Vec<DayDelta> = self.fetch_all(days, values).await?;
        let mut rows_by_day = RowsByDay::default();
        for row in days {
            rows_by_day.insert(row.day, listed(&counted, &row.delta)?);
        }
        let pending = statement!(
            "SELECT day, bus_prop_ids, delta FROM pending_delta
              WHERE account_id = $1 AND form_id = $2 AND day BETWEEN $3 AND $4"
        );
        let mut pending = self.stream::<PendingCounts>(pending, values![query.form, first, last]);
        while let Some(row) = pending.try_next().await? {
            let ids = row.bus_prop_ids.parse::<BusPropIds>();
            let (Ok(ids), Ok(rows)) = (ids, listed(&counted, &row.delta)) else {
                return Ok(None);
            };
            let is_listed = |wanted| ids.contains(&wanted);
            if query.bus_prop_id.is_none_or(is_listed) {
                *rows_by_day.entry(row.day).or_default() += rows;
            }
        }
        Ok(Some(rows_by_day))
    }
}

#[cfg(test)]
mod tests {
    use chrono::Datelike;
    use chrono_tz::Tz;
    use domain::link::TrackFields;
    use uuid::{NoContext, Timestamp};

    use super::super::AnswerFilter;
    use super::*;
    use crate::form::FormKey;

    fn day(number: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 3, number).unwrap()
    }

    fn query(bus_prop_id: Option<u32>) -> FeedbackQuery {
        FeedbackQuery {
            form: FormKey::new(Uuid::nil(), Uuid::nil()),
            range: DateRange::parse("2026-03-01", "2026-03-31").unwrap(),
            time_zone: Tz::UTC,
            bus_prop_id,
            comments_only: false,
            track_fields: TrackFields::default(),
            answers: AnswerFilter::default(),
        }
    }

    /// The first and the last day of each run, and its rows.
    fn shown(
        rows_by_day: &RowsByDay,
        bus_prop_id: Option<u32>,
        before: Option<NaiveDate>,
        rows: usize,
    ) -> Vec<(u32, u32, usize)> {
        let query = query(bus_prop_id);
        let before = before.map(|day| {
            let noon = day.and_hms_opt(12, 0, 0).unwrap().and_utc();
            let seconds = u64::try_from(noon.timestamp()).unwrap();
            Uuid::new_v7(Timestamp::from_unix(NoContext, seconds, 0))
        });
        let runs = runs(rows_by_day, &query, before, rows);
        let runs = runs.iter();
        runs.map(|run| (run.first.day(), run.last.day(), run.rows))
            .collect()
    }

    #[test]
    fn a_rare_business_property_is_looked_for_where_it_is() {
        let counts = [(2, 3), (9, 1), (11, 1), (14, 0), (20, 2), (28, 1), (31, 4)];
        let rows_by_day: RowsByDay = counts.map(|(number, listed)| (day(number), listed)).into();
        let newest = |rows| shown(&rows_by_day, Some(1), None, rows);
        assert_eq!(newest(4), [(31, 31, 4)]);
        assert_eq!(newest(5), [(31, 31, 4), (28, 28, 1)]);
        assert_eq!(newest(7), [(31, 31, 4), (28, 28, 1), (20, 20, 2)]);
        let all = [(31, 31, 4), (28, 28, 1), (20, 20, 2), (9, 11, 2), (2, 2, 3)];
        assert_eq!(newest(100), all);
        assert_eq!(shown(&RowsByDay::default(), Some(1), None, 1), []);
    }

    #[test]
    fn without_a_business_property_there_is_one_run() {
        let rows_by_day = [(2, 3), (9, 1), (31, 4)].map(|(n, listed)| (day(n), listed));
        let rows_by_day = rows_by_day.into();
        assert_eq!(shown(&rows_by_day, None, None, 4), [(31, 31, 4)]);
        assert_eq!(shown(&rows_by_day, None, None, 5), [(9, 31, 5)]);
        assert_eq!(shown(&rows_by_day, None, None, 9), [(2, 31, 8)]);
    }

    #[test]
    fn so_many_runs_and_no_more() {
        let first = day(1);
        let days = (0..400).map(|n| (first + TimeDelta::days(n * 4), 1));
        let mut query = query(Some(1));
        query.range = DateRange::parse("2026-03-01", "2030-12-31").unwrap();
        let runs = runs(&days.collect(), &query, None, 1_000);
        assert_eq!(runs.len(), RUNS);
        assert_eq!(runs.iter().map(|run| run.rows).sum::<usize>(), 400);
        assert_eq!(runs.last().unwrap().first, first);
    }

    #[test]
    fn days_around_a_page_s_end_are_looked_at_but_not_counted_on() {
        let rows_by_day: RowsByDay = (1..=31).map(|number| (day(number), 1)).collect();
        let before = |number, rows| shown(&rows_by_day, None, Some(day(number)), rows);
        assert_eq!(before(20, 1), [(18, 21, 4)]);
        assert_eq!(before(20, 3), [(16, 21, 6)]);
        assert_eq!(before(1, 3), [(1, 2, 2)]);
    }

    #[test]
    fn every_moment_of_a_day_in_any_zone_is_within_its_bounds() {
        for zone in [Tz::Pacific__Kiritimati, Tz::UTC, Tz::Etc__GMTPlus12] {
            for hours in 0..72 {
                let at = DateTime::UNIX_EPOCH + TimeDelta::days(20_000) + TimeDelta::hours(hours);
                let seconds = u64::try_from(at.timestamp()).unwrap();
                let id = Uuid::new_v7(Timestamp::from_unix(NoContext, seconds, 999_999_999));
                let day = day_of(at, zone);
                let ids = ids_of_days(day, day);
                assert!(ids.contains(&id), "{at} in {zone}");
                assert_eq!(time_of(id).timestamp(), at.timestamp());
            }
        }
    }

    #[test]
    fn days_before_the_epoch_and_far_ones_have_bounds() {
        let day = |year| NaiveDate::from_ymd_opt(year, 12, 31).unwrap();
        let ids = ids_of_days(day(1), day(9999));
        assert_eq!(ids.start, Uuid::nil());
        assert!(ids.end > Uuid::now_v7());
    }
}
