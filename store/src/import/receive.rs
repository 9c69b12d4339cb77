//! The way in: a body's chunks under a batch that is still `receiving`, and the one commit that accepts it.
//!
//! Nothing is promised before that commit, so commits of chunks do not wait for the disk (PostgreSQL's
//! `synchronous_commit = off`). The commit to `queued` waits, and with it everything before it in the log. If the server
//! crashes in between, the counts do not match and the attempt is refused.

use domain::message::Lane;
use domain::record::KeptError;
use sea_orm::FromQueryResult;

use super::attempt::{ImportAttempt, still_held};
use super::batch::compressed_errors;
use super::idempotency::FirstAnswer;
use crate::tx::{Sql, Statement, statement, values};
use crate::{Error, Store};

const BEGIN_BATCH: &Statement = statement!(
    "INSERT INTO import_batch (account_id, batch_id, attempt, status, heartbeat_at, created_at, campaign_id, name, made_by, made_from)
     VALUES ($1, $2, $3, 'receiving', $4, $4, $5, $6, $7, $8)"
);
const BATCH_HEARTBEAT: &Statement = statement!(
    "UPDATE import_batch SET heartbeat_at = $4
      WHERE account_id = $1 AND batch_id = $2 AND attempt = $3"
);
const KEY_HEARTBEAT: &Statement = statement!(
    "UPDATE idempotency SET heartbeat_at = $4
      WHERE account_id = $1 AND idempotency_key = $2 AND attempt = $3"
);
const ADD_CHUNK: &Statement = statement!(
    "INSERT INTO import_chunk (account_id, batch_id, chunk_no, records)
     SELECT account_id, batch_id, $4, $5 FROM import_batch
      WHERE account_id = $1 AND batch_id = $2 AND attempt = $3 AND status = 'receiving'"
);
const ADD_PAYLOAD: &Statement = statement!(
    "INSERT INTO import_payload (account_id, batch_id, chunk_no, payload) VALUES ($1, $2, $3, $4)"
);
const ADD_ERRORS: &Statement = statement!(
    "INSERT INTO import_error (account_id, batch_id, first, errors, block)
     SELECT account_id, batch_id, $4, $5, $6 FROM import_batch
      WHERE account_id = $1 AND batch_id = $2 AND attempt = $3 AND status = 'receiving'"
);
const STORED_CHUNKS: &Statement = statement!(
    "SELECT count(*) AS chunks, CAST(coalesce(sum(records), 0) AS bigint) AS records
       FROM import_chunk WHERE account_id = $1 AND batch_id = $2"
);
const CAMPAIGN_IS_OPEN: &Statement = statement!(lock "FOR SHARE OF c":
    "SELECT c.status IN ('RUNNING', 'PAUSED') AND NOT c.finishing
       FROM import_batch b JOIN campaign c ON c.account_id = b.account_id AND c.campaign_id = b.campaign_id
      WHERE b.account_id = $1 AND b.batch_id = $2"
);

macro_rules! draw {
    () => {
        "UPDATE import_counter SET seq = seq + 1 WHERE account_id = $1"
    };
}
macro_rules! queue {
    ($drawn:literal, $from:literal) => {
        concat!(
            "UPDATE import_batch
                SET status = 'queued', seq = ", $drawn, ", queued_at = $4, received = $5, accepted = $6, rejected = $7,
                    open_chunks = $8, lane = $9, request_id = $10, errors_dropped = $11, merged = $12 ", $from, "
              WHERE account_id = $1 AND batch_id = $2 AND attempt = $3 AND status = 'receiving'"
        )
    };
}
const DRAW: &Statement = statement!(sqlite: draw!());
/// Makes a batch `queued`, at the next place in the account's order of acceptance. SQLite draws the place by itself.
const QUEUE: &Statement = statement!(
    postgres: "WITH drawn AS (", draw!(), " RETURNING seq) ", queue!("drawn.seq", "FROM drawn");
    sqlite: queue!("(SELECT seq FROM import_counter WHERE account_id = $1)", "")
);

