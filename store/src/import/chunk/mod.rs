//! The worker's ledger: claim a chunk, finish it, or note how it failed ([`failure`]).
//!
//! A worker claims, stores and counts in one transaction. A finished chunk's row is gone, so a chunk that is
//! announced twice finds nothing to claim the second time: every effect is exactly once.

use chrono::{DateTime, SubsecRound, Utc};
use chrono_tz::Tz;
use sea_orm::QueryResult;
use uuid::Uuid;

use crate::tx::get;
use crate::{Error, Store, Tx};

pub use self::failure::{MAX_FAILURES, Noted};

mod failure;

/// Starts without an end (each took its process with it) after which a chunk is parked.
pub const MAX_STARTS: i64 = 20;

/// One chunk of one batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChunkId {
    pub account_id: Uuid,
    pub batch_id: Uuid,
    pub chunk_no: i64,
}

impl ChunkId {
    fn values(self) -> Vec<sea_orm::Value> {
        vec![
            self.account_id.into(),
            self.batch_id.into(),
            self.chunk_no.into(),
        ]
    }
}

/// A chunk that this transaction holds, with all that storing it needs.
#[derive(Clone, Debug)]
pub struct Claim {
    pub id: ChunkId,
    pub records: i64,
    /// The batch's place in the account's order of acceptance.
    pub seq: i64,
    /// The account's.
    pub time_zone: Tz,
    /// The batch met docids that were stored already.
    pub staging: bool,
    /// A batch accepted earlier still has chunks to store.
    pub older_open: bool,
    /// Starts recorded before this one that came to no end.
    pub starts: i64,
    pub request_id: String,
    /// As `domain::chunk` encodes it.
    pub payload: Vec<u8>,
    /// The database's clock at the claim.
    pub claimed_at: DateTime<Utc>,
    session: Option<Session>,
}

/// What became of a chunk's records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    pub created: i64,
    pub updated: i64,
    pub unchanged: i64,
    /// A batch accepted later had stored the docid, or the person was erased since.
    pub superseded: i64,
    /// Some docid was stored already: the batch's other chunks will likely meet the same.
    pub conflicted: bool,
}

/// The database session that holds a claim, as the server names it.
#[derive(Clone, Copy, Debug)]
struct Session {
    pid: i64,
    start: DateTime<Utc>,
}

macro_rules! claim_sql {
    (postgres, $where:literal, $tail:literal) => {
        concat!(
            "SELECT c.account_id, c.batch_id, c.chunk_no, c.records, b.seq, b.staging, b.request_id, a.time_zone,
                    p.payload, coalesce(s.starts, 0) AS starts,
                    EXISTS (SELECT 1 FROM import_batch o WHERE o.account_id = b.account_id AND o.seq < b.seq
                               AND o.status IN ('queued', 'processing', 'stalled')) AS older_open,
                    clock_timestamp() AS claimed_at, CAST(pg_backend_pid() AS bigint) AS backend_pid,
                    (SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()) AS backend_start
               FROM import_chunk c
               JOIN import_batch b ON b.account_id = c.account_id AND b.batch_id = c.batch_id
               JOIN account a ON a.account_id = c.account_id
               JOIN import_payload p ON p.account_id = c.account_id AND p.batch_id = c.batch_id AND p.chunk_no = c.chunk_no
               LEFT JOIN import_start s
                      ON s.account_id = c.account_id AND s.batch_id = c.batch_id AND s.chunk_no = c.chunk_no
              WHERE NOT c.parked AND b.status IN ('queued', 'processing')
                AND (c.retry_at IS NULL OR c.retry_at <= clock_timestamp()) AND ",
            $where, " ", $tail, " FOR NO KEY UPDATE OF c SKIP LOCKED"
        )
    };
    (sqlite, $where:literal, $tail:literal) => {
        concat!(
            "SELECT c.account_id, c.batch_id, c.chunk_no, c.records, b.seq, b.staging, b.request_id, a.time_zone,
                    p.payload, coalesce(s.starts, 0) AS starts,
                    EXISTS (SELECT 1 FROM import_batch o WHERE o.account_id = b.account_id AND o.seq < b.seq
                               AND o.status IN ('queued', 'processing', 'stalled')) AS older_open
               FROM import_chunk c
               JOIN import_batch b ON b.account_id = c.account_id AND b.batch_id = c.batch_id
               JOIN account a ON a.account_id = c.account_id
               JOIN import_payload p ON p.account_id = c.account_id AND p.batch_id = c.batch_id AND p.chunk_no = c.chunk_no
               LEFT JOIN import_start s
                      ON s.account_id = c.account_id AND s.batch_id = c.batch_id AND s.chunk_no = c.chunk_no
              WHERE NOT c.parked AND b.status IN ('queued', 'processing')
                AND (c.retry_at IS NULL OR c.retry_at <= $1) AND ",
            $where, " ", $tail
        )
    };
}

