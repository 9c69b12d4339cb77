//! Recipients by the day of their creation: counted in the transaction that stores or erases them, with a version that rises with
//! each change, and counted anew.

use chrono::{DateTime, NaiveDate, Utc};
use entity::recipient_rollup;
use sea_orm::FromQueryResult;
use uuid::Uuid;

use super::Drift;
use crate::tx::{Sql, Statement, statement, values};
use crate::{Result, Store, Tx};

/// One statement, so one snapshot.
const DIFFERING: &Statement = statement!(
    "SELECT day, CAST(SUM(stored) AS bigint) AS stored, CAST(SUM(counted) AS bigint) AS counted FROM (
            SELECT day, recipients AS stored, 0 AS counted FROM recipient_rollup WHERE account_id = $1
             UNION ALL
            SELECT created_day, 0, count(*) FROM recipient
             WHERE account_id = $1 AND phone IS NOT NULL GROUP BY created_day) days
      GROUP BY day HAVING SUM(stored) <> SUM(counted) ORDER BY day"
);

/// A day, with its recipients as they are stored and as they are counted.
#[derive(FromQueryResult)]
struct DriftedDay {
    day: NaiveDate,
    stored: i64,
    counted: i64,
}

impl Store {
    /// The days on which an account's recipients are not as many as their counts say.
    pub async fn check_recipients(&self, account_id: Uuid) -> Result<Vec<Drift>> {
        let days: Vec<DriftedDay> = self.fetch_all(DIFFERING, values![account_id]).await?;
        let drifts = days.into_iter().map(|row| {
            let found = (row.stored, row.counted);
            Drift {
                day: Some(row.day),
                ..Drift::new("recipients", account_id, "recipients", found)
            }
        });
        Ok(drifts.collect())
    }

    /// Makes the counts of an account's recipients what counting gives. Whether anything changed.
    ///
    /// # Errors
    /// Doing it again is safe.
    pub async fn rebuild_recipients(&self, account_id: Uuid) -> Result<bool> {
        let mut tx = self.begin().await?;
        let now = tx.now().await?;
        // The account's lock, taken before the statement that counts: whoever counts in a transaction of its own comes
        // before, and is seen, or comes after, and adds to what is written here.
        tx.raise_recipient_version(account_id, now).await?;
        let days: Vec<DriftedDay> = tx.fetch_all(DIFFERING, values![account_id]).await?;
        if days.is_empty() {
            return Ok(false);
        }
        for row in days {
            let counted = recipient_rollup::Model {
                account_id,
                day: row.day,
                recipients: row.counted,
            };
            tx.upsert(counted).await?;
        }
        tx.commit_surely().await?;
        Ok(true)
    }
}

impl Tx {
    /// Adds `recipients` (negative: erased) to a day. The last lock that a transaction takes.
    pub(crate) async fn count_created(
        &mut self,
        account_id: Uuid,
        day: NaiveDate,
        recipients: i64,
        now: DateTime<Utc>,
    ) -> Result<()> {
        if recipients == 0 {
            return Ok(());
        }
        self.raise_recipient_version(account_id, now).await?;
        let insert = statement!(
            "INSERT INTO recipient_rollup AS r (account_id, day, recipients) VALUES ($1, $2, $3)
                 ON CONFLICT (account_id, day) DO UPDATE SET recipients = r.recipients + $3"
        );
        let values = values![account_id, day, recipients];
        self.execute(insert, values).await.map(drop)
    }

    /// Says that the account's recipients changed. The version's row is the account's lock: the order of versions is
    /// the order of commits.
    pub(crate) async fn raise_recipient_version(
        &mut self,
        account_id: Uuid,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let insert = statement!(
            "INSERT INTO recipient_version AS v (account_id, data_version, as_of, stamp) VALUES ($1, 1, $2, $3)
                 ON CONFLICT (account_id) DO UPDATE
                SET data_version = v.data_version + 1, stamp = excluded.stamp,
                    as_of = CASE WHEN v.as_of > $2 THEN v.as_of ELSE $2 END"
        );
        let values = values![account_id, now, rand::random::<i64>()];
        self.execute(insert, values).await.map(drop)
    }
}
