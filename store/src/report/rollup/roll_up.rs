//! Rolling up: a form's pending counts are added to its rollups, in one transaction.
//!
//! The form's `form_version` row is its lock: roll-ups of a form run one after the other, each sees what the last one
//! wrote, and the order of versions is the order of commits. The transaction that adds a delta deletes its row, so each
//! delta is added exactly once.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::iter;

use chrono::{DateTime, NaiveDate, Utc};
use domain::link::BusPropIds;
use domain::month::Month;
use domain::rollup::Delta;
use sea_orm::QueryResult;

use super::pending::{Watermark, next_as_of};
use super::{RollupKey, WHOLE};
use crate::form::FormKey;
use crate::tx::get;
use crate::{Error, Tx};

/// Pending rows that one roll-up takes at most.
const ROWS: i64 = 1_000;

/// Of counts that one statement adds to the rollup, about.
const BYTES: usize = 4 << 20;

/// Where a roll-up begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ScanScope {
    /// At the watermark, above the dead rows.
    Recent,
    /// At the first row.
    All,
}

/// What one roll-up did.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct RolledUp {
    /// How many rows it took; 0: nothing is pending.
    pub rows: usize,
    /// Whose counts it changed: `bus_prop_id` ([`WHOLE`]: the form's) and month.
    pub touched: BTreeSet<(i64, Month)>,
}

/// A form that nobody else rolls up until the transaction ends.
pub(crate) struct Locked {
    watermark: Watermark,
    as_of: DateTime<Utc>,
}

/// Pending rows. Those of the same day and business properties are one sum: most are alike, and a row may
/// name fifty business properties.
#[derive(Default)]
struct Found {
    /// In order.
    ids: Vec<i64>,
    /// By the text of their `bus_prop_ids`.
    alike: HashMap<String, Alike>,
    /// When the last of them came.
    at: Option<DateTime<Utc>>,
}

/// The sums of rows with the same business properties.
struct Alike {
    bus_prop_ids: BusPropIds,
    days: BTreeMap<NaiveDate, Delta>,
}

impl Found {
    /// Adds a row, if it can be read.
    fn add(&mut self, id: i64, row: &QueryResult) -> Result<(), Error> {
        let (day, delta): (NaiveDate, Vec<u8>) = (get(row, "day")?, get(row, "delta")?);
        let at = get(row, "created_at")?;
        let delta = Delta::decode(&delta).map_err(Error::broken)?;
        let alike = match self.alike.entry(get(row, "bus_prop_ids")?) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let bus_prop_ids: BusPropIds = new.key().parse().map_err(Error::broken)?;
                new.insert(Alike {
                    bus_prop_ids,
                    days: BTreeMap::new(),
                })
            }
        };
        alike.days.entry(day).or_default().merge(&delta);
        self.ids.push(id);
        self.at = self.at.max(Some(at));
        Ok(())
    }

    /// Every row of the rollup that something is to be added to.
    fn keys(&self) -> BTreeSet<RollupKey> {
        let alike = self.alike.values();
        let keys = alike.flat_map(|alike| {
            let days = alike.days.keys();
            days.flat_map(|day| alike.ids().map(|id| (id, *day)))
        });
        keys.collect()
    }

    /// How many rows of the rollup are added to at once. Each may get all that was found, and a link may name fifty
    /// business properties.
    fn at_once(&self) -> usize {
        let alike = self.alike.values();
        let sums = alike.flat_map(|alike| alike.days.values());
        let bytes: usize = sums.map(|sum| sum.encode().len()).sum();
        (BYTES / bytes.max(1)).max(1)
    }

    /// What is to be added to the rows of the rollup from one key to another.
    fn sums(&self, from: RollupKey, to: RollupKey) -> BTreeMap<RollupKey, Delta> {
        let mut sums: BTreeMap<RollupKey, Delta> = BTreeMap::new();
        for alike in self.alike.values() {
            for id in alike.ids().filter(|id| (from.0..=to.0).contains(id)) {
                for (day, sum) in &alike.days {
                    let key = (id, *day);
                    if (from..=to).contains(&key) {
                        sums.entry(key).or_default().merge(sum);
                    }
                }
            }
        }
        sums
    }
}

impl Alike {
    /// The whole and the business properties.
    fn ids(&self) -> impl Iterator<Item = i64> {
        iter::once(WHOLE).chain(self.bus_prop_ids.iter().map(i64::from))
    }
}

