//! One recipient: read, and erased for good.

use std::sync::LazyLock;

use chrono::{DateTime, NaiveDate, Utc};
use uuid::Uuid;

use super::bulk::columns::{VALUES, join};
use crate::tx::{Sql, get, json, values};
use crate::{Error, Store};

/// Leaves a row without a person, whatever a record says of one.
static ERASE: LazyLock<String> = LazyLock::new(|| {
    let erased = join(VALUES, ", ", |column| format!("{} = NULL", column.name));
    format!(
        "UPDATE recipient SET {erased}, batch_id = NULL, updated_at = $3 WHERE account_id = $1 AND docid = $2"
    )
});

/// A stored recipient.
#[derive(Clone, Debug)]
pub struct Recipient {
    pub docid: String,
    pub phone: String,
    /// Tracking fields: an object of strings.
    pub fields: serde_json::Value,
    /// The batch whose values stand.
    pub batch_id: Uuid,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

impl Store {
    /// The recipient of a docid.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn recipient(
        &self,
        account_id: Uuid,
        docid: &str,
    ) -> Result<Option<Recipient>, Error> {
        let row = self
            .row(
                "SELECT phone, CAST(fields AS text) AS fields, batch_id, created_at, updated_at
                   FROM recipient WHERE account_id = $1 AND docid = $2 AND phone IS NOT NULL",
                values![account_id, docid],
            )
            .await?;
        let recipient = row.as_ref().map(|row| {
            Ok(Recipient {
                docid: docid.to_owned(),
                phone: get(row, "phone")?,
                fields: json(row, "fields")?,
                batch_id: get(row, "batch_id")?,
                created_at: get(row, "created_at")?,
                updated_at: get(row, "updated_at")?,
            })
        });
        recipient.transpose()
    }

    /// Erases a person, known or not: records of batches accepted before are never stored. `true`: there was one.
    ///
    /// An erasure takes its place in the order of acceptance like a batch. While an older batch is open a row
    /// without person stays behind and refuses its records.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn erase_recipient(&self, account_id: Uuid, docid: &str) -> Result<bool, Error> {
        self.retry(|| self.try_erase(account_id, docid)).await
    }

    async fn try_erase(&self, account_id: Uuid, docid: &str) -> Result<bool, Error> {
        let mut tx = self.begin().await?;
        let now = tx.now().await?;
        let stored = "SELECT phone IS NOT NULL, created_day FROM recipient WHERE account_id = $1 AND docid = $2";
        let stored = tx.locking(stored, "FOR UPDATE");
        let stored: Option<(bool, NaiveDate)> = tx.one(stored, values![account_id, docid]).await?;
        if stored.is_some() {
            tx.execute(&*ERASE, values![account_id, docid, now]).await?;
        } else {
            let held = tx
                .execute(
                    "INSERT INTO recipient (account_id, docid, seq, created_at, updated_at, created_day)
                     VALUES ($1, $2, 0, $3, $3, $4) ON CONFLICT DO NOTHING",
                    values![account_id, docid, now, now.date_naive()],
                )
                .await?;
            if held == 0 {
                return Err(Error::Conflict("the docid was stored meanwhile".into()));
            }
        }
        let known = stored.filter(|(known, _)| *known);
        if known.is_some() {
            tx.erase_messages(account_id, docid).await?;
        }
        if let Some((_, day)) = known {
            tx.count_created(account_id, day, -1, now).await?;
        }
        let draw = "UPDATE import_counter SET seq = seq + 1 WHERE account_id = $1 RETURNING seq";
        let drawn: Option<i64> = tx.one(draw, values![account_id]).await?;
        let seq = drawn.ok_or_else(|| Error::broken("an account without a counter"))?;
        let older: Option<i32> = tx
            .one(
                "SELECT 1 FROM import_batch WHERE account_id = $1 AND seq < $2
                    AND status IN ('queued', 'processing', 'stalled') LIMIT 1",
                values![account_id, seq],
            )
            .await?;
        if older.is_some() {
            let raise = "UPDATE recipient SET seq = $3 WHERE account_id = $1 AND docid = $2";
            tx.execute(raise, values![account_id, docid, seq]).await?;
        } else {
            let delete = "DELETE FROM recipient WHERE account_id = $1 AND docid = $2";
            tx.execute(delete, values![account_id, docid]).await?;
        }
        tx.commit_surely().await?;
        Ok(known.is_some())
    }
}
