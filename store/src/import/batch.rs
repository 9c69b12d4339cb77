//! What became of a batch: its status and record errors, cancelling it and retrying what was parked.

use chrono::{DateTime, Utc};
use domain::message::Lane;
use domain::record::RecordError;
use entity::import_batch;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use strum::{EnumString, IntoStaticStr};
use uuid::Uuid;

use crate::tx::{Sql, get, values};
use crate::{Error, ListPage, Store, Tx};

/// Where a batch stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
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

/// An accepted batch. All counts but `errors_dropped` are records; `received = accepted + rejected` and
/// `accepted = created + updated + unchanged + superseded + pending + failed + cancelled`.
#[derive(Clone, Debug)]
pub struct Batch {
    pub batch_id: Uuid,
    pub status: BatchStatus,
    pub received: i64,
    pub accepted: i64,
    pub rejected: i64,
    /// Record errors that are not kept.
    pub errors_dropped: i64,
    pub created: i64,
    pub updated: i64,
    pub unchanged: i64,
    pub superseded: i64,
    pub pending: i64,
    pub failed: i64,
    pub cancelled: i64,
    pub created_at: DateTime<Utc>,
    pub started_at: Option<DateTime<Utc>>,
    pub completed_at: Option<DateTime<Utc>>,
}

impl TryFrom<import_batch::Model> for Batch {
    type Error = Error;

    fn try_from(row: import_batch::Model) -> Result<Self, Error> {
        let stored = row.created + row.updated + row.unchanged + row.superseded;
        Ok(Self {
            batch_id: row.batch_id,
            status: row.status.parse().map_err(Error::broken)?,
            received: row.received,
            accepted: row.accepted,
            rejected: row.rejected,
            errors_dropped: row.errors_dropped,
            created: row.created,
            updated: row.updated,
            unchanged: row.unchanged,
            superseded: row.superseded,
            pending: row.accepted - stored - row.failed - row.cancelled,
            failed: row.failed,
            cancelled: row.cancelled,
            created_at: row.created_at,
            started_at: row.started_at,
            completed_at: row.completed_at,
        })
    }
}

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

