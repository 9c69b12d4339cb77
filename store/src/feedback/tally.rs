//! How long a list is: what the rollups have folded, and what waits for the next fold.

use std::collections::BTreeMap;

use chrono::{NaiveDate, TimeDelta};
use domain::date_range::{DateRange, day_of};
use domain::link::BusPropIds;
use domain::rollup::Delta;
use uuid::Uuid;

use super::FeedbackQuery;
use super::bounds::{Bounds, time_of};
use crate::rollup::WHOLE;
use crate::tx::get;
use crate::{Error, Tx};

/// Rows of the inbox that are in memory at once.
const LOOK: usize = 10_000;
/// Days that are so far apart have no ids between each other's ([`Bounds::of_days`]).
const APART: TimeDelta = TimeDelta::days(3);

/// A list's rows by day.
#[derive(Debug, Default)]
pub(super) struct Tally(BTreeMap<NaiveDate, i64>);

/// Days one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub first: NaiveDate,
    pub last: NaiveDate,
}

impl Run {
    pub(super) fn of(range: DateRange) -> Self {
        Self {
            first: range.start(),
            last: range.end(),
        }
    }

    pub(super) fn bounds(self) -> Bounds {
        Bounds::of_days(self.first, self.last)
    }
}

impl Tally {
    pub(super) fn of(days: impl IntoIterator<Item = (NaiveDate, i64)>) -> Self {
        Self(days.into_iter().collect())
    }

    pub(super) fn total(&self) -> i64 {
        self.0.values().sum()
    }

    /// Where the list's first `rows` that are older than `before` are, so that nobody looks for them elsewhere: newest
    /// first, and whatever is in one is newer than whatever is in the next.
    pub(super) fn runs(
        &self,
        query: &FeedbackQuery,
        before: Option<Uuid>,
        rows: usize,
    ) -> Vec<Run> {
        // Of the day of `before` and, should days have moved, of its neighbours some may be newer and some older.
        let day = before.map(|id| day_of(time_of(id), query.time_zone));
        let last = day.map_or(NaiveDate::MAX, |day| day + TimeDelta::days(1));
        let sure = day.map_or(NaiveDate::MAX, |day| day - TimeDelta::days(2));
        let wanted = i64::try_from(rows).unwrap_or(i64::MAX);
        let mut found: i64 = 0;
        let mut runs: Vec<Run> = Vec::new();
        let days = self.0.range(..=last).rev();
        for (day, listed) in days.filter(|(_, listed)| **listed > 0) {
            if found >= wanted {
                break;
            }
            match runs.last_mut() {
                Some(run) if run.first - *day < APART => run.first = *day,
                _ => runs.push(Run {
                    first: *day,
                    last: *day,
                }),
            }
            if *day <= sure {
                found = found.saturating_add(*listed);
            }
        }
        runs
    }
}

impl Tx {
    /// By the rollups.
    pub(super) async fn folded_tally(&mut self, query: &FeedbackQuery) -> Result<Tally, Error> {
        let mut values = query.form.values();
        values.extend::<[sea_orm::Value; 3]>([
            query.bus_prop_id.map_or(WHOLE, i64::from).into(),
            query.range.start().into(),
            query.range.end().into(),
        ]);
        let rows = self
            .rows(
                "SELECT day, responses, comments FROM rollup
                  WHERE account_id = $1 AND form_id = $2 AND bus_prop_id = $3 AND day BETWEEN $4 AND $5",
                values,
            )
            .await?;
        let column = if query.comments_only {
            "comments"
        } else {
            "responses"
        };
        let days = rows
            .iter()
            .map(|row| Ok((get(row, "day")?, get(row, column)?)));
        days.collect::<Result<_, Error>>().map(Tally)
    }

