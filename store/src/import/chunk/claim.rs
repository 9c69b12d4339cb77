//! Claiming: which accounts have due chunks, and one chunk of an account locked until the transaction ends.

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use domain::date_range::day_of;
use domain::message::Lane;
use sea_orm::{FromQueryResult, Value};
use uuid::Uuid;

use super::ChunkId;
use crate::tx::{Parsed, Sql, Statement, sqlite_now, statement, values};
use crate::{Error, Store, Tx};

/// A chunk that this transaction holds, with all that storing it needs.
#[derive(Clone, Debug, FromQueryResult)]
pub struct Claim {
    #[sea_orm(nested)]
    pub id: ChunkId,
    pub records: i64,
    /// The batch's place in the account's order of acceptance.
    pub seq: i64,
    /// The batch met docids that were stored already.
    pub staging: bool,
    /// A batch accepted earlier still has chunks to store, or recipients whose erasure was asked for earlier.
    pub older_open: bool,
    /// Starts recorded before this one that came to no end.
    pub starts: i64,
    /// As [`QueueBatch`](crate::import::QueueBatch) had it.
    pub request_id: String,
    /// The campaign that gets a message to each recipient of the import.
    pub campaign_id: Option<Uuid>,
    /// As `domain::chunk` encodes it.
    pub payload: Vec<u8>,
    /// The database's clock at the claim.
    pub claimed_at: DateTime<Utc>,
    /// Of the account.
    time_zone: Parsed<Tz>,
    /// `None` where the role may not see it: then a frozen owner is only found by the server's own limits.
    #[sea_orm(nested)]
    pub(super) session: Option<Session>,
}

/// A session of the database, as the server names it: its process and its start.
#[derive(Clone, Debug, FromQueryResult)]
pub(super) struct Session {
    pub(super) backend_pid: i64,
    pub(super) backend_start: DateTime<Utc>,
}

impl Claim {
    /// The day of the claim, in the account's time zone.
    pub(in crate::import) fn day(&self) -> NaiveDate {
        day_of(self.claimed_at, self.time_zone.0)
    }
}

/// The statement that claims the first due chunk of some batches. Its first parameter is that of [`Tx::claim_parameter`]. On Citus,
/// which locks nothing where tables of several nodes meet, it returns the chunk's id alone.
macro_rules! claim {
    (postgres: $batches:literal, $chunks:literal) => {
        // Batch after batch and chunk after chunk, until one is locked. The limit is a parameter, which the planner takes
        // for a small part, so it walks the index. Else it would sort all batches of the account.
        claim!(
            "SELECT c.*, b.seq, b.staging, b.request_id, b.campaign_id
               FROM (SELECT account_id, batch_id, seq, staging, request_id, campaign_id FROM import_batch b
                      WHERE b.status IN ('queued', 'processing') AND ", $batches, " ORDER BY seq LIMIT $1) b
              CROSS JOIN LATERAL (
                    SELECT account_id, batch_id, chunk_no, records FROM import_chunk c
                     WHERE c.account_id = b.account_id AND c.batch_id = b.batch_id AND NOT c.parked
                       AND (c.retry_at IS NULL OR c.retry_at <= clock_timestamp()) ", $chunks, "
                     ORDER BY c.chunk_no LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) c LIMIT 1";
            "clock_timestamp() AS claimed_at, CAST(pg_backend_pid() AS bigint) AS backend_pid,
             (SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()) AS backend_start"
        )
    };
    (citus: $batches:literal, $chunks:literal) => {
        concat!(
            "SELECT c.account_id, c.batch_id, c.chunk_no
               FROM (SELECT batch_id FROM import_batch b
                      WHERE b.status IN ('queued', 'processing') AND ", $batches, " ORDER BY seq LIMIT $1) b
              CROSS JOIN LATERAL (
                    SELECT account_id, batch_id, chunk_no FROM import_chunk c
                     WHERE c.account_id = $2 AND c.batch_id = b.batch_id AND NOT c.parked
                       AND (c.retry_at IS NULL OR c.retry_at <= clock_timestamp()) ", $chunks, "
                     ORDER BY c.chunk_no LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) c LIMIT 1"
        )
    };
    (sqlite: $batches:literal, $chunks:literal) => {
        claim!(
            "SELECT c.account_id, c.batch_id, c.chunk_no, c.records, b.seq, b.staging, b.request_id,
                    b.campaign_id
               FROM import_batch b CROSS JOIN import_chunk c ON c.account_id = b.account_id AND c.batch_id = b.batch_id
              WHERE b.status IN ('queued', 'processing') AND NOT c.parked AND (c.retry_at IS NULL OR c.retry_at <= $1)
                AND ", $batches, " ", $chunks, " ORDER BY b.seq LIMIT 1";
            "$1 AS claimed_at, NULL AS backend_pid, NULL AS backend_start"
        )
    };
    ($($chunk:literal),+; $holder:literal) => {
        concat!(
            "SELECT c.*, a.time_zone, p.payload, coalesce(s.starts, 0) AS starts,
                    EXISTS (SELECT 1 FROM import_batch o WHERE o.account_id = c.account_id AND o.seq < c.seq
                               AND o.status IN ('queued', 'processing', 'stalled'))
                 OR EXISTS (SELECT 1 FROM import_batch o WHERE o.account_id = c.account_id AND o.erase_seq < c.seq
                               AND o.erase_seq IS NOT NULL) AS older_open,
                    ", $holder, "
               FROM (", $($chunk),+, ") c
               JOIN account a ON a.account_id = c.account_id
               JOIN import_payload p
                 ON p.account_id = c.account_id AND p.batch_id = c.batch_id AND p.chunk_no = c.chunk_no
               LEFT JOIN import_start s
                 ON s.account_id = c.account_id AND s.batch_id = c.batch_id AND s.chunk_no = c.chunk_no"
        )
    };
}
const CLAIM_CHUNK: &Statement = statement!(
    postgres: claim!(postgres: "b.account_id = $2 AND b.batch_id = $3", "AND c.chunk_no = $4");
    citus: claim!(citus: "b.account_id = $2 AND b.batch_id = $3", "AND c.chunk_no = $4");
    sqlite: claim!(sqlite: "b.account_id = $2 AND b.batch_id = $3", "AND c.chunk_no = $4")
);
const CLAIM_DUE: &Statement = statement!(
    postgres: claim!(postgres: "b.account_id = $2 AND b.lane = $3", "");
    citus: claim!(citus: "b.account_id = $2 AND b.lane = $3", "");
    sqlite: claim!(sqlite: "b.account_id = $2 AND b.lane = $3", "")
);

