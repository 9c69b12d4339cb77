//! Counts by day, kept in the transaction that changes what they count, with a version that rises with each change.

use chrono::{DateTime, NaiveDate, Utc};
use uuid::Uuid;

use crate::tx::{Sql, values};
use crate::{Result, Tx};

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
        let insert =
            "INSERT INTO recipient_rollup AS r (account_id, day, recipients) VALUES ($1, $2, $3)
             ON CONFLICT (account_id, day) DO UPDATE SET recipients = r.recipients + $3";
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
        let insert = "INSERT INTO recipient_version AS v (account_id, data_version, as_of, stamp) VALUES ($1, 1, $2, $3)
             ON CONFLICT (account_id) DO UPDATE
            SET data_version = v.data_version + 1, stamp = excluded.stamp,
                as_of = CASE WHEN v.as_of > $2 THEN v.as_of ELSE $2 END";
        let values = values![account_id, now, rand::random::<i64>()];
        self.execute(insert, values).await.map(drop)
    }
}