/// The place of a batch that is queued.
const QUEUED: &Statement = statement!(
    "SELECT seq FROM import_batch
      WHERE account_id = $1 AND batch_id = $2 AND attempt = $3 AND seq IS NOT NULL"
);
const DROP_BATCH: &Statement = statement!(
    "DELETE FROM import_batch
      WHERE account_id = $1 AND batch_id = $2 AND attempt = $3 AND status = 'receiving'"
);
const FREE_KEY: &Statement = statement!(
    "DELETE FROM idempotency
      WHERE account_id = $1 AND idempotency_key = $2 AND attempt = $3 AND status IS NULL"
);

/// The stored chunks of a batch.
#[derive(PartialEq, Eq, FromQueryResult)]
struct StoredChunks {
    chunks: i64,
    records: i64,
}

/// How an import is cut for a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkCut {
    /// Records to a chunk.
    pub chunk_records: usize,
    /// Records that are sorted together before they are cut into chunks.
    pub run_records: usize,
}

/// What an attempt claims to have stored, and how it will answer.
#[derive(Debug)]
pub struct QueueBatch<'a> {
    pub received: i64,
    pub accepted: i64,
    pub rejected: i64,
    pub merged: i64,
    /// Record errors that are not kept.
    pub errors_dropped: i64,
    pub chunks: i64,
    /// And its trace, for the workers.
    pub request_id: &'a str,
    pub first_answer: Option<FirstAnswer<'a>>,
}

impl QueueBatch<'_> {
    /// The lane on which a batch of so many chunks is worked: small ones never wait behind giants.
    pub fn lane(&self) -> Lane {
        if self.chunks <= 1 {
            Lane::Small
        } else {
            Lane::Bulk
        }
    }
}

impl Store {
    /// How an import is cut for this database. A chunk is one short transaction. SQLite has one writer, and answers
    /// wait behind it. What a transaction costs is the pages that it touches, so a long run is sorted first (measured, docids in
    /// random order: a million on SQLite in 6.5 s instead of 22 s, the tenth million on PostgreSQL in 5.2 s instead of 11.2 s).
    pub fn chunk_cut(&self) -> ChunkCut {
        ChunkCut {
            chunk_records: if self.is_sqlite() { 1_000 } else { 5_000 },
            run_records: 50_000,
        }
    }

    /// Opens a batch for an attempt, whose recipients get messages of a campaign if there is one.
    pub async fn begin_batch(&self, attempt: &ImportAttempt) -> Result<(), Error> {
        // One that is left half received is swept.
        self.note_work(attempt.account_id).await?;
        let now = self.now().await?;
        let values = values![
            attempt,
            now,
            attempt.campaign_id,
            attempt.name.clone(),
            attempt.made_by.clone(),
            attempt.made_from.clone(),
        ];
        self.execute(BEGIN_BATCH, values).await.map(drop)
    }

    /// Says that the attempt is alive. `false`: its key was taken over.
    pub async fn record_import_heartbeat(&self, attempt: &ImportAttempt) -> Result<bool, Error> {
        let now = self.now().await?;
        self.execute(BATCH_HEARTBEAT, values![attempt, now]).await?;
        let Some(mut reservation) = attempt.reservation() else {
            return Ok(true);
        };
        reservation.push(now.into());
        Ok(self.execute(KEY_HEARTBEAT, reservation).await? == 1)
    }

    /// Stores one chunk of a receiving batch.
    ///
    /// # Errors
    /// [`Error::Lost`] when the batch is no longer this attempt's.
    pub async fn add_chunk(
        &self,
        attempt: &ImportAttempt,
        chunk_no: i64,
        records: i64,
        payload: Vec<u8>,
    ) -> Result<(), Error> {
        let (account_id, batch_id) = (attempt.account_id, attempt.batch_id);
        let tx = self.begin_unsynced().await?;
        let stored = tx.execute(ADD_CHUNK, values![attempt, chunk_no, records]);
        still_held(stored.await.map_err(Error::lost_with_its_batch)?)?;
        tx.execute(
            ADD_PAYLOAD,
            values![account_id, batch_id, chunk_no, payload],
        )
        .await?;
        tx.commit_surely().await
    }

