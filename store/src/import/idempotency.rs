//! Who may answer an `Idempotency-Key`: one attempt at a time, and the first answer for good (24 hours).
//!
//! An attempt holds its key with a heartbeat. One that died goes silent and is taken over; one that was only
//! frozen finds its token gone when it comes back, and can neither queue nor answer.

use chrono::TimeDelta;
use entity::{idempotency, import_batch};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use uuid::Uuid;

use super::attempt::{ImportAttempt, still_held};
use crate::tx::{Sql, statement, values};
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
        let reserved = idempotency::Model {
            account_id,
            idempotency_key: key.to_owned(),
            query: query.to_owned(),
            attempt: attempt.attempt,
            batch_id: attempt.batch_id,
            created_at: now,
            heartbeat_at: now,
            body_hash: None,
            status: None,
            response: None,
        };
        if tx.insert_new(reserved.clone()).await? {
            tx.commit_surely().await?;
            return Ok(Reservation::Mine);
        }
        let held = idempotency::Entity::find_by_id((account_id, key.to_owned()));
        let Some(held) = held.lock_exclusive().one(&tx).await? else {
            // Given up between the two statements: the caller may come again.
            return Ok(Reservation::InFlight);
        };
        let is_expired = held.created_at < now - LIFETIME;
        let is_silent = held.heartbeat_at <= now - SILENT;
        match (held.status, held.body_hash, held.response) {
            (Some(status), Some(body_hash), Some(answer)) if !is_expired => {
                return Ok(Reservation::Finished(FinishedImport {
                    query: held.query,
                    body_hash,
                    status: u16::try_from(status).map_err(Error::broken)?,
                    answer,
                }));
            }
            (None, ..) if !is_silent => return Ok(Reservation::InFlight),
            _ => {}
        }
        import_batch::Entity::delete_by_id((account_id, held.batch_id))
            .filter(import_batch::Column::Status.eq("receiving"))
            .exec(&tx)
            .await?;
        tx.update(reserved).await?;
        tx.commit_surely().await?;
        Ok(Reservation::Mine)
    }
}

impl Store {
    /// The batch that was accepted under a key of the account, as long as that is remembered.
    pub async fn accepted_under(&self, account_id: Uuid, key: &str) -> Result<Option<Uuid>, Error> {
        use idempotency::Column;
        let accepted = idempotency::Entity::find_by_id((account_id, key.to_owned()))
            .select_only()
            .column(Column::BatchId)
            .filter(Column::Status.eq(ACCEPTED));
        Ok(accepted.into_tuple().one(self).await?)
    }
}

/// The status of the answer to an import that was accepted.
const ACCEPTED: i64 = 202;
/// How long a first answer stands.
pub(crate) const LIFETIME: TimeDelta = TimeDelta::hours(24);

impl Tx {
    /// Writes the first answer, if there is one to be remembered and the key is still this attempt's.
    pub(crate) async fn answer_first(
        &self,
        attempt: &ImportAttempt,
        first: Option<FirstAnswer<'_>>,
    ) -> Result<(), Error> {
        let (Some(first), Some(mut reservation)) = (first, attempt.reservation()) else {
            return Ok(());
        };
        let answer = statement!(
            "UPDATE idempotency SET body_hash = $4, status = $5, response = $6
              WHERE account_id = $1 AND idempotency_key = $2 AND attempt = $3 AND status IS NULL"
        );
        let status = i64::from(first.status);
        reservation.extend(values![first.body_hash, status, first.answer]);
        still_held(self.execute(answer, reservation).await?)
    }
}
