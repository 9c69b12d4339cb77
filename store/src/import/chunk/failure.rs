//! How a chunk fails: noted in the ledger in a commit of its own, tried again later, parked in the end.

use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::QuerySelect;
use sea_orm::sea_query::LockType;

use super::ChunkId;
use crate::tx::{Sql, Statement, statement, values};
use crate::{Error, Store};

const PARK: &Statement = statement!(
    "UPDATE import_batch
        SET open_chunks = open_chunks - 1, parked_chunks = parked_chunks + 1, failed = failed + $3,
            status = CASE WHEN open_chunks = 1 THEN 'stalled' ELSE 'processing' END
      WHERE account_id = $1 AND batch_id = $2"
);

const PUT_OFF: &Statement = statement!(
    "UPDATE import_chunk SET retry_at = $4 WHERE account_id = $1 AND batch_id = $2 AND chunk_no = $3"
);

/// Own failures after which a chunk is parked.
pub const MAX_FAILURES: i64 = 5;

/// What a noted failure led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureOutcome {
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
    ) -> Result<FailureOutcome, Error> {
        let tx = self.begin().await?;
        let chunk = id.row().lock(LockType::NoKeyUpdate).one(&tx).await?;
        let Some(mut chunk) = chunk.filter(|chunk| !chunk.parked) else {
            return Ok(FailureOutcome::Gone);
        };
        chunk.failures += 1;
        let parked = park || chunk.failures >= MAX_FAILURES;
        let (records, retry_at) = (chunk.records, tx.now().await? + backoff(chunk.failures));
        chunk.parked = parked;
        chunk.retry_at = Some(retry_at);
        chunk.reason = Some(reason.to_owned());
        tx.update(chunk).await?;
        tx.forget_starts(id).await?;
        if parked {
            tx.execute(PARK, values![id.account_id, id.batch_id, records])
                .await?;
        }
        tx.commit_surely().await?;
        Ok(if parked {
            FailureOutcome::Parked
        } else {
            FailureOutcome::RetryAt(retry_at)
        })
    }

    /// Puts a chunk off without counting anything against it (a payload for a newer worker).
    pub async fn put_off(&self, id: ChunkId, until: TimeDelta) -> Result<(), Error> {
        let later = self.now().await? + until;
        self.execute(PUT_OFF, values![id, later]).await.map(drop)
    }
}

/// 0.5 s, 1.5 s, 4.5 s, 13.5 s: a passing trouble is over soon, a lasting one is parked within half a minute.
fn backoff(failures: i64) -> TimeDelta {
    let tripled = 3_i64.saturating_pow(u32::try_from(failures - 1).unwrap_or(0).min(8));
    TimeDelta::milliseconds(500 * tripled)
}
