//! The rollup: a form's counts by day, of the whole and of each business property, with a version that rises with every
//! change of what the form's reports say, and for each month the version at which one of its rows last changed. Only the
//! roll-up (`roll_up`) adds to it, and a rebuild (`reconcile`) replaces rows.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use chrono::{DateTime, NaiveDate, Utc};
use domain::date_range::DateRange;
use domain::month::Month;
use domain::rollup::{DayCounts, Delta, FieldCounts};
use sea_orm::QueryResult;
use serde_json::{Value, json};

pub(crate) use self::pending::next_as_of;
pub use self::pending::{PendingForms, Watermark};
pub use self::roll_up::{RolledUp, ScanScope};
use crate::form::FormKey;
use crate::tx::get;
use crate::{Error, Store, Tx};

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

/// A form's counts on the days of a range, all as of one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RollupDays {
    /// Rises with every change.
    pub version: i64,
    /// The commit time of the last change, as the database's clock saw it.
    pub as_of: DateTime<Utc>,
    /// Days in order; those on which nothing was counted may be missing.
    pub days: Vec<(NaiveDate, Delta)>,
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
    "SELECT $1, $2, CAST(k.value ->> 0 AS bigint), CAST(k.value ->> 1 AS date), CAST(k.value ->> 2 AS bigint),
            CAST(k.value ->> 3 AS bigint), CAST(k.value ->> 4 AS bigint), CAST(k.value ->> 5 AS bigint),
            CAST(k.value ->> 6 AS bigint), CAST(k.value ->> 7 AS bigint), CAST(k.value ->> 8 AS bigint),
            CAST(k.value ->> 9 AS bigint), CAST(k.value ->> 10 AS bigint), decode(k.value ->> 11, 'hex')
       FROM json_array_elements(CAST($3 AS json)) AS k(value)"
);
const REPLACE_SQLITE: &str = replace!(
    "SELECT $1, $2, k.value ->> 0, k.value ->> 1, k.value ->> 2, k.value ->> 3, k.value ->> 4, k.value ->> 5,
            k.value ->> 6, k.value ->> 7, k.value ->> 8, k.value ->> 9, k.value ->> 10, unhex(k.value ->> 11)
       FROM json_each($3) k WHERE true"
);

const RAISE_MONTHS_POSTGRES: &str = "INSERT INTO rollup_month (account_id, form_id, month, version)
     SELECT $1, $2, CAST(k.month AS date), $4 FROM json_array_elements_text(CAST($3 AS json)) AS k(month)
         ON CONFLICT (account_id, form_id, month) DO UPDATE SET version = excluded.version";
const RAISE_MONTHS_SQLITE: &str = "INSERT INTO rollup_month (account_id, form_id, month, version)
     SELECT $1, $2, k.value, $4 FROM json_each($3) k WHERE true
         ON CONFLICT (account_id, form_id, month) DO UPDATE SET version = excluded.version";

impl Store {
    /// The counts of a form, of its whole ([`WHOLE`]) or of one business property. `None`: no such form.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn rollup_days(
        &self,
        form: FormKey,
        bus_prop_id: i64,
        range: DateRange,
    ) -> Result<Option<RollupDays>, Error> {
        let mut values = form.values();
        values.extend::<[sea_orm::Value; 3]>([
            bus_prop_id.into(),
            range.start().into(),
            range.end().into(),
        ]);
        let rows = self
            .rows(
                "SELECT v.data_version, v.as_of, r.day, r.views, r.responses, r.comments, r.happy, r.happiness_answers,
                        r.promoters, r.passives, r.detractors, r.nps_answers, r.fields
                   FROM form_version v
                   LEFT JOIN rollup r ON r.account_id = v.account_id AND r.form_id = v.form_id
                         AND r.bus_prop_id = $3 AND r.day BETWEEN $4 AND $5
                  WHERE v.account_id = $1 AND v.form_id = $2 ORDER BY r.day",
                values,
            )
            .await?;
        let Some(first) = rows.first() else {
            return Ok(None);
        };
        let mut found = RollupDays {
            version: get(first, "data_version")?,
            as_of: get(first, "as_of")?,
            days: Vec::with_capacity(rows.len()),
        };
        for row in &rows {
            if let Some(day) = get(row, "day")? {
                found.days.push((day, read_row(row)?));
            }
        }
        Ok(Some(found))
    }
}

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
                sum.merge(&read_row(&row)?);
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
        let mut values = form.values();
        values.push(keys.into());
        let read = self.dialect(READ_POSTGRES, READ_SQLITE);
        self.rows(read, values).await
    }

    /// Makes rows what these are. The form is this transaction's.
    pub(crate) async fn put_rollup(
        &mut self,
        form: FormKey,
        rows: &BTreeMap<RollupKey, Delta>,
    ) -> Result<(), Error> {
        if rows.is_empty() {
            return Ok(());
        }
        let rows: Vec<Value> = rows.iter().map(row_value).collect();
        let mut values = form.values();
        values.push(serde_json::to_string(&rows).map_err(Error::broken)?.into());
        let replace = self.dialect(REPLACE_POSTGRES, REPLACE_SQLITE);
        self.execute(replace, values).await?;
        Ok(())
    }

    /// Says at which version of the form rows of these months changed.
    pub(crate) async fn raise_months(
        &mut self,
        form: FormKey,
        months: impl IntoIterator<Item = Month>,
        version: i64,
    ) -> Result<(), Error> {
        let months: BTreeSet<NaiveDate> = months.into_iter().map(Month::first).collect();
        let mut values = form.values();
        values.extend::<[sea_orm::Value; 2]>([
            serde_json::to_string(&months)
                .map_err(Error::broken)?
                .into(),
            version.into(),
        ]);
        let raise = self.dialect(RAISE_MONTHS_POSTGRES, RAISE_MONTHS_SQLITE);
        self.execute(raise, values).await?;
        Ok(())
    }
}

/// The counts of a row.
pub(crate) fn read_row(row: &QueryResult) -> Result<Delta, Error> {
    let StoredDelta { counts, fields } = read_stored(row)?;
    Ok(Delta {
        counts,
        fields: FieldCounts::decode(&fields).map_err(Error::broken)?,
    })
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

/// A row as the statements take it.
fn row_value(((bus_prop_id, day), sum): (&RollupKey, &Delta)) -> Value {
    let counts = sum.counts;
    json!([
        bus_prop_id,
        day,
        counts.views,
        counts.responses,
        counts.comments,
        counts.happy,
        counts.happiness_answers,
        counts.promoters,
        counts.passives,
        counts.detractors,
        counts.nps_answers,
        hex(&sum.fields.encode()),
    ])
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
