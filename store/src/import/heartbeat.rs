//! Who is alive. A worker that is frozen in the middle of a transaction keeps its locks, and no limit of the server
//! ends a session that waits for its client in the middle of a COPY: another worker ends it.
//!
//! And whether the database still has what was committed to it: heartbeats do not wait for the disk, pulses do.

use chrono::{DateTime, Utc};
use sea_orm::FromQueryResult;
use uuid::Uuid;

use crate::tx::{Sql, Statement, statement, values};
use crate::{Error, Store};

const HEARTBEAT: &Statement = statement!(postgres:
    "WITH quiet AS (SELECT set_config('synchronous_commit', 'off', true))
     INSERT INTO worker_heartbeat (worker_id, heartbeat_at) SELECT $1, clock_timestamp() FROM quiet
         ON CONFLICT (worker_id) DO UPDATE SET heartbeat_at = clock_timestamp()"
);
/// Behind a pooler others use the session after it: a transaction that began later than its last heartbeats is theirs.
const END_FROZEN: &Statement = statement!(postgres:
    "SELECT pg_terminate_backend(a.pid)
       FROM import_start s
       JOIN pg_stat_activity a ON a.pid = s.backend_pid AND a.backend_start = s.backend_start
       LEFT JOIN worker_heartbeat w ON w.worker_id = s.worker_id
      WHERE s.worker_id <> $1 AND a.state <> 'idle'
        AND (w.heartbeat_at IS NULL OR a.xact_start < w.heartbeat_at + interval '7 seconds')
        AND (w.heartbeat_at IS NULL OR w.heartbeat_at < clock_timestamp() - interval '8 seconds')"
);
const PULSE: &Statement = statement!(postgres:
    "WITH found AS (SELECT heartbeat_at FROM worker_heartbeat WHERE worker_id = $1)
     INSERT INTO worker_heartbeat AS w (worker_id, heartbeat_at) VALUES ($1, clock_timestamp())
         ON CONFLICT (worker_id) DO UPDATE SET heartbeat_at = clock_timestamp()
     RETURNING w.heartbeat_at AS at, (SELECT heartbeat_at FROM found) AS found"
);

/// A moment that was committed, and the one that was there before.
#[derive(Clone, Copy, Debug, FromQueryResult)]
pub struct Pulse {
    pub at: DateTime<Utc>,
    /// If it is older than the last one that was committed, the database lost that.
    pub found: Option<DateTime<Utc>>,
}

impl Store {
    /// Commits a moment as durably as all that is promised, under an id that nothing else has. `None`: the database is embedded.
    ///
    /// # Errors
    /// It may have been committed.
    pub async fn record_pulse(&self, id: Uuid) -> Result<Option<Pulse>, Error> {
        if self.is_sqlite() {
            return Ok(None);
        }
        let tx = self.begin().await?;
        let pulse = tx.fetch_one(PULSE, values![id]).await?;
        tx.commit_surely().await?;
        Ok(pulse)
    }

    /// Says that a worker is alive. Cheap: it does not wait for the disk.
    pub async fn record_worker_heartbeat(&self, worker_id: Uuid) -> Result<(), Error> {
        if self.is_sqlite() {
            return Ok(());
        }
        self.execute(HEARTBEAT, values![worker_id]).await.map(drop)
    }

    /// Ends the sessions of workers (other than this one) that hold a chunk and have been silent for 8 s. Their
    /// transactions roll back, and the chunks are free again. How many it ended.
    pub async fn free_frozen(&self, worker_id: Uuid) -> Result<usize, Error> {
        if self.is_sqlite() {
            return Ok(0);
        }
        let ended: Vec<bool> = self.fetch_values(END_FROZEN, values![worker_id]).await?;
        Ok(ended.len())
    }
}