impl Store {
    /// One accepted batch.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn batch(&self, account_id: Uuid, batch_id: Uuid) -> Result<Option<Batch>, Error> {
        import_batch::Entity::find_by_id((account_id, batch_id))
            .filter(import_batch::Column::Seq.is_not_null())
            .one(self)
            .await?
            .map(Batch::try_from)
            .transpose()
    }

    /// A page of the accepted batches, newest first, of those older than `before`.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn batches(
        &self,
        account_id: Uuid,
        before: Option<Uuid>,
        limit: usize,
    ) -> Result<ListPage<Batch>, Error> {
        let rows = import_batch::Entity::find()
            .filter(import_batch::Column::AccountId.eq(account_id))
            .filter(import_batch::Column::Seq.is_not_null())
            .filter(import_batch::Column::BatchId.lt(before.unwrap_or(Uuid::max())))
            .order_by_desc(import_batch::Column::BatchId)
            .limit(limit as u64 + 1)
            .all(self)
            .await?;
        let batches = rows.into_iter().map(Batch::try_from);
        let batches = batches.collect::<Result<Vec<_>, _>>()?;
        Ok(ListPage::new(batches, limit, false, |batch| batch.batch_id))
    }

    /// A page of a batch's record errors in the order of the records, from the `from`-th on (counted from 0).
    ///
    /// # Errors
    /// See [`Error`].
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
            let block: Option<(i64, i64, Vec<u8>)> = self
                .one(
                    "SELECT first, errors, block FROM import_error
                      WHERE account_id = $1 AND batch_id = $2 AND first <= $3 ORDER BY first DESC LIMIT 1",
                    values![account_id, batch_id, next],
                )
                .await?;
            let Some((first, _, block)) = block.filter(|(first, errors, _)| next < first + errors)
            else {
                break;
            };
            let json = zstd::decode_all(block.as_slice()).map_err(Error::broken)?;
            let errors: Vec<RecordError> = serde_json::from_slice(&json).map_err(Error::broken)?;
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
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn cancel_batch(
        &self,
        account_id: Uuid,
        batch_id: Uuid,
    ) -> Result<Change<Batch>, Error> {
        self.cancel(account_id, batch_id, &["queued", "processing", "stalled"])
            .await
    }

    /// The same for a batch only that is still stalled when its row is locked.
    pub(crate) async fn cancel_stalled(
        &self,
        account_id: Uuid,
        batch_id: Uuid,
    ) -> Result<Change<Batch>, Error> {
        self.cancel(account_id, batch_id, &["stalled"]).await
    }

    async fn cancel(
        &self,
        account_id: Uuid,
        batch_id: Uuid,
        from: &[&str],
    ) -> Result<Change<Batch>, Error> {
        let key = || vec![account_id.into(), batch_id.into()];
        let mut tx = self.begin_long().await?;
        if !self.is_sqlite() {
            // Chunks first: the worker that holds one takes the batch's row last. The last chunks first, because workers
            // take the first ones: a cancel in their order waits for each chunk that a worker has just begun, to the end.
            tx.rows(
                "SELECT chunk_no FROM import_chunk
                  WHERE account_id = $1 AND batch_id = $2 ORDER BY chunk_no DESC FOR UPDATE",
                key(),
            )
            .await?;
        }
        let Some(status) = status_for_update(&mut tx, account_id, batch_id).await? else {
            return Ok(Change::NotFound);
        };
        match status.as_str() {
            "cancelled" => {}
            open if from.contains(&open) => {
                tx.execute(
                    "DELETE FROM import_start WHERE account_id = $1 AND batch_id = $2",
                    key(),
                )
                .await?;
                tx.execute(
                    "DELETE FROM import_chunk WHERE account_id = $1 AND batch_id = $2",
                    key(),
                )
                .await?;
                let now = tx.now().await?;
                tx.execute(
                    "UPDATE import_batch
                        SET status = 'cancelled', completed_at = $3, open_chunks = 0, parked_chunks = 0, failed = 0,
                            cancelled = accepted - created - updated - unchanged - superseded
                      WHERE account_id = $1 AND batch_id = $2",
                    vec![account_id.into(), batch_id.into(), now.into()],
                )
                .await?;
            }
            _ => return Ok(Change::Finished),
        }
        tx.commit_surely().await?;
        self.changed(account_id, batch_id).await.map(Change::Done)
    }

    /// Opens the parked chunks again, with their failures forgotten.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn retry_batch(
        &self,
        account_id: Uuid,
        batch_id: Uuid,
    ) -> Result<Change<Retried>, Error> {
        let mut tx = self.begin_long().await?;
        if !self.is_sqlite() {
            // In the order in which a cancel takes them.
            tx.rows(
                "SELECT chunk_no FROM import_chunk
                  WHERE account_id = $1 AND batch_id = $2 AND parked ORDER BY chunk_no DESC FOR UPDATE",
                vec![account_id.into(), batch_id.into()],
            )
            .await?;
        }
        let rows = tx
            .rows(
                "UPDATE import_chunk SET parked = false, failures = 0, retry_at = NULL, reason = NULL
                  WHERE account_id = $1 AND batch_id = $2 AND parked RETURNING records",
                vec![account_id.into(), batch_id.into()],
            )
            .await?;
        if status_for_update(&mut tx, account_id, batch_id)
            .await?
            .is_none()
        {
            return Ok(Change::NotFound);
        }
        if rows.is_empty() {
            return Ok(Change::Finished);
        }
        let mut records = 0;
        for row in &rows {
            records += get::<i64>(row, "records")?;
        }
        let chunks = i64::try_from(rows.len()).map_err(Error::broken)?;
        let updated = tx
            .row(
                "UPDATE import_batch
                    SET status = 'processing', open_chunks = open_chunks + $3, parked_chunks = parked_chunks - $3,
                        failed = failed - $4
                  WHERE account_id = $1 AND batch_id = $2 RETURNING lane",
                vec![account_id.into(), batch_id.into(), chunks.into(), records.into()],
            )
            .await?
            .ok_or(Error::Lost)?;
        let lane: String = get(&updated, "lane")?;
        tx.commit_surely().await?;
        Ok(Change::Done(Retried {
            batch: self.changed(account_id, batch_id).await?,
            lane: Lane::ALL
                .into_iter()
                .find(|known| known.as_str() == lane)
                .ok_or_else(|| Error::broken("a batch on an unknown lane"))?,
        }))
    }

    async fn changed(&self, account_id: Uuid, batch_id: Uuid) -> Result<Batch, Error> {
        self.batch(account_id, batch_id).await?.ok_or(Error::Lost)
    }
}

async fn status_for_update(
    tx: &mut Tx,
    account_id: Uuid,
    batch_id: Uuid,
) -> Result<Option<String>, Error> {
    let sql = tx.dialect(
        "SELECT status FROM import_batch
          WHERE account_id = $1 AND batch_id = $2 AND seq IS NOT NULL FOR NO KEY UPDATE",
        "SELECT status FROM import_batch WHERE account_id = $1 AND batch_id = $2 AND seq IS NOT NULL",
    );
    tx.row(sql, vec![account_id.into(), batch_id.into()])
        .await?
        .map(|row| get(&row, "status"))
        .transpose()
}
