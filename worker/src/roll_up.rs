//! The job that adds pending counts to the rollups that reports read, and its loop.
//!
//! Idempotency: the transaction that adds a delta deletes its row. A second one finds no row and does nothing.
//! Notifications are coalesced on the trailing edge: a form that had pending rows is read again, so a notification that
//! arrives during its roll-up is not lost. A scan of the pending rows makes up for notifications that never arrived.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use chrono::Utc;
use futures::{StreamExt, stream};
use metrics::{counter, histogram};
use platform::health::Heartbeat;
use platform::start::one_line;
use store::form::FormKey;
use store::report::{RolledUp, ScanScope, Watermark};
use store::{Committed, Error, Store};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::refresh::RefreshNotifier;

/// How often a roll-up is tried in a row when other transactions are in the way.
const TRIES: usize = 5;
/// Forms rolled up at once.
const AT_ONCE: usize = 4;
/// The least time between two rounds: notifications of a busy form never end.
const PACE: Duration = Duration::from_millis(50);
/// The time between two scans for forms without a notification.
const POLL: Duration = Duration::from_millis(250);
/// The time between two scans from the first row on, for rows of transactions that took very long.
const FULL_SCAN: Duration = Duration::from_mins(1);
/// Pause while the database is away.
const AWAY: Duration = Duration::from_millis(250);

/// Rolls up the pending counts of a form, as far as one transaction goes.
///
/// # Errors
/// The database is unavailable, or what is stored cannot be read.
pub async fn run(store: &Store, form: FormKey, scope: ScanScope) -> Result<RolledUp, Error> {
    let mut tried = 1;
    loop {
        match attempt(store, form, scope).await {
            Err(Error::Conflict(_)) if tried < TRIES => tried += 1,
            result => return result,
        }
    }
}

async fn attempt(store: &Store, form: FormKey, scope: ScanScope) -> Result<RolledUp, Error> {
    let mut tx = store.begin().await?;
    let rolled_up = tx.roll_up(form, scope).await?;
    if rolled_up.rows > 0 {
        match tx.commit().await? {
            Committed::Done => {}
            // The next round shows whether the rows are still there; it follows whenever there were rows.
            Committed::Unknown(error) => {
                tracing::warn!(%error, form.id = %form.form_id, "commit without an answer");
            }
        }
    }
    Ok(rolled_up)
}

/// Notifies the [`RollupJob`] of forms with pending counts. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct RollupNotifier {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    pending: Mutex<BTreeMap<FormKey, ScanScope>>,
    notify: Notify,
}

impl RollupNotifier {
    /// Says that a form has pending counts.
    pub fn notify(&self, form: FormKey) {
        self.put(form, ScanScope::Recent);
        self.shared.notify.notify_one();
    }

    fn put(&self, form: FormKey, scope: ScanScope) {
        let mut pending = self.pending();
        let known = pending.entry(form).or_insert(scope);
        *known = scope.max(*known);
    }

    fn take(&self) -> BTreeMap<FormKey, ScanScope> {
        std::mem::take(&mut *self.pending())
    }

    fn pending(&self) -> MutexGuard<'_, BTreeMap<FormKey, ScanScope>> {
        self.shared
            .pending
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The loop that rolls up.
#[derive(Debug)]
pub struct RollupJob {
    notifier: RollupNotifier,
    store: Store,
    refresh: RefreshNotifier,
    heartbeat: Heartbeat,
    watermark: Watermark,
    scanned_at: Option<Instant>,
    fully_scanned_at: Option<Instant>,
}

impl RollupJob {
    /// A job that notifies the refresh job of the months that it changed.
    pub fn new(store: Store, refresh: RefreshNotifier) -> Self {
        Self {
            notifier: RollupNotifier::default(),
            store,
            refresh,
            heartbeat: Heartbeat::new(),
            watermark: Watermark::new(Utc::now()),
            scanned_at: None,
            fully_scanned_at: None,
        }
    }

    /// What notifies it.
    pub fn notifier(&self) -> RollupNotifier {
        self.notifier.clone()
    }

    pub(crate) fn heartbeat(&self) -> Heartbeat {
        self.heartbeat.clone()
    }

    /// Rolls up what it is notified of and what its scans find, until `shutdown`.
    pub async fn run(mut self, shutdown: CancellationToken) {
        let mut away = false;
        while !shutdown.is_cancelled() {
            self.heartbeat.record();
            let round = self.round().await;
            if let Err(error) = &round
                && !away
            {
                tracing::warn!(error = %one_line(error), "the database is away; rolling up waits");
            }
            away = round.is_err();
            let (busy, pause) = match round {
                Ok(true) => (true, PACE),
                Ok(false) => (false, POLL),
                Err(_) => (true, AWAY),
            };
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = tokio::time::sleep(pause) => {}
                () = self.notifier.shared.notify.notified(), if !busy => {}
            }
        }
    }

    /// One round over the forms with pending counts. Whether there were any.
    async fn round(&mut self) -> Result<bool, Error> {
        if self.scanned_at.is_none_or(|at| at.elapsed() >= POLL) {
            self.scan().await?;
        }
        let pending = self.notifier.take();
        let busy = !pending.is_empty();
        let mut roll_ups = stream::iter(pending)
            .map(|(form, scope)| self.roll_up(form, scope))
            .buffer_unordered(AT_ONCE);
        let mut result = Ok(busy);
        while let Some(rolled_up) = roll_ups.next().await {
            if let Err(error) = rolled_up {
                result = Err(error);
            }
        }
        result
    }

    async fn roll_up(&self, form: FormKey, scope: ScanScope) -> Result<(), Error> {
        let started = Instant::now();
        match run(&self.store, form, scope).await {
            Ok(RolledUp { rows: 0, .. }) => Ok(()),
            Ok(RolledUp { rows, touched }) => {
                counter!("feedback_rolled_up_deltas_total").increment(rows as u64);
                histogram!("feedback_rollup_seconds").record(started.elapsed().as_secs_f64());
                tracing::debug!(form.id = %form.form_id, rows, took = ?started.elapsed(), "form rolled up");
                self.notifier.put(form, scope);
                self.refresh.notify_months(form, touched);
                Ok(())
            }
            // Somebody holds the form, such as a rebuild. The others are not kept waiting for it.
            Err(Error::Conflict(_)) => {
                self.notifier.put(form, scope);
                Ok(())
            }
            Err(error) if error.is_unavailable() => {
                self.notifier.put(form, scope);
                Err(error)
            }
            Err(error) => {
                tracing::error!(form.id = %form.form_id, error = %one_line(&error), "form not rolled up");
                Ok(())
            }
        }
    }

    /// Finds forms with pending counts without a notification.
    async fn scan(&mut self) -> Result<(), Error> {
        let full = self
            .fully_scanned_at
            .is_none_or(|at| at.elapsed() >= FULL_SCAN);
        let (above, scope) = if full {
            (0, ScanScope::All)
        } else {
            (self.watermark.position, ScanScope::Recent)
        };
        let found = self.store.pending_forms(above).await?;
        self.scanned_at = Some(Instant::now());
        if full {
            self.fully_scanned_at = self.scanned_at;
        }
        self.watermark.advance(found.last, Utc::now());
        for form in found.forms {
            self.notifier.put(form, scope);
        }
        Ok(())
    }
}