impl Tx {
    /// Claims one chunk. `None`: it is finished, parked, cancelled, not due yet, or another worker holds it.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn claim_chunk(&mut self, id: ChunkId) -> Result<Option<Claim>, Error> {
        let now = Utc::now().trunc_subsecs(6);
        let sql = self.dialect(
            claim_sql!(
                postgres,
                "c.account_id = $1 AND c.batch_id = $2 AND c.chunk_no = $3",
                ""
            ),
            claim_sql!(
                sqlite,
                "c.account_id = $2 AND c.batch_id = $3 AND c.chunk_no = $4",
                ""
            ),
        );
        let mut values = id.values();
        if self.is_sqlite() {
            values.insert(0, now.into());
        }
        self.claim(sql, values, now).await
    }

    /// Claims whichever chunk is due on a lane, the batch queued first before the others.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn claim_due(&mut self, lane: domain::message::Lane) -> Result<Option<Claim>, Error> {
        let now = Utc::now().trunc_subsecs(6);
        let sql = self.dialect(
            claim_sql!(
                postgres,
                "b.lane = $1",
                "ORDER BY b.queued_at, c.chunk_no LIMIT 1"
            ),
            claim_sql!(
                sqlite,
                "b.lane = $2",
                "ORDER BY b.queued_at, c.chunk_no LIMIT 1"
            ),
        );
        let mut values = vec![lane.as_str().into()];
        if self.is_sqlite() {
            values.insert(0, now.into());
        }
        self.claim(sql, values, now).await
    }

    async fn claim(
        &mut self,
        sql: &'static str,
        values: Vec<sea_orm::Value>,
        now: DateTime<Utc>,
    ) -> Result<Option<Claim>, Error> {
        let Some(row) = self.row(sql, values).await? else {
            return Ok(None);
        };
        let time_zone: String = get(&row, "time_zone")?;
        let (claimed_at, session) = if self.is_sqlite() {
            (now, None)
        } else {
            (get(&row, "claimed_at")?, session_of(&row)?)
        };
        Ok(Some(Claim {
            id: ChunkId {
                account_id: get(&row, "account_id")?,
                batch_id: get(&row, "batch_id")?,
                chunk_no: get(&row, "chunk_no")?,
            },
            records: get(&row, "records")?,
            seq: get(&row, "seq")?,
            time_zone: time_zone.parse().map_err(Error::broken)?,
            staging: get(&row, "staging")?,
            older_open: get(&row, "older_open")?,
            starts: get(&row, "starts")?,
            request_id: get(&row, "request_id")?,
            payload: get(&row, "payload")?,
            claimed_at,
            session,
        }))
    }

    /// Takes the chunk out of the ledger and adds its outcomes to the batch, which is completed (or stalled) by
    /// its last open chunk. The last thing before the COMMIT but for the rollup: the batch's row is shared.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn finish_chunk(&mut self, claim: &Claim, outcomes: &Outcomes) -> Result<(), Error> {
        let id = claim.id;
        self.execute(
            "DELETE FROM import_start WHERE account_id = $1 AND batch_id = $2 AND chunk_no = $3",
            id.values(),
        )
        .await?;
        let gone = self
            .execute(
                "DELETE FROM import_chunk WHERE account_id = $1 AND batch_id = $2 AND chunk_no = $3",
                id.values(),
            )
            .await?;
        if gone != 1 {
            return Err(Error::broken("a claimed chunk was not in the ledger"));
        }
        let now = self.now().await?;
        let mut values: Vec<sea_orm::Value> = vec![id.account_id.into(), id.batch_id.into()];
        values.extend::<[sea_orm::Value; 7]>([
            outcomes.created.into(),
            outcomes.updated.into(),
            outcomes.unchanged.into(),
            outcomes.superseded.into(),
            outcomes.conflicted.into(),
            claim.claimed_at.into(),
            now.into(),
        ]);
        self.execute(
            "UPDATE import_batch
                SET created = created + $3, updated = updated + $4, unchanged = unchanged + $5,
                    superseded = superseded + $6, staging = staging OR $7, open_chunks = open_chunks - 1,
                    started_at = coalesce(started_at, $8),
                    completed_at = CASE WHEN open_chunks = 1 AND parked_chunks = 0 THEN $9 END,
                    status = CASE WHEN open_chunks > 1 THEN 'processing'
                                  WHEN parked_chunks > 0 THEN 'stalled' ELSE 'completed' END
              WHERE account_id = $1 AND batch_id = $2",
            values,
        )
        .await?;
        self.count_created(
            id.account_id,
            domain::date_range::day_of(claim.claimed_at, claim.time_zone),
            outcomes.created,
            now,
        )
        .await
    }
}

