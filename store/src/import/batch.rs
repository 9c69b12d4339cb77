//! What became of a batch: its status and record errors, cancelling it and retrying what was parked.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use domain::message::Lane;
use domain::record::RecordError;
use sea_orm::{DeriveActiveEnum, EnumIter, FromQueryResult, Value};
use serde::Serialize;
use strum::{IntoStaticStr, VariantArray};
use uuid::Uuid;

use super::chunk::Outcomes;
use crate::tx::{Sql, read, values};
use crate::{Error, ListPage, Store, Tx};

/// zstd's fastest level: blocks are written once and read rarely.
const LEVEL: i32 = 1;

/// Where a batch stands.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    EnumIter,
    DeriveActiveEnum,
    IntoStaticStr,
    VariantArray,
    Serialize,
)]
#[serde(rename_all = "snake_case")]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum BatchStatus {
    Queued,
    Processing,
    Completed,
    Cancelled,
    /// Nothing pending, something parked.
    Stalled,
}

impl BatchStatus {
    /// Its name in answers and rows.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// An accepted batch. All counts but `errors_dropped` are records; `received = accepted + rejected`, and `accepted` is the sum
/// of the outcomes, `pending`, `failed` and `cancelled`.
#[derive(Clone, Debug, FromQueryResult, Serialize)]
pub struct Batch {
    pub batch_id: Uuid,
    pub status: BatchStatus,
    pub received: i64,
    pub accepted: i64,
    pub rejected: i64,
    /// Record errors that are not kept.
    pub errors_dropped: i64,
    #[sea_orm(nested)]
    pub outcomes: Outcomes,
    /// Records that wait for a worker.
    pub pending: i64,
    /// Records in parked chunks.
    pub failed: i64,
    pub cancelled: i64,
    /// The campaign that it was imported for; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub campaign_id: Option<Uuid>,
    pub created_at: DateTime<Utc>,
    pub started_at: Option<DateTime<Utc>>,
    pub completed_at: Option<DateTime<Utc>>,
}

/// The accepted batches of an account.
const BATCHES: &str = "SELECT batch_id, status, received, accepted, rejected, errors_dropped, created, updated, unchanged, superseded,
        accepted - created - updated - unchanged - superseded - failed - cancelled AS pending,
        failed, cancelled, campaign_id, created_at, started_at, completed_at
   FROM import_batch WHERE account_id = $1 AND seq IS NOT NULL";

/// What a change of a batch came to.
#[derive(Debug)]
pub enum Change<T> {
    Done(T),
    /// The batch is past such a change.
    Finished,
    NotFound,
}

/// Parked chunks that are open again.
#[derive(Debug)]
pub struct Retried {
    pub batch: Batch,
    pub lane: Lane,
}

/// The record errors of a block.
pub(crate) fn read_errors(block: &[u8]) -> Result<Vec<RecordError>, Error> {
    let json = zstd::decode_all(block).map_err(Error::broken)?;
    serde_json::from_slice(&json).map_err(Error::broken)
}

/// A block of record errors, as [`read_errors`] reads it.
pub(crate) fn compressed_errors(errors: &[RecordError]) -> Result<Vec<u8>, Error> {
    let json = serde_json::to_vec(errors).map_err(Error::broken)?;
    zstd::bulk::compress(&json, LEVEL).map_err(Error::broken)
}

impl Store {
    /// One accepted batch.
    pub async fn batch(&self, account_id: Uuid, batch_id: Uuid) -> Result<Option<Batch>, Error> {
        let sql = format!("{BATCHES} AND batch_id = $2");
        let rows = self.rows(sql, values![account_id, batch_id]).await?;
        Ok(read(&rows)?.pop())
    }

    /// Which of these are accepted batches of the account.
    pub async fn known_batches(
        &self,
        account_id: Uuid,
        batch_ids: &[Uuid],
    ) -> Result<HashSet<Uuid>, Error> {
        let (listed, ids): (_, Value) = if self.is_sqlite() {
            let ids = batch_ids.iter().map(|id| id.simple().to_string());
            let ids = serde_json::json!(ids.collect::<Vec<_>>()).to_string();
            ("IN (SELECT unhex(value) FROM json_each($2))", ids.into())
        } else {
            ("= ANY($2)", batch_ids.to_vec().into())
        };
        let sql = format!(
            "SELECT batch_id FROM import_batch WHERE account_id = $1 AND batch_id {listed} AND seq IS NOT NULL"
        );
        let known: Vec<Uuid> = self.all(sql, values![account_id, ids]).await?;
        Ok(known.into_iter().collect())
    }

    /// A page of the accepted batches, newest first, of those older than `before`.
    pub async fn batches(
        &self,
        account_id: Uuid,
        before: Option<Uuid>,
        limit: usize,
    ) -> Result<ListPage<Batch>, Error> {
        let most = i64::try_from(limit + 1).map_err(Error::broken)?;
        let values = values![account_id, before.unwrap_or(Uuid::max()), most];
        let sql = format!("{BATCHES} AND batch_id < $2 ORDER BY batch_id DESC LIMIT $3");
        let batches = read(&self.rows(sql, values).await?)?;
        let position = |batch: &Batch| batch.batch_id;
        Ok(ListPage::new(batches, limit, false, position))
    }

