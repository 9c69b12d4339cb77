//! Counts by day, kept in the transaction that changes what they count, with a version that rises with each change.

use chrono::{DateTime, NaiveDate, Utc};
use sea_orm::QueryResult;
use uuid::Uuid;

use crate::tx::get;
use crate::{Error, Store, Tx};

/// An account's recipients by the day of their creation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipientSeries {
    /// Of the database; versions are compared within it.
    pub epoch: i64,
    /// Rises with every change; 0 while there was none.
    pub version: i64,
    /// The commit time of the last change, as the database's clock saw it.
    pub as_of: Option<DateTime<Utc>>,
    /// Days in order, those without recipients left out.
    pub days: Vec<(NaiveDate, i64)>,
}

/// One statement, so one snapshot.
const SERIES: &str = "SELECT e.epoch, v.data_version, v.as_of, r.day, r.recipients
       FROM cache_epoch e
       LEFT JOIN recipient_version v ON v.account_id = $1
       LEFT JOIN recipient_rollup r ON r.account_id = v.account_id AND r.recipients <> 0
      ORDER BY r.day";

impl Store {
    /// The whole series of an account, all of it as of one moment.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn recipient_series(&self, account_id: Uuid) -> Result<RecipientSeries, Error> {
        series_of(&self.rows(SERIES, vec![account_id.into()]).await?)
    }
}

fn series_of(rows: &[QueryResult]) -> Result<RecipientSeries, Error> {
    let first = rows.first();
    let first = first.ok_or_else(|| Error::broken("a database without an epoch"))?;
    let mut series = RecipientSeries {
        epoch: get(first, "epoch")?,
        version: get::<Option<i64>>(first, "data_version")?.unwrap_or(0),
        as_of: get(first, "as_of")?,
        days: Vec::with_capacity(rows.len()),
    };
    for row in rows {
        if let Some(day) = get(row, "day")? {
            series.days.push((day, get(row, "recipients")?));
        }
    }
    Ok(series)
}

impl Tx {
    pub(crate) async fn recipient_series(
        &mut self,
        account_id: Uuid,
    ) -> Result<RecipientSeries, Error> {
        series_of(&self.rows(SERIES, vec![account_id.into()]).await?)
    }

    /// Adds `recipients` (negative: erased) to a day. The last lock that a transaction takes.
    pub(crate) async fn count_created(
        &mut self,
        account_id: Uuid,
        day: NaiveDate,
        recipients: i64,
        now: DateTime<Utc>,
    ) -> Result<(), Error> {
        if recipients == 0 {
            return Ok(());
        }
        self.raise_recipient_version(account_id, now).await?;
        self.execute(
            "INSERT INTO recipient_rollup AS r (account_id, day, recipients) VALUES ($1, $2, $3)
                 ON CONFLICT (account_id, day) DO UPDATE SET recipients = r.recipients + $3",
            vec![account_id.into(), day.into(), recipients.into()],
        )
        .await?;
        Ok(())
    }

    /// Says that the account's recipients changed. The version's row is the account's lock: the order of versions is
    /// the order of commits.
    pub(crate) async fn raise_recipient_version(
        &mut self,
        account_id: Uuid,
        now: DateTime<Utc>,
    ) -> Result<(), Error> {
        self.execute(
            "INSERT INTO recipient_version AS v (account_id, data_version, as_of) VALUES ($1, 1, $2)
                 ON CONFLICT (account_id) DO UPDATE
                SET data_version = v.data_version + 1,
                    as_of = CASE WHEN v.as_of > $2 THEN v.as_of ELSE $2 END",
            vec![account_id.into(), now.into()],
        )
        .await?;
        Ok(())
    }
}
