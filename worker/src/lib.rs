//! The worker: everything that happens after an answer was given.
//!
//! # Layout
//! - [`store_chunk`]: the job that stores one chunk of an import. One transaction, a free function that tests step.
//! - [`roll_up`]: the job that adds pending counts to the rollups, and its loop.
//! - [`refresh`]: the job that rewrites what reports read from the cache, and its loop.
//! - [`lanes`]: the loops that take chunks from the queue, and from the ledger when the queue is silent.
//! - `notifications`: the lane of notifications for roll-ups and refreshes.
//! - [`housekeeping`]: heartbeats, ending the sessions of frozen workers, clearing what is past its time.
//!
//! What is *not* here: SQL (in `store`), queue and cache (in `platform`), formulas (in `domain`).
//!
//! Any number of workers may run at once, in any number of processes. A worker may be killed at any moment:
//! the ledger in the database says what is done, and the queue only notifies.

use std::time::Duration;

use platform::backends::Backends;
use platform::health::Check;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use crate::refresh::{RefreshJob, RefreshNotifier};
use crate::roll_up::RollupJob;

pub mod housekeeping;
pub mod lanes;
mod notifications;
pub mod refresh;
pub mod roll_up;
pub mod store_chunk;

/// A loop that has not turned for this long has stopped. Every wait inside one is shorter.
const STOPPED: Duration = Duration::from_mins(1);

/// One worker: its loops, not yet running.
#[derive(Debug)]
pub struct Worker {
    id: Uuid,
    backends: Backends,
    slots: Vec<lanes::Slot>,
    refresh: RefreshNotifier,
    refresh_job: RefreshJob,
    rollup_job: RollupJob,
    shutdown: CancellationToken,
}

impl Worker {
    /// A worker that will run until `shutdown`.
    pub fn new(backends: Backends, shutdown: CancellationToken) -> Self {
        let id = Uuid::now_v7();
        let (refresh, refresh_job) =
            RefreshNotifier::new(backends.store.clone(), backends.cache.clone());
        let slots = lanes::SLOTS
            .into_iter()
            .map(|slot| lanes::Slot::open(slot, id, &backends, refresh.clone(), &shutdown))
            .collect();
        let rollup_job = RollupJob::new(backends.store.clone(), refresh.clone());
        Self {
            id,
            backends,
            slots,
            refresh,
            refresh_job,
            rollup_job,
            shutdown,
        }
    }

    /// One check a loop: the process is not ready when one has stopped.
    pub fn checks(&self) -> Vec<Check> {
        self.slots
            .iter()
            .map(|slot| (slot.name(), slot.heartbeat()))
            .chain([("worker rollup", self.rollup_job.heartbeat())])
            .map(|(name, heartbeat)| Check::heartbeat(name, heartbeat, STOPPED))
            .collect()
    }

    /// Runs until the shutdown, then drains: what is in hand is finished, nothing new is taken.
    pub async fn run(self) {
        tracing::info!(worker.id = %self.id, "worker started");
        let tasks = TaskTracker::new();
        // Before the first chunk: a worker without a heartbeat counts as frozen.
        if let Err(error) = self.backends.store.record_worker_heartbeat(self.id).await {
            tracing::warn!(%error, "the first heartbeat was missed");
        }
        let refreshing = tokio::spawn(self.refresh_job.run());
        for slot in self.slots {
            tasks.spawn(slot.run(self.shutdown.clone()));
        }
        let Backends { store, queue, .. } = self.backends;
        tasks.spawn(notifications::listen(
            queue,
            self.rollup_job.notifier(),
            self.refresh,
            self.shutdown.clone(),
        ));
        tasks.spawn(self.rollup_job.run(self.shutdown.clone()));
        tasks.spawn(housekeeping::record_heartbeats(
            store.clone(),
            self.id,
            self.shutdown.clone(),
        ));
        tasks.spawn(housekeeping::sweep(store, self.shutdown));
        tasks.close();
        tasks.wait().await;
        // The last notifier was dropped with the slots: the job writes what it was notified of and ends.
        if let Err(error) = refreshing.await {
            tracing::error!(%error, "the refresh job ended badly");
        }
        tracing::info!(worker.id = %self.id, "worker stopped");
    }
}