    /// A page of a batch's record errors in the order of the records, from the `from`-th on (counted from 0).
    pub async fn errors(
        &self,
        account_id: Uuid,
        batch_id: Uuid,
        from: i64,
        limit: usize,
    ) -> Result<ListPage<RecordError, i64>, Error> {
        let mut found = Vec::new();
        let mut next = from;
        while found.len() <= limit {
            let block = "SELECT first, errors, block FROM import_error
              WHERE account_id = $1 AND batch_id = $2 AND first <= $3 ORDER BY first DESC LIMIT 1";
            let block: Option<(i64, i64, Vec<u8>)> =
                self.one(block, values![account_id, batch_id, next]).await?;
            let Some((first, _, block)) = block.filter(|(first, errors, _)| next < first + errors)
            else {
                break;
            };
            let errors = read_errors(&block)?;
            let skip = usize::try_from(next - first).map_err(Error::broken)?;
            let before = found.len();
            found.extend(errors.into_iter().skip(skip).take(limit + 1 - before));
            next += i64::try_from(found.len() - before).map_err(Error::broken)?;
        }
        let next = from.saturating_add_unsigned(limit as u64);
        Ok(ListPage::new(found, limit, false, |_| next))
    }

    /// Cancels what is still open or parked. It waits for chunks in progress, so that the counts are final when it
    /// returns. Cancelling again changes nothing.
    pub async fn cancel_batch(
        &self,
        account_id: Uuid,
        batch_id: Uuid,
    ) -> Result<Change<Batch>, Error> {
        self.cancel(account_id, batch_id, &["queued", "processing", "stalled"])
            .await
    }

    /// The same for a batch only that has one of these statuses when its row is locked.
    pub(crate) async fn cancel(
        &self,
        account_id: Uuid,
        batch_id: Uuid,
        from: &[&str],
    ) -> Result<Change<Batch>, Error> {
        let key = || values![account_id, batch_id];
        let tx = self.begin_long().await?;
        // The last chunks first, because workers take the first ones: a cancel in their order waits for each chunk that a
        // worker has just begun, to the end.
        tx.lock_chunks(account_id, batch_id, "").await?;
        let Some(status) = tx.lock_batch(account_id, batch_id).await? else {
            return Ok(Change::NotFound);
        };
        match status.as_str() {
            "cancelled" => {}
            open if from.contains(&open) => {
                let delete = "DELETE FROM import_start WHERE account_id = $1 AND batch_id = $2";
                tx.execute(delete, key()).await?;
                let delete = "DELETE FROM import_chunk WHERE account_id = $1 AND batch_id = $2";
                tx.execute(delete, key()).await?;
                let now = tx.now().await?;
                let update = "UPDATE import_batch
                    SET status = 'cancelled', completed_at = $3, open_chunks = 0, parked_chunks = 0, failed = 0,
                        cancelled = accepted - created - updated - unchanged - superseded
                  WHERE account_id = $1 AND batch_id = $2";
                tx.execute(update, values![account_id, batch_id, now])
                    .await?;
            }
            _ => return Ok(Change::Finished),
        }
        tx.commit_surely().await?;
        self.changed(account_id, batch_id).await.map(Change::Done)
    }

    /// Opens the parked chunks again, with their failures forgotten.
    pub async fn retry_batch(
        &self,
        account_id: Uuid,
        batch_id: Uuid,
    ) -> Result<Change<Retried>, Error> {
        let tx = self.begin_long().await?;
        tx.lock_chunks(account_id, batch_id, "AND parked").await?;
        let records =
            "UPDATE import_chunk SET parked = false, failures = 0, retry_at = NULL, reason = NULL
          WHERE account_id = $1 AND batch_id = $2 AND parked RETURNING records";
        let records: Vec<i64> = tx.all(records, values![account_id, batch_id]).await?;
        if tx.lock_batch(account_id, batch_id).await?.is_none() {
            return Ok(Change::NotFound);
        }
        if records.is_empty() {
            return Ok(Change::Finished);
        }
        let chunks = i64::try_from(records.len()).map_err(Error::broken)?;
        let lane = "UPDATE import_batch
                    SET status = 'processing', open_chunks = open_chunks + $3, parked_chunks = parked_chunks - $3,
                        failed = failed - $4
                  WHERE account_id = $1 AND batch_id = $2 RETURNING lane";
        let values = values![account_id, batch_id, chunks, records.iter().sum::<i64>()];
        let lane: Option<String> = tx.one(lane, values).await?;
        tx.commit_surely().await?;
        Ok(Change::Done(Retried {
            batch: self.changed(account_id, batch_id).await?,
            lane: lane.ok_or(Error::Lost)?.parse().map_err(Error::broken)?,
        }))
    }

    async fn changed(&self, account_id: Uuid, batch_id: Uuid) -> Result<Batch, Error> {
        self.batch(account_id, batch_id).await?.ok_or(Error::Lost)
    }
}

impl Tx {
    /// Locks chunks of a batch, before the batch: the worker that holds one takes the batch's row last. All who take several
    /// take the last one first.
    async fn lock_chunks(
        &self,
        account_id: Uuid,
        batch_id: Uuid,
        which: &str,
    ) -> Result<(), Error> {
        let chunks = format!(
            "SELECT chunk_no FROM import_chunk
              WHERE account_id = $1 AND batch_id = $2 {which} ORDER BY chunk_no DESC"
        );
        let chunks = self.locking(&chunks, "FOR UPDATE");
        let locked = self.rows(chunks, values![account_id, batch_id]).await;
        locked.map(drop)
    }

    /// Locks an accepted batch; its status.
    async fn lock_batch(&self, account_id: Uuid, batch_id: Uuid) -> Result<Option<String>, Error> {
        let batch = self.locking(
            "SELECT status FROM import_batch WHERE account_id = $1 AND batch_id = $2 AND seq IS NOT NULL",
            "FOR NO KEY UPDATE",
        );
        self.one(batch, values![account_id, batch_id]).await
    }
}