impl Tx {
    /// Rolls up the pending counts of a form, as far as one transaction goes.
    ///
    /// A row that cannot be read (a newer version wrote it) stays where it is, and those behind it are rolled up.
    ///
    /// # Errors
    /// See [`Error`]; [`Error::Conflict`]: somebody has held the form for a second.
    pub async fn roll_up(&mut self, form: FormKey, scope: ScanScope) -> Result<RolledUp, Error> {
        if !self.is_sqlite() {
            self.execute("SET LOCAL lock_timeout = 1000", vec![])
                .await?;
        }
        let Locked {
            mut watermark,
            as_of,
        } = self.lock_form(form).await?;
        let above = match scope {
            ScanScope::Recent => watermark.position,
            ScanScope::All => 0,
        };
        let found = self.find(form, above).await?;
        let (Some(&last), Some(at)) = (found.ids.last(), found.at) else {
            return Ok(RolledUp::default());
        };
        let rows = found.ids.len();
        let keys: Vec<RollupKey> = found.keys().into_iter().collect();
        for keys in keys.chunks(found.at_once()) {
            if let (Some(from), Some(to)) = (keys.first(), keys.last()) {
                self.add_to_rollup(form, found.sums(*from, *to)).await?;
            }
        }
        self.take(form, found.ids).await?;
        let touched: BTreeSet<(i64, Month)> = keys
            .iter()
            .map(|(bus_prop_id, day)| (*bus_prop_id, Month::of(*day)))
            .collect();
        let now = self.now().await?;
        if watermark.advance(last, now) {
            self.set_watermark(form, watermark).await?;
        }
        // Lists have shown this `as_of` since the rows were committed.
        let version = self.raise_version(form, next_as_of(at, as_of)).await?;
        let months = touched.iter().map(|(_, month)| *month);
        self.raise_months(form, months, version).await?;
        Ok(RolledUp { rows, touched })
    }

    /// Waits for whoever holds the form.
    pub(crate) async fn lock_form(&mut self, form: FormKey) -> Result<Locked, Error> {
        let lock = self.dialect(
            "SELECT watermark, next_watermark, next_watermark_at, as_of FROM form_version WHERE account_id = $1 AND form_id = $2
                FOR NO KEY UPDATE",
            "SELECT watermark, next_watermark, next_watermark_at, as_of FROM form_version WHERE account_id = $1 AND form_id = $2",
        );
        let row = self
            .row(lock, form.values())
            .await?
            .ok_or_else(|| Error::broken("a form without a version"))?;
        Ok(Locked {
            watermark: Watermark {
                position: get(&row, "watermark")?,
                next: get(&row, "next_watermark")?,
                next_at: get(&row, "next_watermark_at")?,
            },
            as_of: get(&row, "as_of")?,
        })
    }

    /// The first rows above an id, those that can be read; none only where there are none.
    async fn find(&mut self, form: FormKey, mut above: i64) -> Result<Found, Error> {
        let mut found = Found::default();
        let (mut left, mut reason) = (0_u64, None);
        loop {
            let rows = self.waiting_rows(form, above).await?;
            for row in &rows {
                above = get(row, "id")?;
                if let Err(error) = found.add(above, row) {
                    left += 1;
                    reason = reason.or(Some(error));
                }
            }
            if rows.is_empty() || !found.ids.is_empty() {
                break;
            }
        }
        if let Some(error) = reason {
            tracing::warn!(%error, rows = left, form.id = %form.form_id, "pending rows were left");
        }
        Ok(found)
    }

    async fn waiting_rows(&mut self, form: FormKey, above: i64) -> Result<Vec<QueryResult>, Error> {
        let mut values = form.values();
        values.extend::<[sea_orm::Value; 2]>([above.into(), ROWS.into()]);
        self.rows(
            "SELECT id, day, bus_prop_ids, delta, created_at FROM pending_delta
              WHERE account_id = $1 AND form_id = $2 AND id > $3 ORDER BY id LIMIT $4",
            values,
        )
        .await
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
            "DELETE FROM pending_delta WHERE account_id = $1 AND form_id = $2 AND id = ANY ($3)",
            "DELETE FROM pending_delta WHERE account_id = $1 AND form_id = $2 AND id IN (SELECT value FROM json_each($3))",
        );
        let mut values = form.values();
        values.push(ids);
        if self.execute(delete, values).await? == expected {
            Ok(())
        } else {
            Err(Error::broken(
                "pending rows of a form changed under its lock",
            ))
        }
    }

    async fn set_watermark(&mut self, form: FormKey, watermark: Watermark) -> Result<(), Error> {
        let mut values = form.values();
        values.extend::<[sea_orm::Value; 3]>([
            watermark.position.into(),
            watermark.next.into(),
            watermark.next_at.into(),
        ]);
        self.execute(
            "UPDATE form_version SET watermark = $3, next_watermark = $4, next_watermark_at = $5
              WHERE account_id = $1 AND form_id = $2",
            values,
        )
        .await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_parts_are_those_of_the_whole() {
        let day = |number| NaiveDate::from_ymd_opt(2026, 3, number).unwrap();
        let mut found = Found::default();
        for (ids, days) in [("1_3", 1..=3), ("", 2..=2), ("2_3_7", 3..=4)] {
            let days = days.map(|number| (day(number), Delta::view()));
            let alike = Alike {
                bus_prop_ids: ids.parse().unwrap(),
                days: days.collect(),
            };
            found.alike.insert(ids.to_owned(), alike);
        }
        let keys: Vec<RollupKey> = found.keys().into_iter().collect();
        let whole = found.sums(keys[0], keys[keys.len() - 1]);
        assert_eq!(whole.keys().copied().collect::<Vec<_>>(), keys);
        assert_eq!(whole[&(WHOLE, day(3))].counts.views, 2);
        assert_eq!(whole[&(3, day(3))].counts.views, 2);
        assert_eq!(whole[&(7, day(4))].counts.views, 1);
        for at_once in 1..keys.len() {
            let parts = keys.chunks(at_once);
            let sums = parts.flat_map(|part| found.sums(part[0], part[part.len() - 1]));
            assert_eq!(sums.collect::<BTreeMap<_, _>>(), whole, "{at_once}");
        }
    }
}
