//! What handlers share: one value, made once, passed in.

use std::sync::Arc;
use std::time::Duration;

use platform::backends::Backends;
use platform::cache::Cache;
use platform::config::{Config, TrustedProxies};
use platform::queue::Queue;
use store::Store;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::address::Guesses;
use crate::auth::{Keys, Usage};
use crate::body::Buffers;
use crate::collect::Collect;
use crate::ingest::Admission;
use crate::rate::Rate;
use crate::rendered::RenderedReports;

/// The shared state. Cheap to clone.
#[derive(Clone)]
pub struct AppState(Arc<Shared>);

struct Shared {
    store: Store,
    queue: Queue,
    cache: Cache,
    keys: Keys,
    key_rate: Rate<String>,
    guesses: Guesses,
    key_guesses: Guesses,
    trusted_proxies: TrustedProxies,
    usage: Usage,
    buffers: Buffers,
    collect: Collect,
    reports: RenderedReports,
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
    /// The state of one process, within a runtime. `shutdown` ends its background work.
    pub fn new(config: &Config, backends: Backends, shutdown: CancellationToken) -> Self {
        let collect = Collect::start(config, &backends);
        Self(Arc::new(Shared {
            store: backends.store,
            queue: backends.queue,
            cache: backends.cache,
            keys: Keys::new(),
            key_rate: Rate::new(config.key_rate, "this key may ask"),
            guesses: Guesses::new(config.address_rate),
            key_guesses: Guesses::new(config.address_rate),
            trusted_proxies: config.trusted_proxies.clone(),
            usage: Usage::default(),
            buffers: Buffers::new(),
            collect,
            reports: RenderedReports::new(),
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

    pub(crate) fn key_rate(&self) -> &Rate<String> {
        &self.0.key_rate
    }

    /// What addresses may still get wrong of links: tokens and submissions.
    pub(crate) fn guesses(&self) -> &Guesses {
        &self.0.guesses
    }

    /// What addresses may still get wrong of keys: apart, so that neither visitors nor callers spend what is the others'.
    pub(crate) fn key_guesses(&self) -> &Guesses {
        &self.0.key_guesses
    }

    pub(crate) fn trusted_proxies(&self) -> &TrustedProxies {
        &self.0.trusted_proxies
    }

    pub(crate) fn collect(&self) -> &Collect {
        &self.0.collect
    }

    /// Reports as they were last answered.
    pub(crate) fn reports(&self) -> &RenderedReports {
        &self.0.reports
    }

    pub(crate) fn buffers(&self) -> &Buffers {
        &self.0.buffers
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

    /// Keeps house until the shutdown: writes the use of keys, forgets what is idle or over.
    pub async fn keep_house(&self) {
        let mut tick = tokio::time::interval(USAGE_WRITTEN);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = self.0.shutdown.cancelled() => break,
                _ = tick.tick() => {}
            }
            self.0.key_rate.forget_idle();
            self.0.guesses.forget_idle();
            self.0.key_guesses.forget_idle();
            self.0.collect.link_rate.forget_idle();
            self.0.collect.links.forget_changes();
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
