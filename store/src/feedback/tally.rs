//! How long a list is: what the rollups have folded, and what waits for the next fold.

use std::collections::BTreeMap;

use chrono::{NaiveDate, TimeDelta};
use domain::date_range::day_of;
use domain::link::BusPropIds;
use domain::rollup::Delta;
use uuid::Uuid;

use super::FeedbackQuery;
use super::bounds::time_of;
use crate::rollup::WHOLE;
use crate::tx::get;
use crate::{Error, Tx};

/// Rows of the inbox that are in memory at once.
const LOOK: usize = 10_000;

/// A list's rows by day.
#[derive(Debug, Default)]
pub(super) struct Tally(BTreeMap<NaiveDate, i64>);

impl Tally {
    pub(super) fn total(&self) -> i64 {
        self.0.values().sum()
    }

    /// A day from which on the list has at least `rows` that are older than `before`, so that nobody looks for them
    /// beyond it; else the list's first.
    pub(super) fn since(
        &self,
        query: &FeedbackQuery,
        before: Option<Uuid>,
        rows: usize,
    ) -> NaiveDate {
        // Of the day of `before` and, should days have moved, of the one before some may be newer.
        let last = before.map(|id| day_of(time_of(id), query.time_zone) - TimeDelta::days(2));
        let wanted = i64::try_from(rows).unwrap_or(i64::MAX);
        let mut found: i64 = 0;
        for (day, listed) in self.0.iter().rev() {
            if last.is_none_or(|last| *day <= last) {
                found = found.saturating_add(*listed);
            }
            if found >= wanted {
                return *day;
            }
        }
        query.range.start()
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
