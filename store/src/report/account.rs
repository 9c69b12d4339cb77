//! An account: all its forms, the days of their wholes, and its recipients.

use chrono::{DateTime, NaiveDate, Utc};
use domain::date_range::DateRange;
use domain::form::FormStatus;
use domain::month::Month;
use uuid::Uuid;

use super::{Version, month_of};
use crate::report::rollup::WHOLE;
use crate::tx::{Sql, get, parsed, values};
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
}

/// OFFSET keeps it a scan of the primary key for each form (measured with a list of months instead of forms, 20 forms and 10
/// months: a hash join over all rows took 203 ms instead of 17).
const DAYS_POSTGRES: &str = "SELECT r.form_id, r.day, r.delta FROM form_version v
      CROSS JOIN LATERAL (
            SELECT r.* FROM rollup r
             WHERE r.account_id = $1 AND r.form_id = v.form_id AND r.bus_prop_id = $2 AND r.day BETWEEN $3 AND $4
             ORDER BY r.day OFFSET 0) r WHERE v.account_id = $1";
const DAYS_SQLITE: &str = "SELECT r.form_id, r.day, r.delta FROM form_version v CROSS JOIN rollup r
         ON r.account_id = $1 AND r.form_id = v.form_id AND r.bus_prop_id = $2 AND r.day BETWEEN $3 AND $4
      WHERE v.account_id = $1 ORDER BY r.form_id, r.day";

impl Tx {
    /// An account's head.
    pub async fn account_head(&mut self, account_id: Uuid) -> Result<AccountHead> {
        let rows = "SELECT v.form_id AS form_id, v.data_version AS version, v.stamp, v.as_of, f.status, f.title
           FROM form_version v JOIN form f ON f.account_id = v.account_id AND f.form_id = v.form_id
          WHERE v.account_id = $1
          UNION ALL
         SELECT NULL, data_version, stamp, as_of, NULL, NULL FROM recipient_version WHERE account_id = $1
          ORDER BY form_id";
        let rows = self.rows(rows, values![account_id]).await?;
        let versions = rows.iter().map(Version::of);
        let mut head = AccountHead {
            version: versions.sum::<Result<_, _>>()?,
            as_of: None,
            forms: Vec::new(),
        };
        for row in rows {
            head.as_of = head.as_of.max(Some(get(&row, "as_of")?));
            if let Some(form_id) = get(&row, "form_id")? {
                head.forms.push(FormEntry {
                    form_id,
                    title: get(&row, "title")?,
                    status: parsed(&row, "status")?,
                });
            }
        }
        Ok(head)
    }

    /// Of all forms the months from one to another that have data, each with the version at which it last changed.
    pub async fn account_months(
        &mut self,
        account_id: Uuid,
        (first, last): (Month, Month),
    ) -> Result<Vec<(Uuid, Month, Version)>> {
        let months = "SELECT form_id, month, version, stamp FROM rollup_month
                       WHERE account_id = $1 AND month BETWEEN $2 AND $3 ORDER BY form_id, month";
        let values = values![account_id, first.first(), last.first()];
        let rows = self.rows(months, values).await?;
        let months = rows.iter().map(|row| {
            let (month, version) = month_of(row)?;
            Ok((get(row, "form_id")?, month, version))
        });
        months.collect()
    }

    /// Of the wholes of all forms the days of whole months from one to another, those of a form in order, their
    /// [`domain::rollup::Delta`]s encoded; those on which nothing was counted may be missing.
    pub async fn account_days(
        &mut self,
        account_id: Uuid,
        (first, last): (Month, Month),
    ) -> Result<Vec<(Uuid, NaiveDate, Vec<u8>)>> {
        let days = self.dialect(DAYS_POSTGRES, DAYS_SQLITE);
        let values = values![account_id, WHOLE, first.first(), last.last()];
        self.all(days, values).await
    }

    /// Recipients now stored by the day of their creation, in order; days without any may be missing.
    pub async fn recipient_days(
        &mut self,
        account_id: Uuid,
        range: DateRange,
    ) -> Result<Vec<(NaiveDate, i64)>> {
        let days = "SELECT day, recipients FROM recipient_rollup
                     WHERE account_id = $1 AND day BETWEEN $2 AND $3 ORDER BY day";
        self.all(days, values![account_id, range.start(), range.end()])
            .await
    }
}
