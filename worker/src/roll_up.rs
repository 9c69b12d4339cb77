//! The job that adds pending counts to the rollups that reports read, and its loop.
//!
//! Idempotency: the transaction that adds a delta deletes its row. A second one finds no row and does nothing.
//! Notifications are coalesced on the trailing edge: a form that had pending rows is read again, so a notification that
//! arrives during its roll-up is not lost. A scan of the pending rows makes up for notifications that never arrived.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use chrono::Utc;
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use metrics::{counter, histogram};
use parking_lot::Mutex;
use platform::cache::Cache;
use platform::health::Heartbeat;
use platform::one_line;
use platform::places::Places;
use platform::telemetry::traces::{Span, SpanKind};
use store::form::FormKey;
use store::report::{RolledUp, ScanScope, Watermark};
use store::{Committed, Error, Store};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

/// The least time between two looks at what was notified: notifications of a busy form never end.
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
    store.retry(|| attempt(store, form, scope)).await
}

async fn attempt(store: &Store, form: FormKey, scope: ScanScope) -> Result<RolledUp, Error> {
    let mut tx = store.begin_by_key().await?;
    let rolled_up = tx.roll_up(form, scope).await?;
    if rolled_up.rows == 0 {
        tx.rollback().await?;
        return Ok(rolled_up);
    }
    match tx.commit().await? {
        Committed::Done => {}
        // The next round shows whether the rows are still there; it follows whenever there were rows.
        Committed::Unknown(error) => {
            tracing::warn!(%error, form.id = %form.form_id, "commit without an answer");
        }
    }
    Ok(rolled_up)
}

/// Notifies the [`RollupJob`] of forms with pending counts. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct RollupNotifier(Arc<NotifiedForms>);

#[derive(Debug, Default)]
struct NotifiedForms {
    forms: Mutex<Forms>,
    notify: Notify,
}

/// Forms with pending counts.
#[derive(Debug, Default)]
struct Forms {
    notified: BTreeMap<FormKey, ScanScope>,
    /// Forms that wait for a place.
    waiting: BTreeMap<FormKey, ScanScope>,
}

impl RollupNotifier {
    /// Says that a form has pending counts.
    pub fn notify(&self, form: FormKey) {
        self.put(form, ScanScope::Recent);
    }

    fn put(&self, form: FormKey, scope: ScanScope) {
        let mut forms = self.0.forms.lock();
        if let Some(waiting) = forms.waiting.get_mut(&form) {
            *waiting = scope.max(*waiting);
            return;
        }
        let known = forms.notified.entry(form).or_insert(scope);
        *known = scope.max(*known);
        drop(forms);
        self.0.notify.notify_one();
    }
}

/// The loop that rolls up.
pub struct RollupJob {
    notifier: RollupNotifier,
    store: Store,
    cache: Cache,
    pub(crate) heartbeat: Heartbeat,
}

impl RollupJob {
    /// A job that also writes the months that it changed to the cache.
    pub fn new(store: Store, cache: Cache) -> Self {
        Self {
            notifier: RollupNotifier::default(),
            store,
            cache,
            heartbeat: Heartbeat::default(),
        }
    }

    /// What notifies it.
    pub fn notifier(&self) -> RollupNotifier {
        self.notifier.clone()
    }

    /// Rolls up what it is notified of and what its scans find, until `shutdown`.
    pub async fn run(self, shutdown: CancellationToken) {
        // Beside each other, because a transaction that waits for a scan holds its locks.
        tokio::select! {
            () = self.work(&shutdown) => {}
            () = self.scan() => {}
        }
    }

