//! The job that rewrites what dashboards read from the cache: an account's recipients by day, and the months of forms that
//! folds touched.
//!
//! Idempotency: a copy carries its version and the cache keeps the newest, so running it again, late or twice changes
//! nothing. Rings are coalesced on the trailing edge: one that comes while something is being read is not lost.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::month::Month;
use platform::cache::{Cache, CacheError};
use platform::reports;
use platform::start::one_line;
use store::form::FormKey;
use store::{Error, Store};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// The least time between two rewrites: a running import rings with every chunk, a hot form with every fold.
const PACE: Duration = Duration::from_millis(100);

/// Rings for accounts whose numbers changed. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Refresher {
    shared: Arc<Shared>,
    _alive: Arc<Alive>,
}

#[derive(Debug, Default)]
struct Shared {
    rung: Mutex<HashMap<Uuid, Rung>>,
    bell: Notify,
}

/// What changed of an account.
#[derive(Debug, Default)]
struct Rung {
    recipients: bool,
    /// By form: `bus_prop_id` and month.
    months: BTreeMap<Uuid, BTreeSet<(i64, Month)>>,
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
    /// The last rewrite failed: what follows is the same outage.
    away: bool,
}

impl Shared {
    fn rung(&self) -> MutexGuard<'_, HashMap<Uuid, Rung>> {
        self.rung.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
        let refreshing = Refreshing {
            shared,
            unattended,
            store,
            cache,
            away: false,
        };
        (refresher, refreshing)
    }

    /// Says that an account's recipients changed.
    pub fn ring(&self, account_id: Uuid) {
        self.shared.rung().entry(account_id).or_default().recipients = true;
        self.shared.bell.notify_one();
    }

    /// Says that months of a form changed: `bus_prop_id` and month.
    pub fn ring_months(&self, form: FormKey, touched: BTreeSet<(i64, Month)>) {
        let mut rung = self.shared.rung();
        let of_account = rung.entry(form.account_id).or_default();
        of_account
            .months
            .entry(form.form_id)
            .or_default()
            .extend(touched);
        drop(rung);
        self.shared.bell.notify_one();
    }
}

impl Refreshing {
    /// Answers rings until the last [`Refresher`] is gone and nothing is left to do.
    pub async fn run(mut self) {
        loop {
            let rung = std::mem::take(&mut *self.shared.rung());
            let idle = rung.is_empty();
            for (account_id, rung) in rung {
                let written = self.rewrite(account_id, rung).await;
                self.note(account_id, written);
            }
            if idle {
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

    /// Reads what changed of an account and gives it to the cache. The outer error is the database's.
    async fn rewrite(&self, account_id: Uuid, rung: Rung) -> Result<Result<(), CacheError>, Error> {
        let (store, cache) = (&self.store, &self.cache);
        if rung.recipients {
            let series = store.recipient_series(account_id).await?;
            if let Err(error) = reports::put_recipient_series(cache, account_id, &series).await {
                return Ok(Err(error));
            }
        }
        for (form_id, touched) in rung.months {
            let form = FormKey::new(account_id, form_id);
            if let Err(error) = reports::refresh_months(store, cache, form, touched).await? {
                return Ok(Err(error));
            }
        }
        Ok(Ok(()))
    }

    /// A failure costs freshness in the cache only: readers check versions and go to the database. It is told once.
    fn note(&mut self, account_id: Uuid, written: Result<Result<(), CacheError>, Error>) {
        let failed = match written {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(one_line(&error)),
            Err(error) => Some(one_line(&error)),
        };
        match &failed {
            Some(error) if self.away => {
                tracing::debug!(%error, account.id = %account_id, "refresh skipped");
            }
            Some(error) => tracing::warn!(%error, account.id = %account_id, "refresh skipped"),
            None => {}
        }
        self.away = failed.is_some();
    }
}
