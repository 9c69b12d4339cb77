//! The job that rewrites what dashboards read from the cache: the day series of an account.
//!
//! Idempotency: a series carries its version and the cache keeps the newest, so running it again, late or twice changes
//! nothing. Rings are coalesced on the trailing edge: one that comes while the series is being read is not lost.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use platform::cache::Cache;
use platform::reports;
use store::Store;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// The least time between two rewrites: a running import rings with every chunk.
const PACE: Duration = Duration::from_millis(100);

/// Rings for accounts whose numbers changed. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Refresher {
    shared: Arc<Shared>,
    _alive: Arc<Alive>,
}

#[derive(Debug, Default)]
struct Shared {
    rung: Mutex<HashSet<Uuid>>,
    bell: Notify,
}

/// Gone with the last [`Refresher`], which is how the loop learns that nobody will ring again.
#[derive(Debug)]
struct Alive(CancellationToken);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// The loop behind a [`Refresher`].
#[derive(Debug)]
pub struct Refreshing {
    shared: Arc<Shared>,
    unattended: CancellationToken,
    store: Store,
    cache: Cache,
}

impl Refresher {
    /// A bell and the loop that answers it.
    pub fn new(store: Store, cache: Cache) -> (Self, Refreshing) {
        let shared = Arc::new(Shared::default());
        let unattended = CancellationToken::new();
        let refresher = Self {
            shared: shared.clone(),
            _alive: Arc::new(Alive(unattended.clone())),
        };
        (
            refresher,
            Refreshing {
                shared,
                unattended,
                store,
                cache,
            },
        )
    }

    /// Says that an account's numbers changed.
    pub fn ring(&self, account_id: Uuid) {
        self.shared
            .rung
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(account_id);
        self.shared.bell.notify_one();
    }
}

impl Refreshing {
    /// Answers rings until the last [`Refresher`] is gone and nothing is left to do.
    pub async fn run(self) {
        loop {
            let rung = std::mem::take(
                &mut *self
                    .shared
                    .rung
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner),
            );
            for account_id in &rung {
                run(&self.store, &self.cache, *account_id).await;
            }
            if rung.is_empty() {
                if self.unattended.is_cancelled() {
                    return;
                }
                tokio::select! {
                    () = self.shared.bell.notified() => {}
                    () = self.unattended.cancelled() => {}
                }
            } else {
                tokio::time::sleep(PACE).await;
            }
        }
    }
}

/// Reads an account's series and gives it to the cache. A failure costs freshness in the cache only: readers check
/// the version and go to the database.
pub async fn run(store: &Store, cache: &Cache, account_id: Uuid) {
    let series = match store.recipient_series(account_id).await {
        Ok(series) => series,
        Err(error) => {
            tracing::warn!(%error, account.id = %account_id, "refresh skipped: the database is away");
            return;
        }
    };
    if let Err(error) = reports::put_recipient_series(cache, account_id, &series).await {
        tracing::warn!(%error, account.id = %account_id, "refresh skipped: the cache is away");
    }
}
