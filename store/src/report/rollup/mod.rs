//! The rollup: a form's counts by day, of the whole and of each business property, with a version that rises with every
//! change of what the form's reports say, and for each month the version at which one of its rows last changed. Only the
//! roll-up (`roll_up`) adds to it, and a rebuild (`reconcile`) replaces rows.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use chrono::NaiveDate;
use domain::month::Month;
use domain::rollup::{DayCounts, Delta, FieldCounts};
use sea_orm::{QueryResult, Value};

pub(crate) use self::pending::next_as_of;
pub use self::pending::{PendingForms, Watermark};
pub use self::roll_up::{RolledUp, ScanScope};
use crate::form::FormKey;
use crate::tx::{Sql, get, values};
use crate::version::Version;
use crate::{Error, Tx};

mod pending;
mod roll_up;

/// The `bus_prop_id` of a form's whole.
pub const WHOLE: i64 = 0;

/// The key of a row within its form: `bus_prop_id` and day.
pub(crate) type RollupKey = (i64, NaiveDate);

/// A row's counts, those of the fields unread for whoever only passes them on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredDelta {
    pub counts: DayCounts,
    /// [`FieldCounts`], encoded.
    pub fields: Vec<u8>,
}

impl StoredDelta {
    /// Reads the counts of the fields.
    ///
    /// # Errors
    /// A newer version wrote them.
    pub fn decode(self) -> Result<Delta, Error> {
        Ok(Delta {
            counts: self.counts,
            fields: FieldCounts::decode(&self.fields).map_err(Error::broken)?,
        })
    }
}

/// The rows of some keys, found one by one.
const READ_POSTGRES: &str = "SELECT r.* FROM json_array_elements(CAST($3 AS json)) AS k(value)
      CROSS JOIN LATERAL (
            SELECT r.* FROM rollup r
             WHERE r.account_id = $1 AND r.form_id = $2
               AND r.bus_prop_id = CAST(k.value ->> 0 AS bigint) AND r.day = CAST(k.value ->> 1 AS date) LIMIT 1) r";
const READ_SQLITE: &str = "SELECT r.* FROM json_each($3) k CROSS JOIN rollup r
         ON r.account_id = $1 AND r.form_id = $2 AND r.bus_prop_id = k.value ->> 0 AND r.day = k.value ->> 1";

macro_rules! replace {
    ($values:literal) => {
        concat!(
            "INSERT INTO rollup (account_id, form_id, bus_prop_id, day, views, responses, comments, happy,
                    happiness_answers, promoters, passives, detractors, nps_answers, fields) ",
            $values,
            " ON CONFLICT (account_id, form_id, bus_prop_id, day) DO UPDATE
                SET views = excluded.views, responses = excluded.responses, comments = excluded.comments,
                    happy = excluded.happy, happiness_answers = excluded.happiness_answers,
                    promoters = excluded.promoters, passives = excluded.passives, detractors = excluded.detractors,
                    nps_answers = excluded.nps_answers, fields = excluded.fields"
        )
    };
}

const REPLACE_POSTGRES: &str = replace!(
    "SELECT $1, $2, * FROM unnest($3::bigint[], $4::date[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
            $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bytea[])"
);
const REPLACE_SQLITE: &str =
    replace!("VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)");

impl Tx {
    /// Adds to rows, whose form this transaction holds.
    pub(crate) async fn add_to_rollup(
        &mut self,
        form: FormKey,
        mut sums: BTreeMap<RollupKey, Delta>,
    ) -> Result<(), Error> {
        let keys: Vec<RollupKey> = sums.keys().copied().collect();
        for row in self.rollup_at(form, &keys).await? {
            let key: RollupKey = (get(&row, "bus_prop_id")?, get(&row, "day")?);
            if let Some(sum) = sums.get_mut(&key) {
                let stored = read_stored(&row)?;
                sum.counts += stored.counts;
                let merged = mem::take(&mut sum.fields).merged_with(&stored.fields);
                sum.fields = merged.map_err(Error::broken)?;
            }
        }
        self.put_rollup(form, &sums).await
    }

    /// The rows of some keys.
    pub(crate) async fn rollup_at(
        &mut self,
        form: FormKey,
        keys: &[RollupKey],
    ) -> Result<Vec<QueryResult>, Error> {
        let keys = serde_json::to_string(keys).map_err(Error::broken)?;
        let read = self.dialect(READ_POSTGRES, READ_SQLITE);
        self.rows(read, values![form, keys]).await
    }

    /// Makes rows what these are. The form is this transaction's.
    pub(crate) async fn put_rollup(
        &mut self,
        form: FormKey,
        rows: &BTreeMap<RollupKey, Delta>,
    ) -> Result<(), Error> {
        if self.is_sqlite() {
            for ((bus_prop_id, day), row) in rows {
                let mut values = values![form, *bus_prop_id, *day];
                values.extend(row.counts.to_array().map(Value::from));
                values.push(row.fields.encode().into());
                self.execute(REPLACE_SQLITE, values).await?;
            }
            return Ok(());
        }
        let (ids, days): (Vec<i64>, Vec<NaiveDate>) = rows.keys().copied().unzip();
        let mut values = values![form, ids, days];
        for column in 0..DayCounts::default().to_array().len() {
            let counts = rows.values().map(|row| row.counts.to_array());
            let counts: Vec<i64> = counts.filter_map(|row| row.get(column).copied()).collect();
            values.push(counts.into());
        }
        let fields: Vec<Vec<u8>> = rows.values().map(|row| row.fields.encode()).collect();
        values.push(fields.into());
        self.execute(REPLACE_POSTGRES, values).await?;
        Ok(())
    }

    /// Says at which version of the form rows of these months changed.
    pub(crate) async fn raise_months(
        &mut self,
        form: FormKey,
        months: impl IntoIterator<Item = Month>,
        version: Version,
    ) -> Result<(), Error> {
        let months: BTreeSet<NaiveDate> = months.into_iter().map(Month::first).collect();
        for month in months {
            self.execute(
                "INSERT INTO rollup_month (account_id, form_id, month, version, stamp) VALUES ($1, $2, $3, $4, $5)
                     ON CONFLICT (account_id, form_id, month)
                     DO UPDATE SET version = excluded.version, stamp = excluded.stamp",
                values![form, month, version.number, version.stamp],
            )
            .await?;
        }
        Ok(())
    }
}

/// The counts of a row.
pub(crate) fn read_row(row: &QueryResult) -> Result<Delta, Error> {
    read_stored(row)?.decode()
}

pub(crate) fn read_stored(row: &QueryResult) -> Result<StoredDelta, Error> {
    Ok(StoredDelta {
        counts: DayCounts {
            views: get(row, "views")?,
            responses: get(row, "responses")?,
            comments: get(row, "comments")?,
            happy: get(row, "happy")?,
            happiness_answers: get(row, "happiness_answers")?,
            promoters: get(row, "promoters")?,
            passives: get(row, "passives")?,
            detractors: get(row, "detractors")?,
            nps_answers: get(row, "nps_answers")?,
        },
        fields: get(row, "fields")?,
    })
}
