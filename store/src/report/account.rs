//! An account: all its forms, the days of their wholes, and its recipients.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::date_range::DateRange;
use domain::form::FormStatus;
use domain::month::Month;
use serde_json::json;
use uuid::Uuid;

use super::{MonthDays, Version, months, months_of};
use crate::report::rollup::{StoredDelta, WHOLE, read_stored};
use crate::report::series::RecipientSeries;
use crate::tx::{Patience, get};
use crate::{Error, Store, Tx};

/// An account's forms, and which months of a range have data, all as of one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountHead {
    /// As of [`Store::account_data_version`].
    pub version: Version,
    /// When the last change of any form or of the recipients was made; `None` before the first.
    pub as_of: Option<DateTime<Utc>>,
    /// Of all statuses, in the order of their making.
    pub forms: Vec<FormEntry>,
    /// The version of the recipients alone, 0 before the first.
    pub recipients: i64,
}

/// A form of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormEntry {
    pub form_id: Uuid,
    pub title: String,
    pub status: FormStatus,
    /// In order, each with the number at which it last changed.
    pub months: Vec<(Month, i64)>,
}

/// A head, and what was asked for, of the same moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountDays {
    pub head: AccountHead,
    /// Of the forms' wholes, by form; whole months, in order.
    pub read: BTreeMap<Uuid, Vec<MonthDays<StoredDelta>>>,
    pub recipients: Option<RecipientSeries>,
}

macro_rules! forms {
    ($months:expr) => {
        concat!(
            "SELECT v.form_id, v.data_version, v.as_of, f.status, f.content ->> 'title' AS title, ",
            $months,
            " FROM form_version v JOIN form f ON f.account_id = v.account_id AND f.form_id = v.form_id
              WHERE v.account_id = $1 ORDER BY v.form_id"
        )
    };
}

const FORMS_POSTGRES: &str = forms!(months!(postgres "v.form_id", "$2", "$3"));
const FORMS_SQLITE: &str = forms!(months!(sqlite "v.form_id", "$2", "$3"));

/// OFFSET keeps it a scan of the primary key for each month (measured, 20 forms and 10 months: a hash join over all rows
/// took 203 ms instead of 17).
const DAYS_POSTGRES: &str = "SELECT r.* FROM json_array_elements(CAST($2 AS json)) AS k(value)
      CROSS JOIN LATERAL (
            SELECT r.* FROM rollup r
             WHERE r.account_id = $1 AND r.form_id = CAST(k.value ->> 0 AS uuid) AND r.bus_prop_id = $3
               AND r.day BETWEEN CAST(k.value ->> 1 AS date) AND CAST(k.value ->> 2 AS date)
             OFFSET 0) r ORDER BY r.form_id, r.day";
const DAYS_SQLITE: &str = "SELECT r.* FROM json_each($2) k CROSS JOIN rollup r
         ON r.account_id = $1 AND r.form_id = unhex(replace(k.value ->> 0, '-', '')) AND r.bus_prop_id = $3
        AND r.day BETWEEN k.value ->> 1 AND k.value ->> 2 ORDER BY r.form_id, r.day";

impl Store {
    /// An account's head.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn account_head(
        &self,
        account_id: Uuid,
        range: DateRange,
    ) -> Result<AccountHead, Error> {
        let mut tx = self.snapshot(Patience::Request).await?;
        tx.account_head(account_id, range).await
    }

    /// An account's head and, of the same moment, the counts of those months of its forms' wholes for which `wanted` says
    /// so, by the form, the month and the number at which it last changed; and the recipients, unless they have the
    /// version `recipients_held`.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn account_days(
        &self,
        account_id: Uuid,
        range: DateRange,
        wanted: impl Fn(Uuid, Month, i64) -> bool,
        recipients_held: Option<i64>,
    ) -> Result<AccountDays, Error> {
        let mut tx = self.snapshot(Patience::Request).await?;
        let head = tx.account_head(account_id, range).await?;
        let mut read: BTreeMap<Uuid, Vec<MonthDays<StoredDelta>>> = BTreeMap::new();
        for form in &head.forms {
            let months = form.months.iter().copied();
            let blocks: Vec<_> = months
                .filter(|(month, version)| wanted(form.form_id, *month, *version))
                .map(|(month, version)| MonthDays {
                    month,
                    version,
                    days: Vec::new(),
                })
                .collect();
            if !blocks.is_empty() {
                read.insert(form.form_id, blocks);
            }
        }
        tx.fill(account_id, &mut read).await?;
        let recipients = if recipients_held == Some(head.recipients) {
            None
        } else {
            Some(tx.recipient_series(account_id).await?)
        };
        Ok(AccountDays {
            head,
            read,
            recipients,
        })
    }
}

impl Tx {
    async fn account_head(
        &mut self,
        account_id: Uuid,
        range: DateRange,
    ) -> Result<AccountHead, Error> {
        let of_account = self
            .row(
                "SELECT e.epoch, COALESCE(r.data_version, 0) AS recipients, r.as_of
                   FROM cache_epoch e LEFT JOIN recipient_version r ON r.account_id = $1",
                vec![account_id.into()],
            )
            .await?
            .ok_or_else(|| Error::broken("a database without an epoch"))?;
        let recipients: i64 = get(&of_account, "recipients")?;
        let mut head = AccountHead {
            version: Version {
                epoch: get(&of_account, "epoch")?,
                number: recipients,
            },
            as_of: get(&of_account, "as_of")?,
            forms: Vec::new(),
            recipients,
        };
        let forms = self.dialect(FORMS_POSTGRES, FORMS_SQLITE);
        let start = Month::of(range.start()).first();
        let values = vec![account_id.into(), start.into(), range.end().into()];
        for row in self.rows(forms, values).await? {
            let status: String = get(&row, "status")?;
            head.version.number += get::<i64>(&row, "data_version")?;
            head.as_of = head.as_of.max(Some(get(&row, "as_of")?));
            head.forms.push(FormEntry {
                form_id: get(&row, "form_id")?,
                title: get(&row, "title")?,
                status: status.parse().map_err(Error::broken)?,
                months: months_of(&row)?,
            });
        }
        Ok(head)
    }

    /// Reads the days of these months, which are in order.
    async fn fill(
        &mut self,
        account_id: Uuid,
        read: &mut BTreeMap<Uuid, Vec<MonthDays<StoredDelta>>>,
    ) -> Result<(), Error> {
        let ends: Vec<_> = read
            .iter()
            .flat_map(|(form_id, blocks)| {
                let months = blocks.iter().map(|block| block.month);
                months.map(move |month| json!([form_id, month.first(), month.last()]))
            })
            .collect();
        if ends.is_empty() {
            return Ok(());
        }
        let values = vec![
            account_id.into(),
            serde_json::Value::from(ends).to_string().into(),
            WHOLE.into(),
        ];
        let days = self.dialect(DAYS_POSTGRES, DAYS_SQLITE);
        for row in self.rows(days, values).await? {
            let day = get(&row, "day")?;
            if let Some(blocks) = read.get_mut(&get::<Uuid>(&row, "form_id")?)
                && let Ok(place) = blocks.binary_search_by_key(&Month::of(day), |block| block.month)
            {
                blocks[place].days.push((day, read_stored(&row)?));
            }
        }
        Ok(())
    }
}
