//! What became of a batch: its status and record errors, cancelling it and retrying what was parked.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use domain::message::Lane;
use domain::record::KeptError;
use entity::{import_batch, import_error};
use sea_orm::{
    ColumnTrait, DeriveActiveEnum, EntityTrait, EnumIter, FromQueryResult, QueryFilter, QueryOrder,
    QuerySelect,
};
use serde::Serialize;
use strum::{IntoStaticStr, VariantArray};
use uuid::Uuid;

use super::chunk::Outcomes;
use crate::tx::{Parsed, Sql, Statement, statement, values};
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

/// An accepted batch. All counts but `errors_dropped` are records; `received = accepted + rejected + merged`, and `accepted` is the sum
/// of the outcomes, `pending`, `failed` and `cancelled`.
#[derive(Clone, Debug, FromQueryResult, Serialize)]
pub struct Batch {
    pub batch_id: Uuid,
    /// Of the file, as its caller named it; null without one.
    pub name: Option<String>,
    pub status: BatchStatus,
    pub received: i64,
    pub accepted: i64,
    pub rejected: i64,
    /// Records that say the same as an earlier one of the body.
    pub merged: i64,
    /// Record errors that are not kept.
    pub errors_dropped: i64,
    #[sea_orm(nested)]
    pub outcomes: Outcomes,
    /// Records that wait for a worker.
    pub pending: i64,
    /// Records in parked chunks.
    pub failed: i64,
    pub cancelled: i64,
    /// Recipients that it created and that were [erased](Store::erase_created) with it.
    pub erased: i64,
    /// More of them are being erased.
    pub erasing: bool,
    /// The campaign that it was imported for; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub campaign_id: Option<Uuid>,
    /// The key or the person who imported it, as the audit log names them; null: not known.
    pub made_by: Option<String>,
    /// From where, as the audit log has it; null: not known.
    pub made_from: Option<String>,
    pub created_at: DateTime<Utc>,
    pub started_at: Option<DateTime<Utc>>,
    pub completed_at: Option<DateTime<Utc>>,
}

const DELETE_CHUNKS: [&Statement; 2] = [
    statement!("DELETE FROM import_start WHERE account_id = $1 AND batch_id = $2"),
    statement!("DELETE FROM import_chunk WHERE account_id = $1 AND batch_id = $2"),
];
const CANCEL: &Statement = statement!(
    "UPDATE import_batch
        SET status = 'cancelled', completed_at = $3, open_chunks = 0, parked_chunks = 0, failed = 0,
            cancelled = accepted - created - updated - unchanged - superseded
      WHERE account_id = $1 AND batch_id = $2"
);
const OPEN_PARKED_CHUNKS: &Statement = statement!(
    "UPDATE import_chunk SET parked = false, failures = 0, retry_at = NULL, reason = NULL
      WHERE account_id = $1 AND batch_id = $2 AND parked RETURNING records"
);
const CONTINUE: &Statement = statement!(
    "UPDATE import_batch
        SET status = 'processing', open_chunks = open_chunks + $3, parked_chunks = parked_chunks - $3,
            failed = failed - $4
      WHERE account_id = $1 AND batch_id = $2 RETURNING lane"
);

/// The accepted batches of an account.
macro_rules! batches {
    ($condition:literal) => {
        statement!(
            "SELECT batch_id, name, status, received, accepted, rejected, merged, errors_dropped, created, updated, unchanged, superseded,
                    accepted - created - updated - unchanged - superseded - failed - cancelled AS pending, failed, cancelled,
                    erased, erase_seq IS NOT NULL AS erasing, campaign_id, made_by, made_from,
                    created_at, started_at, completed_at
               FROM import_batch WHERE account_id = $1 AND seq IS NOT NULL AND ", $condition
        )
    };
}

/// What a change of a batch came to.
#[derive(Debug)]
pub enum BatchChange<T> {
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
pub(crate) fn read_errors(block: &[u8]) -> Result<Vec<KeptError>, Error> {
    let json = zstd::decode_all(block).map_err(Error::broken)?;
    serde_json::from_slice(&json).map_err(Error::broken)
}

/// A block of record errors, as [`read_errors`] reads it.
pub(crate) fn compressed_errors(errors: &[KeptError]) -> Result<Vec<u8>, Error> {
    let json = serde_json::to_vec(errors).map_err(Error::broken)?;
    zstd::bulk::compress(&json, LEVEL).map_err(Error::broken)
}

impl Store {
    /// One accepted batch.
    pub async fn batch(&self, account_id: Uuid, batch_id: Uuid) -> Result<Option<Batch>, Error> {
        let batch = batches!("batch_id = $2");
        self.fetch_one(batch, values![account_id, batch_id]).await
    }

