//! What all routes share: one value, made once, passed in. What only one capability needs is in its own crate.

use std::sync::Arc;
use std::time::Duration;

use domain::link::Token;
use platform::backends::Backends;
use platform::config::{Config, TrustedProxies};
use store::Store;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::address::FailureLimiter;
use crate::auth::{Keys, Usage};
use crate::body;
use crate::list;
use crate::memory::MemoryPool;
use crate::notify::Notifier;
use crate::observe::Meters;
use crate::rate::Rate;
use crate::recent_changes::RecentChanges;
use crate::scoped::Groups;

/// The shared state. Cheap to clone.
#[derive(Clone)]
pub struct AppState(Arc<Shared>);

struct Shared {
    store: Store,
    keys: Keys,
    key_rate: Rate<String>,
    failures: FailureLimiter,
    key_failures: FailureLimiter,
    trusted_proxies: TrustedProxies,
    usage: Usage,
    groups: Groups,
    meters: Arc<Meters>,
    memory: MemoryPool,
    page_memory: MemoryPool,
    public_url: String,
    notifier: Notifier,
    recent_changes: RecentChanges,
    tasks: TaskTracker,
    shutdown: CancellationToken,
}

/// How often the use of keys is written.
const MAINTENANCE: Duration = Duration::from_secs(5);

impl AppState {
    /// The state of one process, within a runtime. `shutdown` ends its background work.
    pub fn new(config: &Config, backends: &Backends, shutdown: CancellationToken) -> Self {
        Self(Arc::new(Shared {
            store: backends.store.clone(),
            keys: Keys::default(),
            key_rate: Rate::new(config.key_rate, "this key may ask"),
            failures: FailureLimiter::new(config.address_rate),
            key_failures: FailureLimiter::new(config.address_rate),
            trusted_proxies: config.trusted_proxies.clone(),
            usage: Usage::default(),
            groups: Groups::default(),
            meters: Arc::default(),
            memory: body::memory(),
            page_memory: list::memory(),
            public_url: config.public_url.as_str().to_owned(),
            notifier: Notifier::start(backends.queue.clone()),
            recent_changes: RecentChanges::default(),
            tasks: TaskTracker::new(),
            shutdown,
        }))
    }

    pub fn store(&self) -> &Store {
        &self.0.store
    }

    pub fn keys(&self) -> &Keys {
        &self.0.keys
    }

    pub fn key_rate(&self) -> &Rate<String> {
        &self.0.key_rate
    }

    /// What addresses may still get wrong of links: tokens and submissions.
    pub fn failures(&self) -> &FailureLimiter {
        &self.0.failures
    }

    /// What addresses may still get wrong of keys: apart, so that neither visitors nor callers spend what is the others'.
    pub fn key_failures(&self) -> &FailureLimiter {
        &self.0.key_failures
    }

    pub fn trusted_proxies(&self) -> &TrustedProxies {
        &self.0.trusted_proxies
    }

    /// The memory for pages of large items, [`PAGE_BYTES`](store::PAGE_BYTES) each.
    pub fn page_memory(&self) -> &MemoryPool {
        &self.0.page_memory
    }

    /// The memory for small bodies that programs send.
    pub fn memory(&self) -> &MemoryPool {
        &self.0.memory
    }

    pub fn usage(&self) -> &Usage {
        &self.0.usage
    }

    /// Who may use which routes.
    pub fn groups(&self) -> &Groups {
        &self.0.groups
    }

    /// What is counted of requests.
    pub fn meters(&self) -> &Arc<Meters> {
        &self.0.meters
    }

    /// Tells the workers what has changed.
    pub fn notifier(&self) -> &Notifier {
        &self.0.notifier
    }

    /// Which links and forms this instance changed lately.
    pub fn recent_changes(&self) -> &RecentChanges {
        &self.0.recent_changes
    }

    /// Work that outlives its request: commits, notifications, clearing up.
    pub fn tasks(&self) -> &TaskTracker {
        &self.0.tasks
    }

    /// The URL of a link, as it is sent to people.
    pub fn link_url(&self, token: &Token) -> String {
        format!("{}/f/{token}", self.0.public_url)
    }

    /// Cancelled when the process is to stop.
    pub fn shutdown(&self) -> &CancellationToken {
        &self.0.shutdown
    }

    /// Until the shutdown, writes the use of keys and forgets what is idle or over.
    pub async fn run_maintenance(&self) {
        let mut tick = tokio::time::interval(MAINTENANCE);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let shutdown = self.shutdown();
        while shutdown.run_until_cancelled(tick.tick()).await.is_some() {
            self.0.key_rate.forget_idle();
            self.0.failures.forget_idle();
            self.0.key_failures.forget_idle();
            self.0.recent_changes.forget_old();
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
