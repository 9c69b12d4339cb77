//! An account: all its forms, the days of their wholes, and its recipients.

use chrono::{DateTime, NaiveDate, Utc};
use domain::date_range::DateRange;
use domain::form::FormStatus;
use domain::month::Month;
use entity::{recipient_rollup, rollup_month};
use sea_orm::{ColumnTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder};
use uuid::Uuid;

use super::{Version, month_of};
use crate::report::rollup::WHOLE;
use crate::tx::{Parsed, Sql, Statement, statement, values};
use crate::{Result, Tx};

/// An account's forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountHead {
    /// As of [`crate::Store::account_data_version`].
    pub version: Version,
    /// The commit time of the last change of any form or of the recipients; `None` before the first.
    pub as_of: Option<DateTime<Utc>>,
    /// Of all statuses, in the order of their making.
    pub forms: Vec<FormEntry>,
}

/// A form of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormEntry {
    pub form_id: Uuid,
    pub title: String,
    pub status: FormStatus,
    /// As of [`crate::Store::form_data_version`].
    pub version: Version,
}

/// OFFSET keeps it a scan of the primary key for each form (measured with a list of months instead of forms, 20 forms and 10
/// months: a hash join over all rows took 203 ms instead of 17).
const DAYS: &Statement = statement!(
    postgres: "SELECT r.form_id, r.day, r.delta FROM form_version v
      CROSS JOIN LATERAL (
            SELECT r.* FROM rollup r
             WHERE r.account_id = $1 AND r.form_id = v.form_id AND r.bus_prop_id = $2 AND r.day BETWEEN $3 AND $4
             ORDER BY r.day OFFSET 0) r WHERE v.account_id = $1";
    sqlite: "SELECT r.form_id, r.day, r.delta FROM form_version v CROSS JOIN rollup r
         ON r.account_id = $1 AND r.form_id = v.form_id AND r.bus_prop_id = $2 AND r.day BETWEEN $3 AND $4
      WHERE v.account_id = $1 ORDER BY r.form_id, r.day"
);

#[derive(FromQueryResult)]
struct FormDay {
    form_id: Uuid,
    day: NaiveDate,
    delta: Vec<u8>,
}

/// A form, or without one the account's recipients.
#[derive(FromQueryResult)]
struct AccountHeadRow {
    form_id: Option<Uuid>,
    #[sea_orm(nested)]
    version: Version,
    as_of: DateTime<Utc>,
    status: Option<Parsed<FormStatus>>,
    title: Option<String>,
}

impl AccountHeadRow {
    fn into_form(self) -> Option<FormEntry> {
        Some(FormEntry {
            form_id: self.form_id?,
            title: self.title?,
            status: self.status?.0,
            version: self.version,
        })
    }
}

impl Tx {
    /// An account's head.
    pub async fn account_head(&mut self, account_id: Uuid) -> Result<AccountHead> {
        let rows = statement!(
            "SELECT v.form_id AS form_id, v.data_version AS number, v.stamp, v.as_of, f.status, f.title
               FROM form_version v JOIN form f ON f.account_id = v.account_id AND f.form_id = v.form_id
              WHERE v.account_id = $1
              UNION ALL
             SELECT NULL, data_version, stamp, as_of, NULL, NULL FROM recipient_version WHERE account_id = $1
              ORDER BY form_id"
        );
        let rows: Vec<AccountHeadRow> = self.fetch_all(rows, values![account_id]).await?;
        Ok(AccountHead {
            version: rows.iter().map(|row| row.version).sum(),
            as_of: rows.iter().map(|row| row.as_of).max(),
            forms: rows
                .into_iter()
                .filter_map(AccountHeadRow::into_form)
                .collect(),
        })
    }

    /// Of all forms the months from one to another that have data, each with the version at which it last changed.
    pub async fn account_months(
        &mut self,
        account_id: Uuid,
        (first, last): (Month, Month),
    ) -> Result<Vec<(Uuid, Month, Version)>> {
        let rows = rollup_month::Entity::find()
            .filter(rollup_month::Column::AccountId.eq(account_id))
            .filter(rollup_month::Column::Month.between(first.first(), last.first()))
            .order_by_asc(rollup_month::Column::FormId)
            .order_by_asc(rollup_month::Column::Month);
        let rows = rows.all(self).await?;
        let months = rows.iter().map(|row| {
            let (month, version) = month_of(row);
            (row.form_id, month, version)
        });
        Ok(months.collect())
    }

    /// Of the wholes of all forms the days of whole months from one to another, those of a form in order, their
    /// [`domain::rollup::Delta`]s encoded; those on which nothing was counted may be missing.
    pub async fn account_days(
        &mut self,
        account_id: Uuid,
        (first, last): (Month, Month),
    ) -> Result<Vec<(Uuid, NaiveDate, Vec<u8>)>> {
        let values = values![account_id, WHOLE, first.first(), last.last()];
        let days: Vec<FormDay> = self.fetch_all(DAYS, values).await?;
        let days = days.into_iter();
        Ok(days.map(|row| (row.form_id, row.day, row.delta)).collect())
    }

    /// Recipients now stored by the day of their creation, in order; days without any may be missing.
    pub async fn recipient_days(
        &mut self,
        account_id: Uuid,
        range: DateRange,
    ) -> Result<Vec<(NaiveDate, i64)>> {
        let days = recipient_rollup::Entity::find()
            .filter(recipient_rollup::Column::AccountId.eq(account_id))
            .filter(recipient_rollup::Column::Day.between(range.start(), range.end()))
            .order_by_asc(recipient_rollup::Column::Day);
        let days = days.all(self).await?.into_iter();
        Ok(days.map(|row| (row.day, row.recipients)).collect())
    }
}