/// A chunk that is locked.
const LOCKED: &Statement = statement!(citus:
    "SELECT c.account_id, c.batch_id, c.chunk_no, c.records, b.seq, b.staging, b.request_id, b.campaign_id, p.payload,
            EXISTS (SELECT 1 FROM import_batch o WHERE o.account_id = $1 AND o.seq < b.seq
                       AND o.status IN ('queued', 'processing', 'stalled'))
         OR EXISTS (SELECT 1 FROM import_batch o WHERE o.account_id = $1 AND o.erase_seq < b.seq
                       AND o.erase_seq IS NOT NULL) AS older_open, held.*
       FROM import_batch b
       JOIN import_chunk c ON c.account_id = b.account_id AND c.batch_id = b.batch_id
       JOIN import_payload p ON p.account_id = c.account_id AND p.batch_id = c.batch_id AND p.chunk_no = c.chunk_no
      CROSS JOIN (
            SELECT a.time_zone, coalesce(s.starts, 0) AS starts, clock_timestamp() AS claimed_at,
                   CAST(pg_backend_pid() AS bigint) AS backend_pid,
                   (SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()) AS backend_start
              FROM account a
              LEFT JOIN import_start s ON s.account_id = a.account_id AND s.batch_id = $2 AND s.chunk_no = $3
             WHERE a.account_id = $1) held
      WHERE b.account_id = $1 AND c.batch_id = $2 AND c.chunk_no = $3"
);

/// The accounts with open chunks on a lane, found one after the other: of an account with ten thousand batches the index
/// is read once.
macro_rules! accounts {
    () => {
        "WITH RECURSIVE found (account_id) AS (
            SELECT (SELECT account_id FROM import_batch
                     WHERE lane = $1 AND status IN ('queued', 'processing') ORDER BY account_id LIMIT 1)
             UNION ALL
            SELECT (SELECT b.account_id FROM import_batch b
                     WHERE b.lane = $1 AND b.status IN ('queued', 'processing') AND b.account_id > found.account_id
                     ORDER BY b.account_id LIMIT 1)
              FROM found WHERE found.account_id IS NOT NULL)
         SELECT account_id FROM found WHERE account_id IS NOT NULL"
    };
}
const ACCOUNTS: &Statement = statement!(postgres: accounts!(); citus:
    "SELECT DISTINCT account_id FROM import_batch WHERE lane = $1 AND status IN ('queued', 'processing')
        AND account_id = ANY($2) ORDER BY account_id";
    sqlite: accounts!()
);

impl Store {
    /// The accounts with chunks on a lane that are not stored. Some may not be due yet, or held by workers.
    pub async fn accounts_with_chunks(&self, lane: Lane) -> Result<Vec<Uuid>, Error> {
        self.scan_values(ACCOUNTS, values![lane.into_str()]).await
    }
}

impl Tx {
    /// Claims one chunk. `None`: it is finished, parked, cancelled, not due yet, or another worker holds it.
    pub async fn claim_chunk(&mut self, id: ChunkId) -> Result<Option<Claim>, Error> {
        let values = values![self.claim_parameter(), id];
        self.claim(CLAIM_CHUNK, values).await
    }

    /// Claims a due chunk of the account's first batch on a lane that has one. `None`: there is none, or other workers hold
    /// them.
    pub async fn claim_due(
        &mut self,
        account_id: Uuid,
        lane: Lane,
    ) -> Result<Option<Claim>, Error> {
        let values = values![self.claim_parameter(), account_id, lane.into_str()];
        self.claim(CLAIM_DUE, values).await
    }

    async fn claim(
        &self,
        statement: &'static Statement,
        values: Vec<Value>,
    ) -> Result<Option<Claim>, Error> {
        if !self.is_distributed() {
            return self.fetch_one(statement, values).await;
        }
        match self.fetch_one::<ChunkId>(statement, values).await? {
            Some(locked) => self.fetch_one(LOCKED, values![locked]).await,
            None => Ok(None),
        }
    }

    /// PostgreSQL and Citus: a limit that is none. SQLite: the time.
    fn claim_parameter(&self) -> Value {
        if self.is_sqlite() {
            sqlite_now().into()
        } else {
            i64::MAX.into()
        }
    }
}
