//! What handlers share: one value, made once, passed in.

use std::sync::Arc;
use std::time::Duration;

use platform::backends::Backends;
use platform::cache::Cache;
use platform::config::Config;
use platform::queue::Queue;
use store::Store;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::auth::{KeyRate, Keys, Usage};
use crate::ingest::Admission;

/// The shared state. Cheap to clone.
#[derive(Clone)]
pub struct AppState(Arc<Shared>);

struct Shared {
    store: Store,
    queue: Queue,
    cache: Cache,
    keys: Keys,
    rate: KeyRate,
    usage: Usage,
    admission: Admission,
    limits: Limits,
    tasks: TaskTracker,
    shutdown: CancellationToken,
}

/// What one import may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes, as they come and decoded.
    pub body: u64,
    /// Records, valid or not.
    pub records: u64,
}

/// How often the use of keys is written.
const USAGE_WRITTEN: Duration = Duration::from_secs(5);

impl AppState {
    /// The state of one process. `shutdown` ends its background work.
    pub fn new(config: &Config, backends: Backends, shutdown: CancellationToken) -> Self {
        Self(Arc::new(Shared {
            store: backends.store,
            queue: backends.queue,
            cache: backends.cache,
            keys: Keys::new(),
            rate: KeyRate::new(config.key_rate),
            usage: Usage::default(),
            admission: Admission::new(),
            limits: Limits {
                body: config.max_body,
                records: config.max_records,
            },
            tasks: TaskTracker::new(),
            shutdown,
        }))
    }

    pub(crate) fn store(&self) -> &Store {
        &self.0.store
    }

    pub(crate) fn queue(&self) -> &Queue {
        &self.0.queue
    }

    pub(crate) fn cache(&self) -> &Cache {
        &self.0.cache
    }

    pub(crate) fn keys(&self) -> &Keys {
        &self.0.keys
    }

    pub(crate) fn rate(&self) -> &KeyRate {
        &self.0.rate
    }

    pub(crate) fn usage(&self) -> &Usage {
        &self.0.usage
    }

    pub(crate) fn admission(&self) -> &Admission {
        &self.0.admission
    }

    pub(crate) fn limits(&self) -> Limits {
        self.0.limits
    }

    /// Work that outlives its request: commits, doorbells, clearing up.
    pub(crate) fn tasks(&self) -> &TaskTracker {
        &self.0.tasks
    }

    /// Keeps house until the shutdown: writes the use of keys, forgets idle ones.
    pub async fn keep_house(&self) {
        let mut tick = tokio::time::interval(USAGE_WRITTEN);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = self.0.shutdown.cancelled() => break,
                _ = tick.tick() => {}
            }
            self.0.rate.forget_idle();
            self.0.usage.flush(&self.0.store).await;
        }
    }

    /// Waits for work that outlived its request, at most `patience`, and writes what is left to write.
    pub async fn settle(&self, patience: Duration) {
        self.0.tasks.close();
        let settled = async {
            self.0.tasks.wait().await;
            self.0.usage.flush(&self.0.store).await;
        };
        if tokio::time::timeout(patience, settled).await.is_err() {
            tracing::warn!(
                tasks = self.0.tasks.len(),
                "stopped before all work was done; the worker takes it over"
            );
        }
    }
}
