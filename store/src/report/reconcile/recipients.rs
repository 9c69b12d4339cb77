//! Recipients by the day of their creation, counted anew.

use chrono::NaiveDate;
use uuid::Uuid;

use crate::tx::{Sql, values};
use crate::{Error, Store};

/// A day whose recipients are not as many as its count says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipientDrift {
    pub day: NaiveDate,
    pub stored: i64,
    pub recomputed: i64,
}

/// One statement, so one snapshot.
const BY_DAY: &str = "SELECT day, CAST(SUM(stored) AS bigint) AS stored, CAST(SUM(counted) AS bigint) AS counted FROM (
            SELECT day, recipients AS stored, 0 AS counted FROM recipient_rollup WHERE account_id = $1
             UNION ALL
            SELECT created_day, 0, count(*) FROM recipient
             WHERE account_id = $1 AND phone IS NOT NULL GROUP BY created_day) days
      GROUP BY day HAVING SUM(stored) <> SUM(counted) ORDER BY day";

impl Store {
    /// The days on which an account's recipients are not as many as their counts say.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn check_recipients(&self, account_id: Uuid) -> Result<Vec<RecipientDrift>, Error> {
        drifts(self, account_id).await
    }

    /// Makes the counts of an account's recipients what counting gives. Whether anything changed.
    ///
    /// # Errors
    /// See [`Error`]. Doing it again is safe.
    pub async fn rebuild_recipients(&self, account_id: Uuid) -> Result<bool, Error> {
        let mut tx = self.begin().await?;
        let now = tx.now().await?;
        // The account's lock, taken before the statement that counts: whoever counts in a transaction of its own comes
        // before, and is seen, or comes after, and adds to what is written here.
        tx.raise_recipient_version(account_id, now).await?;
        let found = drifts(&tx, account_id).await?;
        if found.is_empty() {
            return Ok(false);
        }
        for drift in found {
            tx.execute(
                "INSERT INTO recipient_rollup (account_id, day, recipients) VALUES ($1, $2, $3)
                     ON CONFLICT (account_id, day) DO UPDATE SET recipients = excluded.recipients",
                values![account_id, drift.day, drift.recomputed],
            )
            .await?;
        }
        tx.commit_surely().await?;
        Ok(true)
    }
}

async fn drifts(connection: &impl Sql, account_id: Uuid) -> Result<Vec<RecipientDrift>, Error> {
    let days = connection.all(BY_DAY, values![account_id]).await?;
    let drifts = days
        .into_iter()
        .map(|(day, stored, recomputed)| RecipientDrift {
            day,
            stored,
            recomputed,
        });
    Ok(drifts.collect())
}
