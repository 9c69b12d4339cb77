//! Rolling up: a form's pending counts are added to its rollups, in one transaction.
//!
//! The form's `form_version` row is its lock: roll-ups of a form run one after the other, each sees what the last one
//! wrote, and the order of versions is the order of commits. The transaction that adds a delta deletes its row, so each
//! delta is added exactly once.
//!
//! One transaction goes on for about [`BUDGET`], because answers of all accounts wait for the one writer of `SQLite`. An
//! answer changes a row of the rollup for each of its business properties, so pending rows are added in parts that change
//! few rows.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::iter::Peekable;
use std::time::{Duration, Instant};

use chrono::{DateTime, NaiveDate, Utc};
use domain::link::BusPropIds;
use domain::month::Month;
use domain::rollup::{DecodeCounts, Delta};
use sea_orm::FromQueryResult;

use super::pending::{Watermark, next_as_of};
use super::{RollupKey, keys};
use crate::collect::LinkCounts;
use crate::form::FormKey;
use crate::tx::{Sql, Statement, rows_that_fit, statement, values};
use crate::{Error, Result, Tx};

/// The time after which a transaction begins no other part.
const BUDGET: Duration = Duration::from_millis(30);
/// Pending rows that one transaction reads at most …
const ROWS: i64 = 1_000;
/// … and the bytes of their deltas.
const BYTES: usize = 4 << 20;
/// Rows of the rollup that one part changes at most, more than a link has business properties, and links.
const PART: usize = 64;
const PART_LINKS: usize = 1_000;

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
    /// How many rows it took; 0: nothing is pending, or somebody else holds the form.
    pub rows: usize,
    /// Whose counts it changed: `bus_prop_id` ([`WHOLE`]: the form's) and month.
    pub touched: BTreeSet<(i64, Month)>,
}

/// A form that nobody else rolls up until the transaction ends.
#[derive(FromQueryResult)]
pub(crate) struct LockedForm {
    #[sea_orm(nested)]
    watermark: Watermark,
    pub as_of: DateTime<Utc>,
}

macro_rules! form_version {
    () => {
        "SELECT watermark, next_watermark, next_watermark_at, as_of FROM form_version WHERE account_id = $1 AND form_id = $2"
    };
}
const LOCK: &Statement = statement!(lock "FOR NO KEY UPDATE": form_version!());
const LOCK_IF_FREE: &Statement = statement!(lock "FOR NO KEY UPDATE SKIP LOCKED": form_version!());

/// A row of `pending_delta` as it is stored.
#[derive(FromQueryResult)]
struct StoredPendingRow {
    id: i64,
    day: NaiveDate,
    bus_prop_ids: String,
    delta: Vec<u8>,
    link_counts: String,
    created_at: DateTime<Utc>,
}

#[derive(FromQueryResult)]
struct PendingSize {
    id: i64,
    /// Bytes of its delta.
    size: i32,
}

struct PendingRow {
    id: i64,
    day: NaiveDate,
    bus_prop_ids: BusPropIds,
    delta: Delta,
    links: LinkCounts,
    created_at: DateTime<Utc>,
}

/// Pending rows that are added together. Those of the same day and business properties are one sum: most are alike.
#[derive(Default)]
struct Part {
    ids: Vec<i64>,
    alike: HashMap<(BusPropIds, NaiveDate), Delta>,
    keys: BTreeSet<RollupKey>,
    links: LinkCounts,
    /// Of the latest row.
    created_at: DateTime<Utc>,
}

impl PendingRow {
    fn read(row: &StoredPendingRow) -> Result<Self> {
        Ok(Self {
            id: row.id,
            day: row.day,
            bus_prop_ids: row.bus_prop_ids.parse().map_err(Error::broken)?,
            delta: Delta::decode(&row.delta)?,
            links: serde_json::from_str(&row.link_counts).map_err(Error::broken)?,
            created_at: row.created_at,
        })
    }

    fn keys(&self) -> impl Iterator<Item = RollupKey> {
        keys(&self.bus_prop_ids, self.day)
    }
}

