//! One form: its head, and the days of its whole or of one of its business properties.

use chrono::{DateTime, NaiveDate, Utc};
use domain::date_range::DateRange;
use domain::month::Month;
use entity::{form, rollup_month};
use sea_orm::{ColumnTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder};
use uuid::Uuid;

use super::{Version, month_of};
use crate::form::{Form, FormKey};
use crate::tx::{Sql, statement, values};
use crate::{Result, Tx};

/// A form as its reports show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormHead {
    pub version: Version,
    /// The commit time of the last change that is counted, by the database's clock.
    pub as_of: DateTime<Utc>,
    pub form: Form,
}

#[derive(FromQueryResult)]
struct FormHeadRow {
    #[sea_orm(nested)]
    version: Version,
    as_of: DateTime<Utc>,
    #[sea_orm(nested)]
    form: form::Model,
}

/// The bytes of a delta that its counters take at most: they come first, and each has ten.
pub(super) const COUNTERS: i32 = 150;

/// A day of a rollup.
#[derive(FromQueryResult)]
pub(super) struct DayDelta {
    pub day: NaiveDate,
    pub delta: Vec<u8>,
}

#[derive(FromQueryResult)]
struct BusPropDelta {
    bus_prop_id: i64,
    day: NaiveDate,
    delta: Vec<u8>,
}

impl Tx {
    /// A form's head. `None`: the account has no such form.
    pub async fn form_head(&mut self, form: FormKey) -> Result<Option<FormHead>> {
        let row = statement!(
            "SELECT v.data_version AS number, v.stamp, v.as_of, f.account_id, f.form_id, f.status, f.title, f.content, f.revision,
                    f.created_at, f.updated_at, f.published_at, f.deleted_at
               FROM form_version v JOIN form f ON f.account_id = v.account_id AND f.form_id = v.form_id
              WHERE v.account_id = $1 AND v.form_id = $2"
        );
        let row: Option<FormHeadRow> = self.fetch_one(row, values![form]).await?;
        let head = row.map(|row| {
            Ok(FormHead {
                version: row.version,
                as_of: row.as_of,
                form: Form::read(&row.form)?,
            })
        });
        head.transpose()
    }

    /// Forms of an account.
    pub async fn forms(
        &self,
        account_id: Uuid,
        form_ids: impl IntoIterator<Item = Uuid>,
    ) -> Result<Vec<Form>> {
        let forms = form::Entity::find()
            .filter(form::Column::AccountId.eq(account_id))
            .filter(form::Column::FormId.is_in(form_ids));
        forms.all(self).await?.iter().map(Form::read).collect()
    }

    /// The form's months from one to another that have data, in order, each with the version at which it last changed.
    pub async fn form_months(
        &mut self,
        form: FormKey,
        (first, last): (Month, Month),
    ) -> Result<Vec<(Month, Version)>> {
        let rows = rollup_month::Entity::find()
            .filter(rollup_month::Column::AccountId.eq(form.account_id))
            .filter(rollup_month::Column::FormId.eq(form.form_id))
            .filter(rollup_month::Column::Month.between(first.first(), last.first()))
            .order_by_asc(rollup_month::Column::Month);
        Ok(rows.all(self).await?.iter().map(month_of).collect())
    }

    /// The days of whole months from one to another, in order, their [`domain::rollup::Delta`]s encoded; those on which nothing was counted may be missing.
    pub async fn form_days(
        &mut self,
        form: FormKey,
        bus_prop_id: i64,
        (first, last): (Month, Month),
    ) -> Result<Vec<(NaiveDate, Vec<u8>)>> {
        let values = values![form, bus_prop_id, first.first(), last.last()];
        let days = statement!(
            "SELECT day, delta FROM rollup
              WHERE account_id = $1 AND form_id = $2 AND bus_prop_id = $3 AND day BETWEEN $4 AND $5 ORDER BY day"
        );
        let days: Vec<DayDelta> = self.fetch_all(days, values).await?;
        Ok(days.into_iter().map(|row| (row.day, row.delta)).collect())
    }

    /// The days of a form's business properties and of its whole ([`WHOLE`](super::WHOLE)): the id of each, a day and its counters as
    /// [`DayCounts`](domain::rollup::DayCounts) decodes them, in the order of the ids.
    pub async fn bus_prop_days(
        &mut self,
        form: FormKey,
        range: DateRange,
    ) -> Result<Vec<(i64, NaiveDate, Vec<u8>)>> {
        let values = values![form, range.start(), range.end(), COUNTERS];
        let days = statement!(
            "SELECT bus_prop_id, day, substr(delta, 1, $5) AS delta FROM rollup
              WHERE account_id = $1 AND form_id = $2 AND bus_prop_id >= 0 AND day BETWEEN $3 AND $4 ORDER BY bus_prop_id"
        );
        let days: Vec<BusPropDelta> = self.fetch_all(days, values).await?;
        let days = days.into_iter();
        let days = days.map(|row| (row.bus_prop_id, row.day, row.delta));
        Ok(days.collect())
    }
}
