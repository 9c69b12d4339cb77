//! What all routes share: one value, made once, passed in. What only one capability needs is in its own crate.

use std::fmt::Display;
use std::num::{NonZero, NonZeroU32};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use domain::pepper::Pepper;
use platform::backends::Backends;
use platform::config::{Config, MemoryParts, PoolPart, TrustedProxies};
use platform::places::Places;
use platform::telemetry::gauges::{record_connections, record_replicas};
use store::{Gate, Gates, Store};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use crate::abandoned::AbandonedChanges;
use crate::address::{FailureLimiter, GoodLately};
use crate::keys::Keys;
use crate::memory::{MemoryPool, PoolSize};
use crate::notify::Notifier;
use crate::observe::Meters;
use crate::rate::Rate;
use crate::recent_changes::RecentChanges;
use crate::refusals::RefusalLimiter;
use crate::spreadsheet::SheetPlaces;
use crate::usage::Usage;

/// The shared state. Cheap to clone.
#[derive(Clone, derive_more::Deref)]
pub struct AppState(#[deref(forward)] Arc<Shared>);

/// What [`AppState`] leads to.
pub struct Shared {
    pub store: Store,
    pub(crate) keys: Keys,
    pub(crate) key_rate: Rate<String>,
    /// Public requests of each link.
    pub link_rate: Rate<Uuid>,
    /// Requests of each shared page, by the hash of its secret.
    pub share_rate: Rate<[u8; 32]>,
    /// Requests of all shared pages of an account.
    pub shares_rate: Rate<Uuid>,
    /// What addresses may still get wrong of links: tokens and submissions.
    pub failures: FailureLimiter,
    /// What addresses may still get wrong of keys: apart, so that neither visitors nor callers spend what is the others'.
    pub key_failures: FailureLimiter,
    /// What keys and people may still have refused of their changes; `None`: no limit.
    pub(crate) refusals: Option<RefusalLimiter>,
    /// Changes that go on though their clients are gone.
    pub(crate) abandoned: AbandonedChanges,
    /// Answers an hour of one address to one link; `None`: no limit.
    pub address_answers: Option<NonZeroU32>,
    pub trusted_proxies: TrustedProxies,
    /// Who saw what of whom within the last hour, hashed: the audit log has it.
    pub(crate) phones_seen: GoodLately,
    /// The secret under which phones and the docids of erased people are hashed.
    pub pepper: Option<Arc<Pepper>>,
    pub(crate) usage: Usage,
    /// The metrics of requests.
    pub meters: Arc<Meters>,
    /// The memory for small bodies that programs send.
    pub memory: MemoryPool,
    /// The memory for lists that are read and sent.
    pub list_memory: MemoryPool,
    /// The sizes of what capabilities keep themselves.
    pub parts: MemoryParts,
    pub(crate) work: Places,
    pub(crate) sheets: SheetPlaces,
    /// The directory of the temporary files of spreadsheets.
    pub(crate) tmp_dir: PathBuf,
    /// What links begin with, without a slash at its end.
    pub public_url: String,
    /// Tells the workers what has changed.
    pub notifier: Notifier,
    /// Which links and forms this instance changed lately.
    pub recent_changes: RecentChanges,
    /// Work that outlives its request: commits, notifications, clearing up.
    pub tasks: TaskTracker,
    /// Cancelled when the process is to stop.
    pub shutdown: CancellationToken,
}

/// The most statements at once of requests with keys, a few fewer than there are connections; and of one account.
const STATEMENTS: (usize, usize) = (20, 10);
/// The same for SQLite's one writer: the next one is there when it is free, and is another account's.
const WRITERS: (usize, usize) = (2, 1);

/// How often the use of keys is written.
const MAINTENANCE: Duration = Duration::from_secs(5);

/// For so long the audit log is not told again who sees a phone.
const SEEN: Duration = Duration::from_hours(1);

/// Requests a second of one shared page: few read a report at once, and their browsers draw it anew every few seconds.
const SHARE_RATE: u32 = 20;
/// The same of all of an account's: forty stores have one each.
const SHARES_RATE: u32 = 60;

/// The memory for lists. Each takes what it needs at once, so none leaves room for another.
fn list_memory(part: PoolPart) -> MemoryPool {
    MemoryPool::new(PoolSize {
        small: u64::MAX,
        ..part.into()
    })
}

/// Places for work: half of the cores, so that the runtime has the others.
fn work_places() -> Places {
    let cores = available_parallelism().map_or(1, NonZero::get);
    Places::new((cores / 2).max(1))
}

fn gate((places, most): (usize, usize)) -> Arc<dyn Gate> {
    Arc::new(Places::shared(places, most))
}

impl AppState {
    /// The state of one process, within a runtime. `shutdown` ends its background work.
    pub fn new(config: &Config, backends: &Backends, shutdown: CancellationToken) -> Self {
        Self(Arc::new(Shared {
            store: backends.store.in_turns(Gates {
                connections: gate(STATEMENTS),
                writer: gate(WRITERS),
            }),
            keys: Keys::default(),
            key_rate: Rate::new(config.key_rate, "this key may ask"),
            link_rate: Rate::new(config.link_rate, "this link may be asked for"),
            share_rate: Rate::new(NonZeroU32::new(SHARE_RATE), "this page may be asked for"),
            shares_rate: Rate::new(
                NonZeroU32::new(SHARES_RATE),
                "pages of its account may be asked for",
            ),
            failures: FailureLimiter::new(config.address_rate),
            key_failures: FailureLimiter::new(config.address_rate),
            refusals: config.address_rate.map(|_| RefusalLimiter::default()),
            abandoned: AbandonedChanges::default(),
            address_answers: config.address_answers,
            trusted_proxies: config.trusted_proxies.clone(),
            phones_seen: GoodLately::new(SEEN),
            pepper: backends.pepper.clone(),
            usage: Usage::default(),
            meters: Arc::default(),
            memory: MemoryPool::new(config.memory.bodies),
            list_memory: list_memory(config.memory.lists),
            parts: config.memory,
            work: work_places(),
            sheets: SheetPlaces::default(),
            tmp_dir: config.tmp_dir.clone(),
            public_url: config.public_url.as_str().to_owned(),
            notifier: Notifier::start(backends.queue.clone()),
            recent_changes: RecentChanges::default(),
            tasks: TaskTracker::new(),
            shutdown,
        }))
    }

    /// The URL of a link, as it is sent to people.
    pub fn link_url(&self, token: impl Display) -> String {
        format!("{}/f/{token}", self.public_url)
    }

    /// Until the shutdown, writes the use of keys, forgets what is idle or over, and records how many connections are in use
    /// and how far standbys are behind.
    pub async fn run_maintenance(&self) {
        let mut tick = tokio::time::interval(MAINTENANCE);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let shutdown = &self.shutdown;
        while shutdown.run_until_cancelled(tick.tick()).await.is_some() {
            self.key_rate.forget_idle();
            self.link_rate.forget_idle();
            self.share_rate.forget_idle();
            self.shares_rate.forget_idle();
            self.failures.forget_idle();
            self.key_failures.forget_idle();
            self.recent_changes.forget_old();
            record_connections(&self.store);
            record_replicas(&self.store);
            self.usage.flush(&self.store).await;
        }
    }

    /// Waits for work that outlived its request, at most `patience`, and writes what is left to write.
    pub async fn settle(&self, patience: Duration) {
        self.tasks.close();
        let settled = async {
            self.tasks.wait().await;
            self.usage.flush(&self.store).await;
        };
        if tokio::time::timeout(patience, settled).await.is_err() {
            tracing::warn!(
                tasks = self.tasks.len(),
                "stopped before all work was done; the worker takes it over"
            );
        }
    }
}