    /// Adds what the inbox has. Not possible where a newer version wrote to it: then only the list itself tells.
    pub(super) async fn add_pending(
        &mut self,
        query: &FeedbackQuery,
        tally: &mut Tally,
    ) -> Result<bool, Error> {
        let mut above: i64 = 0;
        loop {
            let mut values = query.form.values();
            values.extend::<[sea_orm::Value; 4]>([
                above.into(),
                query.range.start().into(),
                query.range.end().into(),
                i64::try_from(LOOK).unwrap_or(i64::MAX).into(),
            ]);
            let rows = self
                .rows(
                    "SELECT id, day, bus_prop_ids, delta FROM inbox
                      WHERE account_id = $1 AND form_id = $2 AND id > $3 AND day BETWEEN $4 AND $5
                      ORDER BY id LIMIT $6",
                    values,
                )
                .await?;
            for row in &rows {
                above = get(row, "id")?;
                let (ids, delta): (String, Vec<u8>) =
                    (get(row, "bus_prop_ids")?, get(row, "delta")?);
                let (Ok(ids), Ok(delta)) = (ids.parse::<BusPropIds>(), Delta::decode(&delta))
                else {
                    return Ok(false);
                };
                if query
                    .bus_prop_id
                    .is_none_or(|wanted| ids.iter().any(|id| id == wanted))
                {
                    let counts = delta.counts;
                    let listed = if query.comments_only {
                        counts.comments
                    } else {
                        counts.responses
                    };
                    *tally.0.entry(get(row, "day")?).or_default() += listed;
                }
            }
            if rows.len() < LOOK {
                return Ok(true);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono_tz::Tz;
    use uuid::{NoContext, Timestamp};

    use super::*;
    use crate::form::FormKey;

    fn day(number: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 3, number).unwrap()
    }

    /// The first and the last day of each run.
    fn runs(tally: &Tally, before: Option<NaiveDate>, rows: usize) -> Vec<(u32, u32)> {
        let query = FeedbackQuery {
            form: FormKey {
                account_id: Uuid::nil(),
                form_id: Uuid::nil(),
            },
            range: DateRange::parse("2026-03-01", "2026-03-31").unwrap(),
            time_zone: Tz::UTC,
            bus_prop_id: None,
            comments_only: false,
            track_fields: Vec::new(),
        };
        let before = before.map(|day| {
            let noon = day.and_hms_opt(12, 0, 0).unwrap().and_utc();
            let seconds = u64::try_from(noon.timestamp()).unwrap();
            Uuid::new_v7(Timestamp::from_unix(NoContext, seconds, 0))
        });
        let runs = tally.runs(&query, before, rows);
        let days = runs.iter().map(|run| (run.first, run.last));
        days.map(|(first, last)| (chrono::Datelike::day(&first), chrono::Datelike::day(&last)))
            .collect()
    }

    #[test]
    fn rows_are_looked_for_where_they_are_and_no_further() {
        let counts = [(2, 3), (9, 1), (11, 1), (14, 0), (20, 2), (28, 1), (31, 4)];
        let tally = Tally::of(counts.map(|(number, listed)| (day(number), listed)));
        assert_eq!(runs(&tally, None, 4), [(31, 31)]);
        assert_eq!(runs(&tally, None, 5), [(31, 31), (28, 28)]);
        assert_eq!(
            runs(&tally, None, 8),
            [(31, 31), (28, 28), (20, 20), (11, 11)]
        );
        assert_eq!(
            runs(&tally, None, 100),
            [(31, 31), (28, 28), (20, 20), (9, 11), (2, 2)]
        );
        assert_eq!(runs(&Tally::default(), None, 1), []);
    }

    #[test]
    fn days_around_a_page_s_end_are_looked_at_but_not_counted_on() {
        let tally = Tally::of((1..=31).map(|number| (day(number), 1)));
        assert_eq!(runs(&tally, Some(day(20)), 1), [(18, 21)]);
        assert_eq!(runs(&tally, Some(day(20)), 3), [(16, 21)]);
        assert_eq!(runs(&tally, Some(day(1)), 3), [(1, 2)]);
    }
}