impl Part {
    /// The first rows, at least one.
    fn take(rows: &mut Peekable<impl Iterator<Item = PendingRow>>) -> Self {
        let mut part = Self::default();
        let fits = |part: &Self, row: &PendingRow| {
            let new = row.keys().filter(|key| !part.keys.contains(key)).count();
            let links = part.links.len() + row.links.len();
            part.keys.len() + new <= PART && links <= PART_LINKS
        };
        while let Some(row) = rows.next_if(|row| part.ids.is_empty() || fits(&part, row)) {
            part.ids.push(row.id);
            part.keys.extend(row.keys());
            part.links.merge(&row.links);
            part.created_at = part.created_at.max(row.created_at);
            let alike = part.alike.entry((row.bus_prop_ids, row.day));
            alike.or_default().merge(&row.delta);
        }
        part
    }

    /// What is to be added to each row of the rollup.
    fn sums(&self) -> BTreeMap<RollupKey, Delta> {
        let mut sums: BTreeMap<RollupKey, Delta> = BTreeMap::new();
        for ((ids, day), sum) in &self.alike {
            for key in keys(ids, *day) {
                sums.entry(key).or_default().merge(sum);
            }
        }
        sums
    }
}

impl Tx {
    /// Rolls up the pending counts of a form, as far as one transaction goes. Where somebody else holds the form it does
    /// nothing.
    ///
    /// A row that cannot be read (a newer version wrote it) stays where it is, and those behind it are rolled up.
    pub async fn roll_up(&mut self, form: FormKey, scope: ScanScope) -> Result<RolledUp> {
        let locked: Option<LockedForm> = self.fetch_one(LOCK_IF_FREE, values![form]).await?;
        let Some(locked) = locked else {
            return Ok(RolledUp::default());
        };
        let started = Instant::now();
        let mut watermark = locked.watermark;
        let above = match scope {
            ScanScope::Recent => watermark.position,
            ScanScope::All => 0,
        };
        let mut rows = self.pending_rows(form, above).await?.into_iter().peekable();
        let mut ids = Vec::new();
        let mut touched = BTreeSet::new();
        let mut as_of = locked.as_of;
        while rows.peek().is_some() && (ids.is_empty() || started.elapsed() < BUDGET) {
            let part = Part::take(&mut rows);
            self.add_to_rollup(form, part.sums()).await?;
            self.add_to_links(form, &part.links).await?;
            let months = part.keys.iter().map(|(id, day)| (*id, Month::of(*day)));
            touched.extend(months);
            as_of = as_of.max(part.created_at);
            ids.extend(part.ids);
        }
        let Some(last) = ids.last().copied() else {
            return Ok(RolledUp::default());
        };
        let rows = ids.len();
        self.take_pending(form, ids).await?;
        let now = self.now().await?;
        if watermark.advance(last, now) {
            let update = statement!(
                "UPDATE form_version SET watermark = $3, next_watermark = $4, next_watermark_at = $5
                  WHERE account_id = $1 AND form_id = $2"
            );
            let values = values![form, watermark.position, watermark.next, watermark.next_at];
            self.execute(update, values).await?;
        }
        // Lists have shown this `as_of` since the rows were committed.
        let version = self
            .raise_version(form, next_as_of(as_of, locked.as_of))
            .await?;
        let months = touched.iter().map(|(_, month)| *month);
        self.raise_months(form, months, version).await?;
        Ok(RolledUp { rows, touched })
    }

    /// Waits for whoever holds the form.
    pub(crate) async fn lock_form(&mut self, form: FormKey) -> Result<LockedForm> {
        let locked = self.fetch_one(LOCK, values![form]).await?;
        locked.ok_or_else(|| Error::broken("a form without a version"))
    }

    /// The first rows above an id, those that can be read; none only where there are none.
    async fn pending_rows(&mut self, form: FormKey, mut above: i64) -> Result<Vec<PendingRow>> {
        let (mut left, mut reason) = (0_u64, None);
        let mut found = Vec::new();
        while let Some(last) = self.last_pending(form, above).await? {
            let rows = statement!(
                "SELECT id, day, bus_prop_ids, delta, link_counts, created_at FROM pending_delta
                  WHERE account_id = $1 AND form_id = $2 AND id > $3 AND id <= $4 ORDER BY id"
            );
            let values = values![form, above, last];
            let rows: Vec<StoredPendingRow> = self.fetch_all(rows, values).await?;
            for row in &rows {
                match PendingRow::read(row) {
                    Ok(row) => found.push(row),
                    Err(error) => {
                        left += 1;
                        reason = reason.or(Some(error));
                    }
                }
            }
            above = last;
            if !found.is_empty() {
                break;
            }
        }
        if let Some(error) = reason {
            tracing::warn!(%error, rows = left, form.id = %form.form_id, "pending rows were left");
        }
        Ok(found)
    }

