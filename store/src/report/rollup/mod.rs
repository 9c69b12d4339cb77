//! The rollup: a form's counts by day, of the whole and of each business property, with a version that rises with every
//! change of what the form's reports say, and for each month the version at which one of its rows last changed. Only the
//! roll-up (`roll_up`) adds to it, and a rebuild (`reconcile`) mends it.

use std::collections::{BTreeMap, BTreeSet};
use std::{iter, mem};

use chrono::NaiveDate;
use domain::link::BusPropIds;
use domain::month::Month;
use domain::rollup::Delta;

pub(crate) use self::pending::next_as_of;
pub use self::pending::{PendingForms, Watermark};
pub use self::roll_up::{RolledUp, ScanScope};
use crate::form::FormKey;
use crate::report::Version;
use crate::tx::{tuples, values};
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

/// The rows of some keys, each looked up.
const READ: &str = "WITH g(a, f, b, d) AS (ROWS) SELECT g.b, g.d, (SELECT r.delta FROM rollup r
      WHERE r.account_id = g.a AND r.form_id = g.f AND r.bus_prop_id = g.b AND r.day = g.d) FROM g";

const RAISE: &str = "WITH g(a, f, m, v, s) AS (ROWS)
    INSERT INTO rollup_month (account_id, form_id, month, version, stamp) SELECT * FROM g WHERE true
        ON CONFLICT (account_id, form_id, month) DO UPDATE SET version = excluded.version, stamp = excluded.stamp";

const REPLACE: &str = "WITH g(a, f, b, d, e) AS (ROWS)
    INSERT INTO rollup (account_id, form_id, bus_prop_id, day, delta) SELECT * FROM g WHERE true
        ON CONFLICT (account_id, form_id, bus_prop_id, day) DO UPDATE SET delta = excluded.delta";

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
        let rows = rows.map(|((id, day), sum)| values![form, id, day, sum.encode()]);
        self.for_rows(REPLACE, rows.collect()).await.map(drop)
    }

    /// The rows of some keys, their deltas encoded.
    pub(crate) async fn rollup_at(
        &self,
        form: FormKey,
        keys: &BTreeSet<RollupKey>,
    ) -> Result<Vec<(RollupKey, Vec<u8>)>> {
        let keys = keys.iter().map(|(id, day)| values![form, *id, *day]);
        let rows = self.for_rows(READ, keys.collect()).await?;
        let rows: Vec<(i64, NaiveDate, Option<Vec<u8>>)> = tuples(&rows)?;
        let rows = rows.into_iter();
        Ok(rows
            .filter_map(|(id, day, delta)| Some(((id, day), delta?)))
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
        let months = months.into_iter();
        let rows = months.map(|month| values![form, month, version.number, version.stamp]);
        self.for_rows(RAISE, rows.collect()).await.map(drop)
    }
}
