//! The worker: everything that happens after an answer was given.
//!
//! # Layout
//! - [`store_chunk`]: the job that stores one chunk of an import. One transaction, a free function that tests step.
//! - [`fold`]: the job that folds what links collected into rollups, and its loop.
//! - [`refresh`]: the job that rewrites what dashboards read from the cache.
//! - [`lanes`]: the loops that take chunks from the queue, and from the ledger when the queue is silent.
//! - `bells`: the lane on which other processes ring for folds and refreshes.
//! - [`housekeeping`]: heartbeats, ending the sessions of frozen workers, clearing what is past its time.
//!
//! What is *not* here: SQL (in `store`), queue and cache (in `platform`), formulas (in `domain`).
//!
//! Any number of workers may run at once, in any number of processes. A worker may be killed at any moment:
//! the ledger in the database says what is done, and the queue is only its doorbell.

use std::time::Duration;

use platform::backends::Backends;
use platform::ops::Check;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

mod bells;
pub mod fold;
pub mod housekeeping;
pub mod lanes;
pub mod refresh;
pub mod store_chunk;

/// A loop that has not turned for this long has stopped. Every wait inside one is shorter.
const STOPPED: Duration = Duration::from_mins(1);

/// One worker: its loops, not yet running.
#[derive(Debug)]
pub struct Worker {
    id: Uuid,
    backends: Backends,
    slots: Vec<lanes::Slot>,
    refresher: refresh::Refresher,
    refreshing: refresh::Refreshing,
    folding: fold::Folding,
    shutdown: CancellationToken,
}

impl Worker {
    /// A worker that will run until `shutdown`.
    pub fn new(backends: Backends, shutdown: CancellationToken) -> Self {
        let id = Uuid::now_v7();
        let (refresher, refreshing) =
            refresh::Refresher::new(backends.store.clone(), backends.cache.clone());
        let slots = lanes::SLOTS
            .into_iter()
            .map(|slot| lanes::Slot::open(slot, id, &backends, refresher.clone(), &shutdown))
            .collect();
        let folding = fold::Folding::new(backends.store.clone(), refresher.clone());
        Self {
            id,
            backends,
            slots,
            refresher,
            refreshing,
            folding,
            shutdown,
        }
    }

    /// One check a loop: the process is not ready when one has stopped.
    pub fn checks(&self) -> Vec<Check> {
        self.slots
            .iter()
            .map(|slot| (slot.name(), slot.pulse()))
            .chain([("worker fold", self.folding.pulse())])
            .map(|(name, pulse)| Check::pulse(name, pulse, STOPPED))
            .collect()
    }

    /// Runs until the shutdown, then drains: what is in hand is finished, nothing new is taken.
    pub async fn run(self) {
        tracing::info!(worker.id = %self.id, "worker started");
        let tasks = TaskTracker::new();
        // The first beat before the first chunk: a worker that never beat counts as frozen.
        if let Err(error) = self.backends.store.beat_worker(self.id).await {
            tracing::warn!(%error, "the first heartbeat was missed");
        }
        let refreshing = tokio::spawn(self.refreshing.run());
        for slot in self.slots {
            tasks.spawn(slot.run(self.shutdown.clone()));
        }
        let Backends { store, queue, .. } = self.backends;
        tasks.spawn(bells::listen(
            queue,
            self.folding.folder(),
            self.refresher,
            self.shutdown.clone(),
        ));
        tasks.spawn(self.folding.run(self.shutdown.clone()));
        tasks.spawn(housekeeping::stay_alive(
            store.clone(),
            self.id,
            self.shutdown.clone(),
        ));
        tasks.spawn(housekeeping::sweep(store, self.shutdown));
        tasks.close();
        tasks.wait().await;
        // The last refresher is gone with the slots: the loop behind it writes what was rung and ends.
        if let Err(error) = refreshing.await {
            tracing::error!(%error, "the refresher ended badly");
        }
        tracing::info!(worker.id = %self.id, "worker stopped");
    }
}