    /// The last of the rows above an id that are read together; at least one, if there is any.
    async fn last_pending(&mut self, form: FormKey, above: i64) -> Result<Option<i64>> {
        let rows = statement!(
            "SELECT id, length(delta) AS size FROM pending_delta
              WHERE account_id = $1 AND form_id = $2 AND id > $3 ORDER BY id LIMIT $4"
        );
        let rows: Vec<PendingSize> = self.fetch_all(rows, values![form, above, ROWS]).await?;
        let sizes: Vec<i32> = rows.iter().map(|row| row.size).collect();
        let fitting = &rows[..rows_that_fit(&sizes, BYTES)];
        Ok(fitting.last().map(|row| row.id))
    }

    /// Deletes rows, which only the holder of the form does.
    async fn take_pending(&mut self, form: FormKey, ids: Vec<i64>) -> Result<()> {
        let expected = ids.len() as u64;
        let ids: sea_orm::Value = if self.is_sqlite() {
            serde_json::to_string(&ids).map_err(Error::broken)?.into()
        } else {
            ids.into()
        };
        let delete = statement!(
            postgres: "DELETE FROM pending_delta WHERE account_id = $1 AND form_id = $2 AND id = ANY ($3)";
            sqlite: "DELETE FROM pending_delta WHERE account_id = $1 AND form_id = $2 AND id IN (SELECT value FROM json_each($3))"
        );
        if self.execute(delete, values![form, ids]).await? == expected {
            Ok(())
        } else {
            Err(Error::broken(
                "pending rows of a form changed under its lock",
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::iter;

    use super::super::WHOLE;
    use super::*;

    fn row(id: i64, bus_prop_ids: &str, day: u32) -> PendingRow {
        PendingRow {
            id,
            day: NaiveDate::from_ymd_opt(2026, 3, day).unwrap(),
            bus_prop_ids: bus_prop_ids.parse().unwrap(),
            delta: Delta::view(),
            links: LinkCounts::default(),
            created_at: DateTime::UNIX_EPOCH,
        }
    }

    fn parts(rows: impl IntoIterator<Item = PendingRow>) -> Vec<Part> {
        let mut rows = rows.into_iter().peekable();
        let mut parts = Vec::new();
        while rows.peek().is_some() {
            parts.push(Part::take(&mut rows));
        }
        parts
    }

    #[test]
    fn a_row_counts_in_the_whole_and_in_each_business_property() {
        let rows = [
            row(1, "1_3", 1),
            row(2, "", 1),
            row(3, "1_3", 1),
            row(4, "3_7", 2),
        ];
        let parts = parts(rows);
        assert_eq!(parts.len(), 1);
        let sums = parts[0].sums();
        let views = |id, day| {
            let key = (id, NaiveDate::from_ymd_opt(2026, 3, day).unwrap());
            sums[&key].counts.views
        };
        assert_eq!((views(WHOLE, 1), views(1, 1), views(3, 1)), (3, 2, 2));
        assert_eq!((views(WHOLE, 2), views(3, 2), views(7, 2)), (1, 1, 1));
        assert_eq!(sums.len(), parts[0].keys.len());
    }

    #[test]
    fn a_part_changes_few_rows_of_the_rollup_and_all_parts_take_every_row() {
        let wide: Vec<String> = (101..=150).map(|id| id.to_string()).collect();
        let others = (2..200).map(|id: i64| row(id, &(id % 80 + 1).to_string(), 1));
        let parts = parts(iter::once(row(1, &wide.join("_"), 1)).chain(others));
        assert!(parts.len() > 2);
        assert!(parts.iter().all(|part| part.keys.len() <= PART));
        let ids: Vec<i64> = parts.iter().flat_map(|part| part.ids.clone()).collect();
        assert_eq!(ids, (1..200).collect::<Vec<_>>());
        let sums = parts.iter().flat_map(Part::sums);
        let whole = sums.filter(|((id, _), _)| *id == WHOLE);
        assert_eq!(whole.map(|(_, sum)| sum.counts.views).sum::<i64>(), 199);
    }
}
