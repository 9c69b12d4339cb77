//! How a chunk fails: noted in the ledger in a commit of its own, tried again later, parked in the end.

use chrono::{DateTime, TimeDelta, Utc};
use entity::import_chunk;
use sea_orm::sea_query::LockType;
use sea_orm::{EntityTrait, QueryFilter, QuerySelect, Set};

use super::ChunkId;
use crate::tx::{Sql, Statement, statement, values};
use crate::{Error, Store};

const PARK: &Statement = statement!(
    "UPDATE import_batch
        SET open_chunks = open_chunks - 1, parked_chunks = parked_chunks + 1, failed = failed + $3,
            status = CASE WHEN open_chunks = 1 THEN 'stalled' ELSE 'processing' END
      WHERE account_id = $1 AND batch_id = $2"
);

/// Own failures after which a chunk is parked.
pub const MAX_FAILURES: i64 = 5;

/// What a noted failure led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noted {
    /// It will be due again at this time.
    RetryAt(DateTime<Utc>),
    /// It will not be tried again unless somebody asks for it.
    Parked,
    /// It was finished, cancelled or parked meanwhile.
    Gone,
}

impl Store {
    /// Notes a failure of the chunk's own with its reason, in a commit of its own; parks it when it is the last
    /// that it may have, or when `park` says that there is no use in trying again.
    pub async fn note_failure(
        &self,
        id: ChunkId,
        reason: &str,
        park: bool,
    ) -> Result<Noted, Error> {
        let tx = self.begin().await?;
        let chunk = import_chunk::Entity::find()
            .filter(id.row())
            .lock(LockType::NoKeyUpdate);
        let chunk = chunk.one(&tx).await?.filter(|chunk| !chunk.parked);
        let Some(chunk) = chunk else {
            return Ok(Noted::Gone);
        };
        let failures = chunk.failures + 1;
        let parked = park || failures >= MAX_FAILURES;
        let retry_at = tx.now().await? + backoff(failures);
        let failed = import_chunk::ActiveModel {
            failures: Set(failures),
            parked: Set(parked),
            retry_at: Set(Some(retry_at)),
            reason: Set(Some(reason.to_owned())),
            ..Default::default()
        };
        let update = import_chunk::Entity::update_many().set(failed);
        update.filter(id.row()).exec(&tx).await?;
        tx.forget_starts(id).await?;
        if parked {
            tx.execute(PARK, values![id.account_id, id.batch_id, chunk.records])
                .await?;
        }
        tx.commit_surely().await?;
        Ok(if parked {
            Noted::Parked
        } else {
            Noted::RetryAt(retry_at)
        })
    }

    /// Puts a chunk off without counting anything against it (a payload for a newer worker).
    pub async fn put_off(&self, id: ChunkId, until: TimeDelta) -> Result<(), Error> {
        let later = import_chunk::ActiveModel {
            retry_at: Set(Some(self.now().await? + until)),
            ..Default::default()
        };
        let update = import_chunk::Entity::update_many().set(later);
        update.filter(id.row()).exec(self).await?;
        Ok(())
    }
}

/// 0.5 s, 1.5 s, 4.5 s, 13.5 s: a passing trouble is over soon, a lasting one is parked within half a minute.
fn backoff(failures: i64) -> TimeDelta {
    let tripled = 3_i64.saturating_pow(u32::try_from(failures - 1).unwrap_or(0).min(8));
    TimeDelta::milliseconds(500 * tripled)
}
