//! The worker: everything that happens after an answer was given.
//!
//! # Layout
//! - [`store_chunk`]: the job that stores one chunk of an import. One transaction, a free function that tests step.
//! - [`roll_up`]: the job that adds pending counts to the rollups, and its loop.
//! - [`lanes`]: the loops that store chunks, account by account.
//! - [`send`]: messages, from an audience to the provider.
//! - `notifications`: how they learn that there is work.
//! - `history`: whether the database lost commits.
//! - [`housekeeping`]: heartbeats, ending the sessions of frozen workers, clearing what is past its time, figures for metrics.
//!
//! What is *not* here: SQL (in `store`), queue and cache (in `platform`), formulas (in `domain`).
//!
//! Any number of workers may run at once, in any number of processes. A worker may be killed at any moment:
//! the ledger in the database says what is done, and the queue only notifies.

use std::path::PathBuf;
use std::time::Duration;

use futures::future::BoxFuture;
use platform::backends::Backends;
use platform::config::Config;
use platform::health::{Check, Heartbeat};
use store::{Store, Workload};
use strum::VariantArray;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use crate::history::History;
use crate::lanes::{ImportNotifier, Slot};
use crate::roll_up::RollupJob;
use crate::send::SendingJob;

mod history;
pub mod housekeeping;
pub mod lanes;
mod notifications;
pub mod roll_up;
pub mod send;
pub mod store_chunk;

/// A loop that has not turned for this long has stopped. Every wait inside one is shorter.
const STOPPED: Duration = Duration::from_mins(1);

/// A kind of work, each of which may have processes of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Work {
    /// Storing imports.
    Import,
    /// Adding answers and views to the reports.
    RollUp,
    /// Planning and sending messages.
    Send,
}

impl Work {
    /// All kinds.
    pub const ALL: &[Self] = Self::VARIANTS;
}

/// One worker: its loops, not yet running.
pub struct Worker {
    id: Uuid,
    kinds: Vec<Work>,
    backends: Backends,
    slots: Vec<Slot>,
    imports: ImportNotifier,
    rollup_job: Option<RollupJob>,
    sending: Option<SendingJob>,
    history: History,
    /// The embedded database.
    file: Option<PathBuf>,
    shutdown: CancellationToken,
}

impl Worker {
    /// A worker for these kinds of work that will run until `shutdown`, with connections of its own to the database.
    pub fn new(
        mut backends: Backends,
        config: &Config,
        kinds: &[Work],
        shutdown: CancellationToken,
    ) -> Self {
        let id = Uuid::now_v7();
        backends.store = backends.store.for_workload(Workload::Jobs);
        let imports = ImportNotifier::default();
        let slot = |(lane, name)| Slot {
            lane,
            name,
            worker_id: id,
            store: backends.store.clone(),
            pepper: backends.pepper.clone(),
            accounts: imports.lane(lane).clone(),
            heartbeat: Heartbeat::default(),
        };
        let slots = if kinds.contains(&Work::Import) {
            lanes::SLOTS.into_iter().map(slot).collect()
        } else {
            Vec::new()
        };
        let rolls_up = kinds.contains(&Work::RollUp);
        let rollup_job =
            rolls_up.then(|| RollupJob::new(backends.store.clone(), backends.cache.clone()));
        let sends = kinds.contains(&Work::Send);
        let sending = sends.then(|| SendingJob::new(config, &backends)).flatten();
        Self {
            id,
            kinds: kinds.to_vec(),
            backends,
            slots,
            imports,
            rollup_job,
            sending,
            history: History::default(),
            file: Store::file(config.database.expose()).ok().flatten(),
            shutdown,
        }
    }

    /// One check a loop: the process is not ready when one has stopped.
    pub fn checks(&self) -> Vec<Check> {
        self.heartbeats()
            .map(|(name, heartbeat)| Check::heartbeat(name, heartbeat, STOPPED))
            .chain(self.sending.as_ref().map(SendingJob::check))
            .chain([self.history.check()])
            .collect()
    }

    /// The heartbeats of the loops.
    fn heartbeats(&self) -> impl Iterator<Item = (&'static str, Heartbeat)> {
        self.slots
            .iter()
            .map(|slot| (slot.name, slot.heartbeat.clone()))
            .chain(
                self.rollup_job
                    .iter()
                    .map(|job| ("worker rollup", job.heartbeat.clone())),
            )
            .chain(self.sending.iter().flat_map(SendingJob::heartbeats))
    }

    /// Runs until the shutdown, then drains: what is in hand is finished, nothing new is taken.
    /// In a box, so that it is compiled here and not in each binary.
    pub fn run(self) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            tracing::info!(worker.id = %self.id, worker.kinds = ?self.kinds, "worker started");
            let tasks = TaskTracker::new();
            // Before the first chunk: a worker without a heartbeat counts as frozen.
            if let Err(error) = self.backends.store.record_worker_heartbeat(self.id).await {
                tracing::warn!(%error, "the first heartbeat was missed");
            }
            let shutdown = || self.shutdown.clone();
            let loops = self.heartbeats().collect();
            let senders = self.sending.iter().flat_map(SendingJob::senders).collect();
            let Backends {
                store,
                queue,
                pepper,
                ..
            } = self.backends;
            // One queue brings both kinds of notifications. Imports need them: roll-ups find their work by themselves as fast.
            if !self.slots.is_empty() {
                let rollups = self.rollup_job.as_ref().map(RollupJob::notifier);
                let imports = self.imports;
                tasks.spawn(notifications::scan(
                    store.clone(),
                    imports.clone(),
                    shutdown(),
                ));
                tasks.spawn(notifications::listen(queue, imports, rollups, shutdown()));
                tasks.spawn(housekeeping::erase_created(
                    store.clone(),
                    pepper.clone(),
                    shutdown(),
                ));
            }
            for slot in self.slots {
                tasks.spawn(slot.run(shutdown()));
            }
            if let Some(rollup_job) = self.rollup_job {
                tasks.spawn(rollup_job.run(shutdown()));
            }
            if let Some(sending) = self.sending {
                sending.spawn(&tasks, self.id, &self.shutdown);
            }
            tasks.spawn(housekeeping::record_heartbeats(
                store.clone(),
                self.id,
                shutdown(),
            ));
            tasks.spawn(self.history.watch(store.clone(), shutdown()));
            tasks.spawn(housekeeping::analyze(store.clone(), shutdown()));
            tasks.spawn(housekeeping::seal_audit(store.clone(), shutdown()));
            tasks.spawn(housekeeping::hash_audit(store.clone(), pepper, shutdown()));
            tasks.spawn(housekeeping::let_go(store.clone(), shutdown()));
            tasks.spawn(housekeeping::record_process(
                store.clone(),
                loops,
                self.file,
                shutdown(),
            ));
            tasks.spawn(housekeeping::record_backlog(
                store.clone(),
                senders,
                shutdown(),
            ));
            tasks.spawn(housekeeping::sweep(store, shutdown()));
            tasks.close();
            tasks.wait().await;
            tracing::info!(worker.id = %self.id, "worker stopped");
        })
    }
}
