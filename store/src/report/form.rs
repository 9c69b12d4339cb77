//! One form: its head, and the days of one of its business properties or of its whole.

use chrono::{DateTime, Utc};
use domain::date_range::DateRange;
use domain::month::Month;
use sea_orm::QueryResult;
use serde_json::json;

use super::{MonthDays, Version, months, months_of, version_of};
use crate::form::{Form, FormKey, form_of};
use crate::report::rollup::read_row;
use crate::tx::{Patience, get};
use crate::{Error, Store, Tx};

/// A form as its reports show it, and which months of a range have data, all as of one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormHead {
    pub version: Version,
    /// When the last change that is counted was made, by the database's clock.
    pub as_of: DateTime<Utc>,
    pub form: Form,
    /// In order, each with the number at which it last changed.
    pub months: Vec<(Month, i64)>,
}

/// A head, and the months that were asked for, of the same moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormDays {
    pub head: FormHead,
    /// Whole months, in order, also where the range has a part of one.
    pub read: Vec<MonthDays>,
}

macro_rules! head {
    ($months:expr) => {
        concat!(
            "SELECT e.epoch, v.data_version AS number, v.as_of, f.form_id, f.status, CAST(f.content AS text) AS content,
                    f.revision, f.created_at, f.updated_at, f.published_at, f.deleted_at, ",
            $months,
            " FROM form_version v JOIN form f ON f.account_id = v.account_id AND f.form_id = v.form_id
              CROSS JOIN cache_epoch e WHERE v.account_id = $1 AND v.form_id = $2"
        )
    };
}

/// One statement, so one snapshot.
const HEAD_POSTGRES: &str = head!(months!(postgres "$2", "$3", "$4"));
const HEAD_SQLITE: &str = head!(months!(sqlite "$2", "$3", "$4"));

/// OFFSET keeps it a scan of the primary key for each month.
const DAYS_POSTGRES: &str = "SELECT r.* FROM json_array_elements(CAST($4 AS json)) AS k(value)
      CROSS JOIN LATERAL (
            SELECT r.* FROM rollup r
             WHERE r.account_id = $1 AND r.form_id = $2 AND r.bus_prop_id = $3
               AND r.day BETWEEN CAST(k.value ->> 0 AS date) AND CAST(k.value ->> 1 AS date)
             OFFSET 0) r ORDER BY r.day";
const DAYS_SQLITE: &str = "SELECT r.* FROM json_each($4) k CROSS JOIN rollup r
         ON r.account_id = $1 AND r.form_id = $2 AND r.bus_prop_id = $3
        AND r.day BETWEEN k.value ->> 0 AND k.value ->> 1 ORDER BY r.day";

impl Store {
    /// A form's head. `None`: the account has no such form.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn form_head(
        &self,
        form: FormKey,
        range: DateRange,
    ) -> Result<Option<FormHead>, Error> {
        let mut tx = self.snapshot(Patience::Request).await?;
        tx.form_head(form, range).await
    }

    /// A form's head and, of the same moment, the counts of those months of its for which `wanted` says so, by the
    /// month and the number at which it last changed.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn form_days(
        &self,
        form: FormKey,
        bus_prop_id: i64,
        range: DateRange,
        wanted: impl Fn(Month, i64) -> bool,
    ) -> Result<Option<FormDays>, Error> {
        let mut tx = self.snapshot(Patience::Request).await?;
        let Some(head) = tx.form_head(form, range).await? else {
            return Ok(None);
        };
        let months = head.months.iter().copied();
        let months: Vec<_> = months
            .filter(|(month, version)| wanted(*month, *version))
            .collect();
        let read = tx.month_days(form, bus_prop_id, &months).await?;
        Ok(Some(FormDays { head, read }))
    }
}

impl Tx {
    pub(crate) async fn form_head(
        &mut self,
        form: FormKey,
        range: DateRange,
    ) -> Result<Option<FormHead>, Error> {
        let head = self.dialect(HEAD_POSTGRES, HEAD_SQLITE);
        let row = self.row(head, head_values(form, range)).await?;
        row.as_ref().map(head_of).transpose()
    }

    /// The counts of whole months, which are given in order with their versions.
    pub(crate) async fn month_days(
        &mut self,
        form: FormKey,
        bus_prop_id: i64,
        months: &[(Month, i64)],
    ) -> Result<Vec<MonthDays>, Error> {
        let mut read: Vec<MonthDays> = months
            .iter()
            .map(|(month, version)| MonthDays {
                month: *month,
                version: *version,
                days: Vec::new(),
            })
            .collect();
        if read.is_empty() {
            return Ok(read);
        }
        let ends: Vec<_> = months
            .iter()
            .map(|(month, _)| json!([month.first(), month.last()]))
            .collect();
        let mut values = form.values();
        values.extend::<[sea_orm::Value; 2]>([
            bus_prop_id.into(),
            serde_json::Value::from(ends).to_string().into(),
        ]);
        let days = self.dialect(DAYS_POSTGRES, DAYS_SQLITE);
        for row in self.rows(days, values).await? {
            let day = get(&row, "day")?;
            let place = read.binary_search_by_key(&Month::of(day), |block| block.month);
            if let Ok(place) = place {
                read[place].days.push((day, read_row(&row)?));
            }
        }
        Ok(read)
    }
}

fn head_values(form: FormKey, range: DateRange) -> Vec<sea_orm::Value> {
    let mut values = form.values();
    values.extend::<[sea_orm::Value; 2]>([
        Month::of(range.start()).first().into(),
        range.end().into(),
    ]);
    values
}

fn head_of(row: &QueryResult) -> Result<FormHead, Error> {
    Ok(FormHead {
        version: version_of(row)?,
        as_of: get(row, "as_of")?,
        form: form_of(row)?,
        months: months_of(row)?,
    })
}
