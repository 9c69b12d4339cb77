//! The worker's ledger: claim a chunk ([`claim`]), finish it, or note how it failed ([`failure`]).
//!
//! A worker claims, stores and counts in one transaction. The row of a finished chunk is deleted, so a chunk can be claimed
//! only until then: every effect is exactly once.

use entity::import_chunk;
use sea_orm::{EntityTrait, FromQueryResult, Select};
use serde::Serialize;
use uuid::Uuid;

use crate::tx::{Sql, Statement, batch_row, statement, values};
use crate::{Error, Store, Tx};

pub use self::claim::Claim;
pub use self::failure::{FailureOutcome, MAX_FAILURES};

mod claim;
mod failure;

const DELETE_CHUNK: &Statement = statement!(
    "DELETE FROM import_chunk WHERE account_id = $1 AND batch_id = $2 AND chunk_no = $3"
);
const ADD_OUTCOMES: &Statement = statement!(
    "UPDATE import_batch
        SET created = created + $3, updated = updated + $4, unchanged = unchanged + $5,
            superseded = superseded + $6, staging = staging OR $7, open_chunks = open_chunks - 1,
            started_at = coalesce(started_at, $8),
            completed_at = CASE WHEN open_chunks = 1 AND parked_chunks = 0 THEN $9 ELSE completed_at END,
            status = CASE WHEN open_chunks > 1 THEN 'processing'
                          WHEN parked_chunks > 0 THEN 'stalled' ELSE 'completed' END
      WHERE account_id = $1 AND batch_id = $2"
);
const NOTE_START: &Statement = statement!(postgres:
    "WITH quiet AS (SELECT set_config('synchronous_commit', 'off', true))
     INSERT INTO import_start AS s
            (account_id, batch_id, chunk_no, worker_id, backend_pid, backend_start, starts)
     SELECT $1, $2, $3, $4, $5, $6, 1 FROM quiet
         ON CONFLICT (account_id, batch_id, chunk_no)
         DO UPDATE SET worker_id = $4, backend_pid = $5, backend_start = $6, starts = s.starts + 1"
);
const FORGET_STARTS: &Statement = statement!(
    "DELETE FROM import_start WHERE account_id = $1 AND batch_id = $2 AND chunk_no = $3"
);
const FORGET_START: &Statement = statement!(
    "DELETE FROM import_start WHERE account_id = $1 AND batch_id = $2 AND chunk_no = $3
        AND worker_id = $4 AND backend_pid = $5 AND backend_start = $6"
);

/// Starts without an end (each took its process with it) after which a chunk is parked.
pub const MAX_STARTS: i64 = 20;

batch_row! {
    /// One chunk of one batch.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, FromQueryResult)]
    pub struct ChunkId {
        account_id: Uuid,
        batch_id: Uuid,
        chunk_no: i64,
    }
}

impl ChunkId {
    /// Its row in the ledger.
    fn row(self) -> Select<import_chunk::Entity> {
        import_chunk::Entity::find_by_id((self.account_id, self.batch_id, self.chunk_no))
    }
}

/// What storing came to, in records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromQueryResult, Serialize)]
pub struct Outcomes {
    pub created: i64,
    pub updated: i64,
    pub unchanged: i64,
    /// A batch accepted later had already stored that docid, or the person was erased since.
    pub superseded: i64,
    /// Of a chunk: some docid was stored already, and the batch's other chunks will likely meet the same.
    #[sea_orm(skip)]
    #[serde(skip)]
    pub conflicted: bool,
}

impl Tx {
    /// Takes the chunk out of the ledger and adds its outcomes to the batch, which is completed (or stalled) by
    /// its last open chunk. The last thing before the COMMIT but for the rollup: the batch's row is shared.
    pub async fn finish_chunk(&mut self, claim: &Claim, outcomes: &Outcomes) -> Result<(), Error> {
        let id = claim.id;
        if self.delete_chunk(id).await? != 1 {
            return Err(Error::broken("a claimed chunk was not in the ledger"));
        }
        let now = self.now().await?;
        let values = values![
            id.account_id,
            id.batch_id,
            outcomes.created,
            outcomes.updated,
            outcomes.unchanged,
            outcomes.superseded,
            outcomes.conflicted,
            claim.claimed_at,
            now
        ];
        self.execute(ADD_OUTCOMES, values).await?;
        self.count_created(id.account_id, claim.day(), outcomes.created, now)
            .await
    }

    /// Takes the chunk out of the ledger, and who started on it. How many chunks that were.
    pub(crate) async fn delete_chunk(&self, id: ChunkId) -> Result<u64, Error> {
        self.forget_starts(id).await?;
        self.execute(DELETE_CHUNK, values![id]).await
    }

    /// Removes who started on a chunk.
    pub(crate) async fn forget_starts(&self, id: ChunkId) -> Result<(), Error> {
        self.execute(FORGET_STARTS, values![id]).await.map(drop)
    }
}

impl Store {
    /// Notes, beside the transaction that holds the claim, who started on it. Cheap: it does not wait for the disk.
    /// The embedded store has one process and one writer (busy with that very transaction): it keeps no starts.
    pub async fn note_start(&self, worker_id: Uuid, claim: &Claim) -> Result<(), Error> {
        if self.is_sqlite() {
            return Ok(());
        }
        let session = claim.session.as_ref();
        let values = values![
            claim.id,
            worker_id,
            session.map(|session| session.backend_pid),
            session.map(|session| session.backend_start),
        ];
        self.execute(NOTE_START, values).await.map(drop)
    }

    /// Takes this very start back: its worker lives, only the work came to nothing through no fault of the chunk.
    pub async fn forget_start(&self, worker_id: Uuid, claim: &Claim) -> Result<(), Error> {
        let Some(session) = &claim.session else {
            return Ok(());
        };
        let values = values![
            claim.id,
            worker_id,
            session.backend_pid,
            session.backend_start
        ];
        self.execute(FORGET_START, values).await.map(drop)
    }

    /// Whether a chunk is still to be done: what to ask after a COMMIT without an answer.
    pub async fn is_open(&self, id: ChunkId) -> Result<bool, Error> {
        Ok(id.row().one(self).await?.is_some())
    }
}
