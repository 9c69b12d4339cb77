//! The job that rewrites what reports read from the cache: an account's recipients by day, and the months of forms that
//! roll-ups changed.
//!
//! Idempotency: a copy carries its version and the cache keeps the newest, so running the job again, late or twice changes
//! nothing. Notifications are coalesced on the trailing edge: one that arrives during a rewrite is not lost.

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

/// The least time between two rewrites: an import notifies with every chunk, a busy form with every roll-up.
const PACE: Duration = Duration::from_millis(100);

/// Notifies the [`RefreshJob`] of accounts whose numbers changed. Cheap to clone.
#[derive(Clone, Debug)]
pub struct RefreshNotifier {
    shared: Arc<Shared>,
    _alive: Arc<Alive>,
}

#[derive(Debug, Default)]
struct Shared {
    changes: Mutex<HashMap<Uuid, Changes>>,
    notify: Notify,
}

/// What changed of an account.
#[derive(Debug, Default)]
struct Changes {
    recipients: bool,
    /// By form: `bus_prop_id` and month.
    months: BTreeMap<Uuid, BTreeSet<(i64, Month)>>,
}

/// Dropped with the last [`RefreshNotifier`], which tells the job that no notification will follow.
#[derive(Debug)]
struct Alive(CancellationToken);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// The loop that rewrites.
#[derive(Debug)]
pub struct RefreshJob {
    shared: Arc<Shared>,
    unattended: CancellationToken,
    store: Store,
    cache: Cache,
    /// The last rewrite failed: what follows is the same outage.
    away: bool,
}

impl Shared {
    fn changes(&self) -> MutexGuard<'_, HashMap<Uuid, Changes>> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RefreshNotifier {
    /// A job and what notifies it.
    pub fn new(store: Store, cache: Cache) -> (Self, RefreshJob) {
        let shared = Arc::new(Shared::default());
        let unattended = CancellationToken::new();
        let notifier = Self {
            shared: shared.clone(),
            _alive: Arc::new(Alive(unattended.clone())),
        };
        let job = RefreshJob {
            shared,
            unattended,
            store,
            cache,
            away: false,
        };
        (notifier, job)
    }

    /// Says that an account's recipients changed.
    pub fn notify(&self, account_id: Uuid) {
        self.shared
            .changes()
            .entry(account_id)
            .or_default()
            .recipients = true;
        self.shared.notify.notify_one();
    }

    /// Says that months of a form changed: `bus_prop_id` and month.
    pub fn notify_months(&self, form: FormKey, touched: BTreeSet<(i64, Month)>) {
        let mut changes = self.shared.changes();
        let of_account = changes.entry(form.account_id).or_default();
        of_account
            .months
            .entry(form.form_id)
            .or_default()
            .extend(touched);
        drop(changes);
        self.shared.notify.notify_one();
    }
}

impl RefreshJob {
    /// Rewrites until the last [`RefreshNotifier`] is dropped and nothing is left to do.
    pub async fn run(mut self) {
        loop {
            let changes = std::mem::take(&mut *self.shared.changes());
            let idle = changes.is_empty();
            for (account_id, changes) in changes {
                let written = self.rewrite(account_id, changes).await;
                self.note(account_id, written);
            }
            if idle {
                if self.unattended.is_cancelled() {
                    return;
                }
                tokio::select! {
                    () = self.shared.notify.notified() => {}
                    () = self.unattended.cancelled() => {}
                }
            } else {
                tokio::time::sleep(PACE).await;
            }
        }
    }

    /// Reads what changed of an account and gives it to the cache. The outer error is the database's.
    async fn rewrite(
        &self,
        account_id: Uuid,
        changes: Changes,
    ) -> Result<Result<(), CacheError>, Error> {
        let (store, cache) = (&self.store, &self.cache);
        if changes.recipients {
            let series = store.recipient_series(account_id).await?;
            if let Err(error) = reports::put_recipient_series(cache, account_id, &series).await {
                return Ok(Err(error));
            }
        }
        for (form_id, touched) in changes.months {
            let form = FormKey::new(account_id, form_id);
            if let Err(error) = reports::refresh_months(store, cache, form, touched).await? {
                return Ok(Err(error));
            }
        }
        Ok(Ok(()))
    }

    /// A failure costs freshness in the cache only: readers check versions and read the database. An outage is logged once.
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
