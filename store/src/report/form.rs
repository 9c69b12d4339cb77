//! One form: its head, and the days of its whole or of one of its business properties.

use chrono::{DateTime, NaiveDate, Utc};
use domain::date_range::DateRange;
use domain::month::Month;
use entity::form;
use sea_orm::FromQueryResult;

use super::{Version, month_of};
use crate::form::{Form, FormKey};
use crate::tx::{Sql, get, values};
use crate::{Result, Tx};

/// A form as its reports show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormHead {
    pub version: Version,
    /// The commit time of the last change that is counted, by the database's clock.
    pub as_of: DateTime<Utc>,
    pub form: Form,
}

impl Tx {
    /// A form's head. `None`: the account has no such form.
    pub async fn form_head(&mut self, form: FormKey) -> Result<Option<FormHead>> {
        let row = "SELECT v.data_version AS version, v.stamp, v.as_of, f.*
           FROM form_version v JOIN form f ON f.account_id = v.account_id AND f.form_id = v.form_id
          WHERE v.account_id = $1 AND v.form_id = $2";
        let row = self.row(row, values![form]).await?;
        let head = row.map(|row| {
            Ok(FormHead {
                version: Version::of(&row)?,
                as_of: get(&row, "as_of")?,
                form: Form::read(&form::Model::from_query_result(&row, "")?)?,
            })
        });
        head.transpose()
    }

    /// The form's months from one to another that have data, in order, each with the version at which it last changed.
    pub async fn form_months(
        &mut self,
        form: FormKey,
        (first, last): (Month, Month),
    ) -> Result<Vec<(Month, Version)>> {
        let values = values![form, first.first(), last.first()];
        let months = "SELECT month, version, stamp FROM rollup_month
                       WHERE account_id = $1 AND form_id = $2 AND month BETWEEN $3 AND $4 ORDER BY month";
        let rows = self.rows(months, values).await?;
        rows.iter().map(month_of).collect()
    }

    /// The days of whole months from one to another, in order, their [`domain::rollup::Delta`]s encoded; those on which nothing was counted may be missing.
    pub async fn form_days(
        &mut self,
        form: FormKey,
        bus_prop_id: i64,
        (first, last): (Month, Month),
    ) -> Result<Vec<(NaiveDate, Vec<u8>)>> {
        let values = values![form, bus_prop_id, first.first(), last.last()];
        let days = "SELECT day, delta FROM rollup
                     WHERE account_id = $1 AND form_id = $2 AND bus_prop_id = $3 AND day BETWEEN $4 AND $5 ORDER BY day";
        self.all(days, values).await
    }

    /// The days of a form's business properties: the id of each and the encoded [`domain::rollup::Delta`] of a day, in the order
    /// of the ids.
    pub async fn bus_prop_days(
        &mut self,
        form: FormKey,
        range: DateRange,
    ) -> Result<Vec<(i64, Vec<u8>)>> {
        let values = values![form, range.start(), range.end()];
        let days = "SELECT bus_prop_id, delta FROM rollup
                     WHERE account_id = $1 AND form_id = $2 AND bus_prop_id > 0 AND day BETWEEN $3 AND $4 ORDER BY bus_prop_id";
        self.all(days, values).await
    }
}