    /// Stores one block of record errors; `first` is the ordinal of its first error in the batch.
    ///
    /// # Errors
    /// [`Error::Lost`] when the batch is no longer this attempt's.
    pub async fn add_errors(
        &self,
        attempt: &ImportAttempt,
        first: i64,
        errors: &[KeptError],
    ) -> Result<(), Error> {
        let block = compressed_errors(errors)?;
        let count = i64::try_from(errors.len()).map_err(Error::broken)?;
        let tx = self.begin_unsynced().await?;
        let stored = tx.execute(ADD_ERRORS, values![attempt, first, count, block]);
        still_held(stored.await.map_err(Error::lost_with_its_batch)?)?;
        tx.commit_surely().await
    }

    /// Accepts a batch: one commit to `queued`, after which every accepted record will be stored exactly once.
    ///
    /// # Errors
    /// [`Error::Lost`] when the attempt was taken over, or what is stored is not what it claims; [`Error::CampaignEnded`].
    pub async fn queue_batch(
        &self,
        attempt: &ImportAttempt,
        batch: &QueueBatch<'_>,
    ) -> Result<(), Error> {
        let (account_id, batch_id) = (attempt.account_id, attempt.batch_id);
        let tx = self.begin_long().await?;
        tx.note_work(account_id).await?;
        tx.answer_first(attempt, batch.first_answer).await?;
        let key = values![account_id, batch_id];
        let stored = tx.fetch_one(STORED_CHUNKS, key.clone()).await?;
        let claimed = StoredChunks {
            chunks: batch.chunks,
            records: batch.accepted,
        };
        if stored != Some(claimed) {
            return Err(Error::Lost);
        }
        let is_open = tx.fetch_value(CAMPAIGN_IS_OPEN, key);
        if is_open.await? == Some(false) {
            return Err(Error::CampaignEnded);
        }
        let now = tx.now().await?;
        if tx.is_sqlite() {
            tx.execute(DRAW, values![account_id]).await?;
        }
        let values = values![
            attempt,
            now,
            batch.received,
            batch.accepted,
            batch.rejected,
            batch.chunks,
            batch.lane().into_str(),
            batch.request_id,
            batch.errors_dropped,
            batch.merged,
        ];
        still_held(tx.execute(QUEUE, values).await?)?;
        tx.commit_or_ask(async {
            let queued: Option<i64> = self.fetch_value(QUEUED, values![attempt]).await?;
            Ok(queued.is_some())
        })
        .await
    }

    /// Refuses a batch whose records were refused: it goes, the answer stays under its key.
    ///
    /// # Errors
    /// [`Error::Lost`] when the attempt was taken over.
    pub async fn refuse_batch(
        &self,
        attempt: &ImportAttempt,
        first_answer: Option<FirstAnswer<'_>>,
    ) -> Result<(), Error> {
        let tx = self.begin_long().await?;
        tx.answer_first(attempt, first_answer).await?;
        tx.execute(DROP_BATCH, values![attempt]).await?;
        tx.commit_surely().await
    }

    /// Forgets an attempt that came to nothing (broken body, dead client): its batch and its reservation go.
    pub async fn abandon_batch(&self, attempt: &ImportAttempt) -> Result<(), Error> {
        let tx = self.begin_long().await?;
        if let Some(reservation) = attempt.reservation() {
            tx.execute(FREE_KEY, reservation).await?;
        }
        tx.execute(DROP_BATCH, values![attempt]).await?;
        tx.commit_surely().await
    }
}
