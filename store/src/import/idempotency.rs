//! Who may answer an `Idempotency-Key`: one attempt at a time, and the first answer for good (24 hours).
//!
//! An attempt holds its key with a heartbeat. One that died goes silent and is taken over; one that was only
//! frozen finds its token gone when it comes back, and can neither queue nor answer.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::tx::get;
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
    pub key: &'a str,
    pub body_hash: &'a [u8],
    pub status: u16,
    pub answer: &'a [u8],
}

impl Store {
    /// Reserves `key` for `attempt`, which will write `batch_id`; takes it over from an attempt that died (whose
    /// half-received batch goes with it).
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn reserve(
        &self,
        account_id: Uuid,
        key: &str,
        query: &str,
        attempt: Uuid,
        batch_id: Uuid,
    ) -> Result<Reservation, Error> {
        let mut tx = self.begin().await?;
        let now = tx.now().await?;
        let fresh = tx
            .execute(
                "INSERT INTO idempotency (account_id, idempotency_key, query, attempt, batch_id, created_at, heartbeat_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $6) ON CONFLICT DO NOTHING",
                vec![account_id.into(), key.into(), query.into(), attempt.into(), batch_id.into(), now.into()],
            )
            .await?;
        if fresh == 1 {
            tx.commit_surely().await?;
            return Ok(Reservation::Mine);
        }
        let lock = tx.dialect(
            "SELECT * FROM idempotency WHERE account_id = $1 AND idempotency_key = $2 FOR UPDATE",
            "SELECT * FROM idempotency WHERE account_id = $1 AND idempotency_key = $2",
        );
        let Some(row) = tx.row(lock, vec![account_id.into(), key.into()]).await? else {
            // Given up between the two statements: the caller may come again.
            return Ok(Reservation::InFlight);
        };
        let created_at: DateTime<Utc> = get(&row, "created_at")?;
        let heartbeat_at: DateTime<Utc> = get(&row, "heartbeat_at")?;
        let status: Option<i64> = get(&row, "status")?;
        let expired = created_at < now - LIFETIME;
        if let (Some(status), false) = (status, expired) {
            return Ok(Reservation::Finished(FinishedImport {
                query: get(&row, "query")?,
                body_hash: get(&row, "body_hash")?,
                status: u16::try_from(status).map_err(Error::broken)?,
                answer: get(&row, "response")?,
            }));
        }
        if status.is_none() && heartbeat_at > now - SILENT {
            return Ok(Reservation::InFlight);
        }
        tx.execute(
            "DELETE FROM import_batch WHERE account_id = $1 AND batch_id = $2 AND status = 'receiving'",
            vec![account_id.into(), get::<Uuid>(&row, "batch_id")?.into()],
        )
        .await?;
        tx.execute(
            "UPDATE idempotency SET query = $3, attempt = $4, batch_id = $5, created_at = $6, heartbeat_at = $6,
                    body_hash = NULL, status = NULL, response = NULL
              WHERE account_id = $1 AND idempotency_key = $2",
            vec![account_id.into(), key.into(), query.into(), attempt.into(), batch_id.into(), now.into()],
        )
        .await?;
        tx.commit_surely().await?;
        Ok(Reservation::Mine)
    }
}

/// How long a first answer stands.
pub(crate) const LIFETIME: TimeDelta = TimeDelta::hours(24);

impl Tx {
    /// Writes the first answer, if the key is still this attempt's.
    pub(crate) async fn answer_first(
        &mut self,
        account_id: Uuid,
        attempt: Uuid,
        first: &FirstAnswer<'_>,
    ) -> Result<(), Error> {
        let written = self
            .execute(
                "UPDATE idempotency SET body_hash = $4, status = $5, response = $6
                  WHERE account_id = $1 AND idempotency_key = $2 AND attempt = $3 AND status IS NULL",
                vec![
                    account_id.into(),
                    first.key.into(),
                    attempt.into(),
                    first.body_hash.into(),
                    i64::from(first.status).into(),
                    first.answer.into(),
                ],
            )
            .await?;
        if written == 1 {
            Ok(())
        } else {
            Err(Error::Lost)
        }
    }
}
