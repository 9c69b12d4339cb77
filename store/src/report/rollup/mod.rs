//! The rollup: a form's counts by day, of the whole and of each business property, with a version that rises with every
//! change of what the form's reports say, and for each month the version at which one of its rows last changed. Only the
//! roll-up (`roll_up`) adds to it, and a rebuild (`reconcile`) mends it.

use std::collections::{BTreeMap, BTreeSet};
use std::{iter, mem};

use chrono::NaiveDate;
use domain::link::BusPropIds;
use domain::month::Month;
use domain::rollup::Delta;
use sea_orm::FromQueryResult;

pub(crate) use self::pending::next_as_of;
pub use self::pending::{PendingForms, Watermark};
pub use self::roll_up::{RolledUp, ScanScope};
use crate::form::FormKey;
use crate::report::Version;
use crate::tx::{BatchStatement, batch_row, statement};
use crate::{Result, Tx};

mod pending;
mod roll_up;

/// The `bus_prop_id` of a form's whole.
pub const WHOLE: i64 = 0;

/// The key of a row within its form: `bus_prop_id` and day.
pub(crate) type RollupKey = (i64, NaiveDate);

/// Those of the whole and of the business properties.
pub(crate) fn keys(ids: &BusPropIds, day: NaiveDate) -> impl Iterator<Item = RollupKey> {
    let ids = iter::once(WHOLE).chain(ids.iter().copied().map(i64::from));
    ids.map(move |id| (id, day))
}

batch_row! {
    struct RollupDayKey {
        form: FormKey,
        bus_prop_id: i64,
        day: NaiveDate,
    }
}

impl RollupDayKey {
    fn of(form: FormKey, (bus_prop_id, day): RollupKey) -> Self {
        Self {
            form,
            bus_prop_id,
            day,
        }
    }
}

/// The rows of some keys, each looked up.
const ROLLUP_DAYS: &BatchStatement<RollupDayKey> = statement!(RollupDayKey:
    "SELECT batch.bus_prop_id, batch.day, (
            SELECT r.delta FROM rollup r
             WHERE r.account_id = batch.account_id AND r.form_id = batch.form_id AND r.bus_prop_id = batch.bus_prop_id
               AND r.day = batch.day) AS delta
       FROM batch"
);

#[derive(FromQueryResult)]
struct StoredRollupDay {
    bus_prop_id: i64,
    day: NaiveDate,
    delta: Option<Vec<u8>>,
}

batch_row! {
    struct RollupDay {
        key: RollupDayKey,
        delta: Vec<u8>,
    }
}

const REPLACE: &BatchStatement<RollupDay> = statement!(RollupDay:
    "INSERT INTO rollup ({columns}) SELECT {columns} FROM batch WHERE true
         ON CONFLICT (account_id, form_id, bus_prop_id, day) DO UPDATE SET delta = excluded.delta"
);

batch_row! {
    struct RollupMonth {
        form: FormKey,
        month: NaiveDate,
        version: i64,
        stamp: i64,
    }
}

const RAISE: &BatchStatement<RollupMonth> = statement!(RollupMonth:
    "INSERT INTO rollup_month ({columns}) SELECT {columns} FROM batch WHERE true
         ON CONFLICT (account_id, form_id, month) DO UPDATE SET version = excluded.version, stamp = excluded.stamp"
);

impl Tx {
    /// Adds to rows, whose form this transaction holds.
    pub(crate) async fn add_to_rollup(
        &mut self,
        form: FormKey,
        mut sums: BTreeMap<RollupKey, Delta>,
    ) -> Result<()> {
        let keys = sums.keys().copied().collect();
        for (key, delta) in self.rollup_at(form, &keys).await? {
            if let Some(sum) = sums.get_mut(&key) {
                *sum = mem::take(sum).merged_with(&delta)?;
            }
        }
        let rows = sums.into_iter();
        let rows = rows.map(|(key, sum)| RollupDay {
            key: RollupDayKey::of(form, key),
            delta: sum.encode(),
        });
        self.execute_batch(REPLACE, rows.collect()).await
    }

    /// The rows of some keys, their deltas encoded.
    pub(crate) async fn rollup_at(
        &self,
        form: FormKey,
        keys: &BTreeSet<RollupKey>,
    ) -> Result<Vec<(RollupKey, Vec<u8>)>> {
        let keys = keys.iter().map(|key| RollupDayKey::of(form, *key));
        let rows: Vec<StoredRollupDay> = self.fetch_batch(ROLLUP_DAYS, keys.collect()).await?;
        let rows = rows.into_iter();
        Ok(rows
            .filter_map(|row| Some(((row.bus_prop_id, row.day), row.delta?)))
            .collect())
    }

    /// Says at which version of the form rows of these months changed.
    pub(crate) async fn raise_months(
        &mut self,
        form: FormKey,
        months: impl IntoIterator<Item = Month>,
        version: Version,
    ) -> Result<()> {
        let months: BTreeSet<NaiveDate> = months.into_iter().map(Month::first).collect();
        let rows = months.into_iter().map(|month| RollupMonth {
            form,
            month,
            version: version.number,
            stamp: version.stamp,
        });
        self.execute_batch(RAISE, rows.collect()).await
    }
}
