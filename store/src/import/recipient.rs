//! One recipient: read, and erased for good.

use std::sync::LazyLock;

use chrono::{DateTime, NaiveDate, Utc};
use uuid::Uuid;

use super::bulk::columns::{VALUES, join};
use crate::tx::get;
use crate::{Error, Store};

/// How often an erasure that another transaction stood in the way of is tried.
const TRIES: usize = 5;

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
        let rows = self
            .rows(
                "SELECT phone, CAST(fields AS text) AS fields, batch_id, created_at, updated_at
                   FROM recipient WHERE account_id = $1 AND docid = $2 AND phone IS NOT NULL",
                vec![account_id.into(), docid.into()],
            )
            .await?;
        let Some(row) = rows.first() else {
            return Ok(None);
        };
        let fields: String = get(row, "fields")?;
        Ok(Some(Recipient {
            docid: docid.to_owned(),
            phone: get(row, "phone")?,
            fields: serde_json::from_str(&fields).map_err(Error::broken)?,
            batch_id: get(row, "batch_id")?,
            created_at: get(row, "created_at")?,
            updated_at: get(row, "updated_at")?,
        }))
    }

    /// Erases a person, known or not: records of batches accepted before are never stored. `true`: there was one.
    ///
    /// An erasure takes its place in the order of acceptance like a batch. While an older batch is open a row
    /// without person stays behind and refuses its records.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn erase_recipient(&self, account_id: Uuid, docid: &str) -> Result<bool, Error> {
        let mut tried = 1;
        loop {
            match self.try_erase(account_id, docid).await {
                Err(Error::Conflict(_)) if tried < TRIES => tried += 1,
                result => return result,
            }
        }
    }

    async fn try_erase(&self, account_id: Uuid, docid: &str) -> Result<bool, Error> {
        let key = || vec![account_id.into(), docid.into()];
        let mut tx = self.begin().await?;
        let now = tx.now().await?;
        let lock = tx.dialect(
            "SELECT phone IS NOT NULL AS known, created_day FROM recipient
              WHERE account_id = $1 AND docid = $2 FOR UPDATE",
            "SELECT phone IS NOT NULL AS known, created_day FROM recipient WHERE account_id = $1 AND docid = $2",
        );
        let mut known = false;
        if let Some(row) = tx.row(lock, key()).await? {
            known = get(&row, "known")?;
            tx.execute(
                ERASE.as_str(),
                vec![account_id.into(), docid.into(), now.into()],
            )
            .await?;
            if known {
                let day: NaiveDate = get(&row, "created_day")?;
                tx.count_created(account_id, day, -1, now).await?;
            }
        } else {
            let held = tx
                .execute(
                    "INSERT INTO recipient (account_id, docid, seq, created_at, updated_at, created_day)
                     VALUES ($1, $2, 0, $3, $3, $4) ON CONFLICT DO NOTHING",
                    vec![
                        account_id.into(),
                        docid.into(),
                        now.into(),
                        now.date_naive().into(),
                    ],
                )
                .await?;
            if held == 0 {
                return Err(Error::Conflict("the docid was stored meanwhile".into()));
            }
        }
        let drawn = tx
            .row(
                "UPDATE import_counter SET seq = seq + 1 WHERE account_id = $1 RETURNING seq",
                vec![account_id.into()],
            )
            .await?
            .ok_or_else(|| Error::broken("an account without a counter"))?;
        let seq: i64 = get(&drawn, "seq")?;
        let older = tx
            .rows(
                "SELECT 1 FROM import_batch WHERE account_id = $1 AND seq < $2
                    AND status IN ('queued', 'processing', 'stalled') LIMIT 1",
                vec![account_id.into(), seq.into()],
            )
            .await?;
        if older.is_empty() {
            tx.execute(
                "DELETE FROM recipient WHERE account_id = $1 AND docid = $2",
                key(),
            )
            .await?;
        } else {
            tx.execute(
                "UPDATE recipient SET seq = $3 WHERE account_id = $1 AND docid = $2",
                vec![account_id.into(), docid.into(), seq.into()],
            )
            .await?;
        }
        tx.commit_surely().await?;
        Ok(known)
    }
}