fn session_of(row: &QueryResult) -> Result<Option<Session>, Error> {
    // Null where the role may not see it: then a frozen owner is only found by the server's own limits.
    let start: Option<DateTime<Utc>> = get(row, "backend_start")?;
    let pid = get(row, "backend_pid")?;
    Ok(start.map(|start| Session { pid, start }))
}

impl Store {
    /// Notes, beside the transaction that holds the claim, who started on it. Cheap: it does not wait for the disk.
    /// The embedded store has one process and one writer (busy with that very transaction): it keeps no starts.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn note_start(&self, worker_id: Uuid, claim: &Claim) -> Result<(), Error> {
        if self.is_sqlite() {
            return Ok(());
        }
        let mut values = claim.id.values();
        values.extend::<[sea_orm::Value; 3]>([
            worker_id.into(),
            claim.session.map(|s| s.pid).into(),
            claim.session.map(|s| s.start).into(),
        ]);
        self.execute(
            "WITH quiet AS (SELECT set_config('synchronous_commit', 'off', true))
             INSERT INTO import_start AS s
                    (account_id, batch_id, chunk_no, worker_id, backend_pid, backend_start, starts)
             SELECT $1, $2, $3, $4, $5, $6, 1 FROM quiet
                 ON CONFLICT (account_id, batch_id, chunk_no)
                 DO UPDATE SET worker_id = $4, backend_pid = $5, backend_start = $6, starts = s.starts + 1",
            values,
        )
        .await?;
        Ok(())
    }

    /// Takes this very start back: its worker lives, only the work came to nothing through no fault of the chunk.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn forget_start(&self, worker_id: Uuid, claim: &Claim) -> Result<(), Error> {
        let Some(session) = claim.session else {
            return Ok(());
        };
        let mut values = claim.id.values();
        values.extend::<[sea_orm::Value; 3]>([
            worker_id.into(),
            session.pid.into(),
            session.start.into(),
        ]);
        self.execute(
            "DELETE FROM import_start WHERE account_id = $1 AND batch_id = $2 AND chunk_no = $3
                AND worker_id = $4 AND backend_pid = $5 AND backend_start = $6",
            values,
        )
        .await?;
        Ok(())
    }

    /// Whether a chunk is still to be done: what to ask after a COMMIT without an answer.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn is_open(&self, id: ChunkId) -> Result<bool, Error> {
        let rows = self
            .rows(
                "SELECT 1 FROM import_chunk WHERE account_id = $1 AND batch_id = $2 AND chunk_no = $3",
                id.values(),
            )
            .await?;
        Ok(!rows.is_empty())
    }
}
