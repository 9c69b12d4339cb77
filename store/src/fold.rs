//! The fold: a form's deltas out of the inbox and into its rollups, in one transaction.
//!
//! The form's version row is its lock: folds of a form come one after the other, each sees what the last one wrote, and
//! the order of versions is the order of commits. A delta is counted by the transaction that deletes its row, so
//! exactly once.

use std::collections::BTreeMap;
use std::iter;

use chrono::NaiveDate;
use domain::link::BusPropIds;
use domain::rollup::Delta;
use sea_orm::QueryResult;

use crate::form::FormKey;
use crate::inbox::Trail;
use crate::link::bus_prop_ids;
use crate::rollup::{Place, WHOLE};
use crate::tx::get;
use crate::{Error, Tx};

/// Rows that one fold takes at most.
const ROWS: i64 = 1_000;

/// How far back a fold looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// Where rows are expected, without the dead ones before them.
    Recent,
    /// From the first row on.
    All,
}

/// A row of the inbox, read.
struct Row {
    id: i64,
    day: NaiveDate,
    bus_prop_ids: BusPropIds,
    delta: Delta,
}

impl Row {
    fn read(row: &QueryResult) -> Result<Self, Error> {
        let delta: Vec<u8> = get(row, "delta")?;
        Ok(Self {
            id: get(row, "id")?,
            day: get(row, "day")?,
            bus_prop_ids: bus_prop_ids(row)?,
            delta: Delta::decode(&delta).map_err(Error::broken)?,
        })
    }
}

impl Tx {
    /// Folds what waits for a form, as far as one transaction goes. How many rows it took: 0, nothing waits.
    ///
    /// A row that cannot be read (a newer version wrote it) stays where it is.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn fold(&mut self, form: FormKey, reach: Reach) -> Result<usize, Error> {
        let mut trail = self.lock_form(form).await?;
        let above = match reach {
            Reach::Recent => trail.low,
            Reach::All => 0,
        };
        let rows = self.waiting_rows(form, above).await?;
        let Some(last) = rows.last().map(|row| row.id) else {
            return Ok(0);
        };
        self.take(form, rows.iter().map(|row| row.id).collect())
            .await?;
        let mut sums: BTreeMap<Place, Delta> = BTreeMap::new();
        for row in &rows {
            for id in iter::once(WHOLE).chain(row.bus_prop_ids.iter().map(i64::from)) {
                sums.entry((id, row.day)).or_default().merge(&row.delta);
            }
        }
        self.add_to_rollup(form, sums).await?;
        let now = self.now().await?;
        if trail.advance(last, now) {
            self.note_trail(form, trail).await?;
        }
        self.raise_version(form, now).await?;
        Ok(rows.len())
    }

    /// Waits for whoever holds the form.
    async fn lock_form(&mut self, form: FormKey) -> Result<Trail, Error> {
        let lock = self.dialect(
            "SELECT inbox_low, inbox_mark, marked_at FROM form_version WHERE account_id = $1 AND form_id = $2
                FOR NO KEY UPDATE",
            "SELECT inbox_low, inbox_mark, marked_at FROM form_version WHERE account_id = $1 AND form_id = $2",
        );
        let row = self
            .row(lock, form.values())
            .await?
            .ok_or_else(|| Error::broken("a form without a version"))?;
        Ok(Trail {
            low: get(&row, "inbox_low")?,
            mark: get(&row, "inbox_mark")?,
            marked_at: get(&row, "marked_at")?,
        })
    }

    async fn waiting_rows(&mut self, form: FormKey, above: i64) -> Result<Vec<Row>, Error> {
        let mut values = form.values();
        values.extend::<[sea_orm::Value; 2]>([above.into(), ROWS.into()]);
        let rows = self
            .rows(
                "SELECT id, day, bus_prop_ids, delta FROM inbox
                  WHERE account_id = $1 AND form_id = $2 AND id > $3 ORDER BY id LIMIT $4",
                values,
            )
            .await?;
        let mut read = Vec::with_capacity(rows.len());
        for row in &rows {
            match Row::read(row) {
                Ok(row) => read.push(row),
                Err(error) => {
                    tracing::warn!(%error, form.id = %form.form_id, "a row of the inbox was left");
                }
            }
        }
        Ok(read)
    }

    /// Deletes rows, which only the holder of the form does.
    async fn take(&mut self, form: FormKey, ids: Vec<i64>) -> Result<(), Error> {
        let expected = ids.len() as u64;
        let ids: sea_orm::Value = if self.is_sqlite() {
            serde_json::to_string(&ids).map_err(Error::broken)?.into()
        } else {
            ids.into()
        };
        let delete = self.dialect(
            "DELETE FROM inbox WHERE account_id = $1 AND form_id = $2 AND id = ANY ($3)",
            "DELETE FROM inbox WHERE account_id = $1 AND form_id = $2 AND id IN (SELECT value FROM json_each($3))",
        );
        let mut values = form.values();
        values.push(ids);
        if self.execute(delete, values).await? == expected {
            Ok(())
        } else {
            Err(Error::broken("a form's inbox changed under its lock"))
        }
    }

    async fn note_trail(&mut self, form: FormKey, trail: Trail) -> Result<(), Error> {
        let mut values = form.values();
        values.extend::<[sea_orm::Value; 3]>([
            trail.low.into(),
            trail.mark.into(),
            trail.marked_at.into(),
        ]);
        self.execute(
            "UPDATE form_version SET inbox_low = $3, inbox_mark = $4, marked_at = $5
              WHERE account_id = $1 AND form_id = $2",
            values,
        )
        .await?;
        Ok(())
    }
}