    /// Each form is a task of its own; none waits for another's. Accounts take turns, so that the forms of one delay nobody
    /// else's.
    async fn work(&self, shutdown: &CancellationToken) {
        let places = Places::new(self.store.concurrent_roll_ups());
        let (mut forms, mut tasks) = (BTreeSet::new(), FuturesUnordered::new());
        let (mut paced, mut away) = (Instant::now(), false);
        while !shutdown.is_cancelled() {
            self.heartbeat.record();
            tokio::select! {
                () = shutdown.cancelled() => break,
                Some((form, done)) = tasks.next() => {
                    forms.remove(&form);
                    // Takes up notifications of the form that came meanwhile.
                    self.notifier.0.notify.notify_one();
                    if let Err(error) = &done && !away {
                        tracing::warn!(error = %one_line(error), "the database is away; rolling up waits");
                    }
                    away = done.is_err();
                }
                () = self.notified(paced) => {
                    let mut shared = self.notifier.0.forms.lock();
                    // What is under way is left until it ends.
                    let (left, begun): (BTreeMap<_, _>, BTreeMap<_, _>) =
                        take(&mut shared.notified).into_iter().partition(|(form, _)| forms.contains(form));
                    shared.notified = left;
                    for (form, scope) in begun {
                        forms.insert(form);
                        shared.waiting.insert(form, scope);
                        tasks.push(self.roll_up(form, &places, shutdown));
                    }
                    drop(shared);
                    paced = Instant::now() + PACE;
                }
                () = sleep(POLL) => {}
            }
        }
        // What is under way is finished.
        while tasks.next().await.is_some() {}
    }

    async fn notified(&self, paced: Instant) {
        sleep_until(paced).await;
        self.notifier.0.notify.notified().await;
    }

    /// Rolls up a form, once there is a place for its account. The form, and whether the database was there.
    async fn roll_up(
        &self,
        form: FormKey,
        places: &Places,
        shutdown: &CancellationToken,
    ) -> (FormKey, Result<(), Error>) {
        let _place = places.take(form.account_id).await;
        let scope = self.notifier.0.forms.lock().waiting.remove(&form);
        // Where its node is away a scan finds the form again once that is back.
        let goes_on = !shutdown.is_cancelled() && !self.store.is_away(form.account_id);
        match scope.filter(|_| goes_on) {
            // Boxed, because many may wait.
            Some(scope) => (form, Box::pin(self.roll_up_now(form, scope)).await),
            None => (form, Ok(())),
        }
    }

    async fn roll_up_now(&self, form: FormKey, scope: ScanScope) -> Result<(), Error> {
        let (started, at) = (Instant::now(), SystemTime::now());
        let done = run(&self.store, form, scope).await;
        let took = started.elapsed();
        if let Ok(RolledUp { rows: 0, .. }) = done {
            return Ok(());
        }
        // A trace of its own: it adds what many requests brought.
        let mut span = Span::begun(at, "roll up form", SpanKind::Internal, None);
        span.set("form.id", form.form_id);
        match done {
            Ok(RolledUp { rows, touched }) => {
                span.set_number("rows", rows);
                counter!("feedback_rolled_up_deltas_total").increment(rows as u64);
                histogram!("feedback_rollup_seconds").record(took.as_secs_f64());
                tracing::debug!(form.id = %form.form_id, rows, ?took, "form rolled up");
                self.notifier.put(form, scope);
                let refreshed = report::refresh_months(&self.store, &self.cache, form, touched);
                if let Err(error) = refreshed.await {
                    tracing::debug!(form.id = %form.form_id, %error, "counts not cached");
                }
                Ok(())
            }
            Err(error) if error.is_unavailable() => {
                span.fail("unavailable");
                drop(span);
                if self.store.leave_out(form.account_id, &error) {
                    return Ok(());
                }
                self.notifier.put(form, scope);
                sleep(AWAY).await;
                Err(error)
            }
            Err(error) => {
                span.fail("broken");
                tracing::error!(form.id = %form.form_id, error = %one_line(&error), "form not rolled up");
                Ok(())
            }
        }
    }

    /// Finds forms with pending counts without a notification, again and again.
    async fn scan(&self) {
        let (mut watermark, mut next_full) = (Watermark::new(Utc::now()), Instant::now());
        loop {
            let now = Instant::now();
            let full = next_full <= now;
            let (above, scope) = if full {
                (0, ScanScope::All)
            } else {
                (watermark.position, ScanScope::Recent)
            };
            match self.store.pending_forms(above).await {
                Ok(found) => {
                    if full {
                        next_full = now + FULL_SCAN;
                    }
                    watermark.advance(found.last, Utc::now());
                    for form in found.forms {
                        self.notifier.put(form, scope);
                    }
                }
                Err(error) => tracing::debug!(%error, "no scan of pending counts"),
            }
            sleep_until(now + POLL).await;
        }
    }
}
