//! Who may answer an `Idempotency-Key`: one attempt at a time, and the first answer for good (24 hours).
//!
//! An attempt holds its key with a heartbeat. One that died goes silent and is taken over; one that was only
//! frozen finds its token gone when it comes back, and can neither queue nor answer.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::attempt::{ImportAttempt, still_held};
use crate::tx::{Sql, get, values};
use crate::{Error, Store, Tx};

/// How long an attempt may be silent before another takes its key.
const SILENT: TimeDelta = TimeDelta::seconds(10);

/// What an attempt finds at its key.
#[derive(Debug)]
pub enum Reservation {
    /// The key is this attempt's.
    Mine,
    /// Another attempt is at work.
    InFlight,
    /// It was answered before.
    Finished(FinishedImport),
}

/// The first answer under a key.
#[derive(Debug)]
pub struct FinishedImport {
    pub query: String,
    /// SHA-256 of the decoded body.
    pub body_hash: Vec<u8>,
    pub status: u16,
    /// The answer's JSON, byte for byte.
    pub answer: Vec<u8>,
}

/// The answer that an attempt is about to give for the first time.
#[derive(Clone, Copy, Debug)]
pub struct FirstAnswer<'a> {
    pub body_hash: &'a [u8],
    pub status: u16,
    pub answer: &'a [u8],
}

impl Store {
    /// Reserves `key`, which is the attempt's, for it; takes it over from an attempt that died (whose
    /// half-received batch goes with it).
    pub async fn reserve(
        &self,
        attempt: &ImportAttempt,
        key: &str,
        query: &str,
    ) -> Result<Reservation, Error> {
        let account_id = attempt.account_id;
        let tx = self.begin().await?;
        let now = tx.now().await?;
        let (attempt, batch_id) = (attempt.attempt, attempt.batch_id);
        let values = values![account_id, key, query, attempt, batch_id, now];
        let fresh = "INSERT INTO idempotency (account_id, idempotency_key, query, attempt, batch_id, created_at, heartbeat_at)
         VALUES ($1, $2, $3, $4, $5, $6, $6) ON CONFLICT DO NOTHING";
        let fresh = tx.execute(fresh, values.clone()).await?;
        if fresh == 1 {
            tx.commit_surely().await?;
            return Ok(Reservation::Mine);
        }
        let held = "SELECT * FROM idempotency WHERE account_id = $1 AND idempotency_key = $2";
        let held = tx.locking(held, "FOR UPDATE");
        let Some(row) = tx.row(held, values![account_id, key]).await? else {
            // Given up between the two statements: the caller may come again.
            return Ok(Reservation::InFlight);
        };
        let status: Option<i64> = get(&row, "status")?;
        let is_expired = get::<DateTime<Utc>>(&row, "created_at")? < now - LIFETIME;
        let is_silent = get::<DateTime<Utc>>(&row, "heartbeat_at")? <= now - SILENT;
        match status {
            Some(status) if !is_expired => {
                return Ok(Reservation::Finished(FinishedImport {
                    query: get(&row, "query")?,
                    body_hash: get(&row, "body_hash")?,
                    status: u16::try_from(status).map_err(Error::broken)?,
                    answer: get(&row, "response")?,
                }));
            }
            None if !is_silent => return Ok(Reservation::InFlight),
            _ => {}
        }
        let delete = "DELETE FROM import_batch WHERE account_id = $1 AND batch_id = $2 AND status = 'receiving'";
        tx.execute(delete, values![account_id, get::<Uuid>(&row, "batch_id")?])
            .await?;
        let update = "UPDATE idempotency SET query = $3, attempt = $4, batch_id = $5, created_at = $6, heartbeat_at = $6,
                body_hash = NULL, status = NULL, response = NULL
          WHERE account_id = $1 AND idempotency_key = $2";
        tx.execute(update, values).await?;
        tx.commit_surely().await?;
        Ok(Reservation::Mine)
    }
}

/// How long a first answer stands.
pub(crate) const LIFETIME: TimeDelta = TimeDelta::hours(24);

impl Tx {
    /// Writes the first answer, if there is one to be remembered and the key is still this attempt's.
    pub(crate) async fn answer_first(
        &self,
        attempt: &ImportAttempt,
        first: Option<FirstAnswer<'_>>,
    ) -> Result<(), Error> {
        let (Some(first), Some(key)) = (first, attempt.key.as_deref()) else {
            return Ok(());
        };
        let (account_id, attempt) = (attempt.account_id, attempt.attempt);
        let status = i64::from(first.status);
        let written = "UPDATE idempotency SET body_hash = $4, status = $5, response = $6
                  WHERE account_id = $1 AND idempotency_key = $2 AND attempt = $3 AND status IS NULL";
        let values = values![
            account_id,
            key,
            attempt,
            first.body_hash,
            status,
            first.answer
        ];
        let written = self.execute(written, values).await?;
        still_held(written)
    }
}
