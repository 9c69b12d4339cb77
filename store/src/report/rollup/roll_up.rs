//! The fold: a form's deltas out of the inbox and into its rollups, in one transaction.
//!
//! The form's version row is its lock: folds of a form come one after the other, each sees what the last one wrote, and
//! the order of versions is the order of commits. A delta is counted by the transaction that deletes its row, so
//! exactly once.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::iter;

use chrono::{DateTime, NaiveDate, Utc};
use domain::link::BusPropIds;
use domain::month::Month;
use domain::rollup::Delta;
use sea_orm::QueryResult;

use super::{Trail, later};
use crate::form::FormKey;
use crate::report::rollup::{Place, WHOLE};
use crate::tx::get;
use crate::{Error, Tx};

/// Rows that one look at a form's inbox reads at most, and one fold takes.
const ROWS: i64 = 1_000;

/// Of counts that one statement adds to the rollup, about.
const BYTES: usize = 4 << 20;

/// How far back a fold looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// Where rows are expected, without the dead ones before them.
    Recent,
    /// From the first row on.
    All,
}

/// What one fold did.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Folded {
    /// How many rows it took: 0, nothing waits.
    pub rows: usize,
    /// Whose counts it changed: `bus_prop_id` ([`WHOLE`]: the form's) and month.
    pub touched: BTreeSet<(i64, Month)>,
}

/// A form that nobody else folds until the transaction ends.
pub(crate) struct Locked {
    trail: Trail,
    as_of: DateTime<Utc>,
}

/// Rows of the inbox, read. Those of the same day and business properties are one sum: most are alike, and a row may
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
        let at = get(row, "at")?;
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
    fn places(&self) -> BTreeSet<Place> {
        let alike = self.alike.values();
        let places = alike.flat_map(|alike| {
            let days = alike.days.keys();
            days.flat_map(|day| alike.ids().map(|id| (id, *day)))
        });
        places.collect()
    }

    /// How many rows of the rollup are added to at once. Each may get all that was found, and a link may name fifty
    /// business properties.
    fn at_once(&self) -> usize {
        let alike = self.alike.values();
        let sums = alike.flat_map(|alike| alike.days.values());
        let bytes: usize = sums.map(|sum| sum.encode().len()).sum();
        (BYTES / bytes.max(1)).max(1)
    }

    /// What is to be added to the rows of the rollup from one place to another.
    fn sums(&self, from: Place, to: Place) -> BTreeMap<Place, Delta> {
        let mut sums: BTreeMap<Place, Delta> = BTreeMap::new();
        for alike in self.alike.values() {
            for id in alike.ids().filter(|id| (from.0..=to.0).contains(id)) {
                for (day, sum) in &alike.days {
                    let place = (id, *day);
                    if (from..=to).contains(&place) {
                        sums.entry(place).or_default().merge(sum);
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
    /// Folds what waits for a form, as far as one transaction goes.
    ///
    /// A row that cannot be read (a newer version wrote it) stays where it is, and those behind it are folded.
    ///
    /// # Errors
    /// See [`Error`]; [`Error::Conflict`]: somebody has held the form for a second.
    pub async fn fold(&mut self, form: FormKey, reach: Reach) -> Result<Folded, Error> {
        if !self.is_sqlite() {
            self.execute("SET LOCAL lock_timeout = 1000", vec![])
                .await?;
        }
        let Locked { mut trail, as_of } = self.lock_form(form).await?;
        let above = match reach {
            Reach::Recent => trail.low,
            Reach::All => 0,
        };
        let found = self.find(form, above).await?;
        let (Some(&last), Some(at)) = (found.ids.last(), found.at) else {
            return Ok(Folded::default());
        };
        let rows = found.ids.len();
        let places: Vec<Place> = found.places().into_iter().collect();
        for places in places.chunks(found.at_once()) {
            if let (Some(from), Some(to)) = (places.first(), places.last()) {
                self.add_to_rollup(form, found.sums(*from, *to)).await?;
            }
        }
        self.take(form, found.ids).await?;
        let touched: BTreeSet<(i64, Month)> = places
            .iter()
            .map(|(bus_prop_id, day)| (*bus_prop_id, Month::of(*day)))
            .collect();
        let now = self.now().await?;
        if trail.advance(last, now) {
            self.note_trail(form, trail).await?;
        }
        // As lists have said since then.
        let version = self.raise_version(form, later(at, as_of)).await?;
        let months = touched.iter().map(|(_, month)| *month);
        self.raise_months(form, months, version).await?;
        Ok(Folded { rows, touched })
    }

    /// Waits for whoever holds the form.
    pub(crate) async fn lock_form(&mut self, form: FormKey) -> Result<Locked, Error> {
        let lock = self.dialect(
            "SELECT inbox_low, inbox_mark, marked_at, as_of FROM form_version WHERE account_id = $1 AND form_id = $2
                FOR NO KEY UPDATE",
            "SELECT inbox_low, inbox_mark, marked_at, as_of FROM form_version WHERE account_id = $1 AND form_id = $2",
        );
        let row = self
            .row(lock, form.values())
            .await?
            .ok_or_else(|| Error::broken("a form without a version"))?;
        Ok(Locked {
            trail: Trail {
                low: get(&row, "inbox_low")?,
                mark: get(&row, "inbox_mark")?,
                marked_at: get(&row, "marked_at")?,
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
            tracing::warn!(%error, rows = left, form.id = %form.form_id, "rows of the inbox were left");
        }
        Ok(found)
    }

    async fn waiting_rows(&mut self, form: FormKey, above: i64) -> Result<Vec<QueryResult>, Error> {
        let mut values = form.values();
        values.extend::<[sea_orm::Value; 2]>([above.into(), ROWS.into()]);
        self.rows(
            "SELECT id, day, bus_prop_ids, delta, at FROM inbox
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
        let places: Vec<Place> = found.places().into_iter().collect();
        let whole = found.sums(places[0], places[places.len() - 1]);
        assert_eq!(whole.keys().copied().collect::<Vec<_>>(), places);
        assert_eq!(whole[&(WHOLE, day(3))].counts.views, 2);
        assert_eq!(whole[&(3, day(3))].counts.views, 2);
        assert_eq!(whole[&(7, day(4))].counts.views, 1);
        for at_once in 1..places.len() {
            let parts = places.chunks(at_once);
            let sums = parts.flat_map(|part| found.sums(part[0], part[part.len() - 1]));
            assert_eq!(sums.collect::<BTreeMap<_, _>>(), whole, "{at_once}");
        }
    }
}