    /// Which of these are accepted batches of the account.
    pub async fn known_batches(
        &self,
        account_id: Uuid,
        batch_ids: &[Uuid],
    ) -> Result<HashSet<Uuid>, Error> {
        let known = import_batch::Entity::find()
            .select_only()
            .column(import_batch::Column::BatchId)
            .filter(import_batch::Column::AccountId.eq(account_id))
            .filter(import_batch::Column::Seq.is_not_null())
            .filter(import_batch::Column::BatchId.is_in(batch_ids.iter().copied()));
        let known: Vec<Uuid> = known.into_tuple().all(self).await?;
        Ok(known.into_iter().collect())
    }

    /// A page of the accepted batches, newest first, of those older than `before`.
    pub async fn batches(
        &self,
        account_id: Uuid,
        before: Option<Uuid>,
        limit: usize,
    ) -> Result<ListPage<Batch>, Error> {
        let most = i64::try_from(limit + 1).unwrap_or(i64::MAX);
        let values = values![account_id, before.unwrap_or(Uuid::max()), most];
        let batches = batches!("batch_id < $2 ORDER BY batch_id DESC LIMIT $3");
        let batches = self.fetch_all(batches, values).await?;
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
    ) -> Result<ListPage<KeptError, i64>, Error> {
        let mut found = Vec::new();
        let mut next = from;
        while found.len() <= limit {
            let block = import_error::Entity::find()
                .filter(import_error::Column::AccountId.eq(account_id))
                .filter(import_error::Column::BatchId.eq(batch_id))
                .filter(import_error::Column::First.lte(next))
                .order_by_desc(import_error::Column::First);
            let block = block.one(self).await?;
            let Some(block) = block.filter(|block| next < block.first + block.errors) else {
                break;
            };
            let errors = read_errors(&block.block)?;
            let skip = usize::try_from(next - block.first).map_err(Error::broken)?;
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
    ) -> Result<BatchChange<Batch>, Error> {
        self.cancel(account_id, batch_id, &["queued", "processing", "stalled"])
            .await
    }

    /// The same for a batch only that has one of these statuses when its row is locked.
    pub(crate) async fn cancel(
        &self,
        account_id: Uuid,
        batch_id: Uuid,
        from: &[&str],
    ) -> Result<BatchChange<Batch>, Error> {
        let tx = self.begin_long().await?;
        // The last chunks first, because workers take the first ones: a cancel in their order waits for each chunk that a
        // worker has just begun, to the end.
        tx.lock_chunks(account_id, batch_id, false).await?;
        let Some(status) = tx.lock_batch(account_id, batch_id).await? else {
            return Ok(BatchChange::NotFound);
        };
        match status.as_str() {
            "cancelled" => {}
            open if from.contains(&open) => {
                for delete in DELETE_CHUNKS {
                    tx.execute(delete, values![account_id, batch_id]).await?;
                }
                let now = tx.now().await?;
                tx.execute(CANCEL, values![account_id, batch_id, now])
                    .await?;
            }
            _ => return Ok(BatchChange::Finished),
        }
        tx.commit_surely().await?;
        self.changed(account_id, batch_id)
            .await
            .map(BatchChange::Done)
    }

    /// Opens the parked chunks again, with their failures forgotten.
    pub async fn retry_batch(
        &self,
        account_id: Uuid,
        batch_id: Uuid,
    ) -> Result<BatchChange<Retried>, Error> {
        let tx = self.begin_long().await?;
        tx.lock_chunks(account_id, batch_id, true).await?;
        let key = values![account_id, batch_id];
        let records: Vec<i64> = tx.fetch_values(OPEN_PARKED_CHUNKS, key).await?;
        if tx.lock_batch(account_id, batch_id).await?.is_none() {
            return Ok(BatchChange::NotFound);
        }
        if records.is_empty() {
            return Ok(BatchChange::Finished);
        }
        let chunks = i64::try_from(records.len()).map_err(Error::broken)?;
        let values = values![account_id, batch_id, chunks, records.iter().sum::<i64>()];
        let lane: Option<Parsed<Lane>> = tx.fetch_value(CONTINUE, values).await?;
        tx.commit_surely().await?;
        Ok(BatchChange::Done(Retried {
            batch: self.changed(account_id, batch_id).await?,
            lane: lane.ok_or(Error::Lost)?.0,
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
        only_parked: bool,
    ) -> Result<(), Error> {
        let chunks = statement!(lock "FOR UPDATE":
            "SELECT chunk_no FROM import_chunk
              WHERE account_id = $1 AND batch_id = $2 AND (parked OR NOT $3) ORDER BY chunk_no DESC"
        );
        let values = values![account_id, batch_id, only_parked];
        let _: Vec<i64> = self.fetch_values(chunks, values).await?;
        Ok(())
    }

    /// Locks an accepted batch; its status.
    pub(crate) async fn lock_batch(
        &self,
        account_id: Uuid,
        batch_id: Uuid,
    ) -> Result<Option<String>, Error> {
        let batch = statement!(lock "FOR NO KEY UPDATE":
            "SELECT status FROM import_batch WHERE account_id = $1 AND batch_id = $2 AND seq IS NOT NULL"
        );
        self.fetch_value(batch, values![account_id, batch_id]).await
    }
}
