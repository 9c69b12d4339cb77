//! The job that adds pending counts to the rollups that reports read, and its loop.
//!
//! Idempotency: the transaction that adds a delta deletes its row. A second one finds no row and does nothing.
//! Notifications are coalesced on the trailing edge: a form that had pending rows is read again, so a notification that
//! arrives during its roll-up is not lost. A scan of the pending rows makes up for notifications that never arrived.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use chrono::Utc;
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use indexmap::IndexMap;
use metrics::{counter, histogram};
use parking_lot::Mutex;
use platform::cache::Cache;
use platform::health::Heartbeat;
use platform::start::one_line;
use platform::turns::{Turn, Turns};
use store::form::FormKey;
use store::report::{RolledUp, ScanScope, Watermark};
use store::{Committed, Error, Store};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

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
pub struct RollupNotifier {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    notified: Mutex<BTreeMap<FormKey, ScanScope>>,
    notify: Notify,
}

impl RollupNotifier {
    /// Says that a form has pending counts.
    pub fn notify(&self, form: FormKey) {
        self.put(form, ScanScope::Recent);
    }

    fn put(&self, form: FormKey, scope: ScanScope) {
        let mut notified = self.shared.notified.lock();
        let known = notified.entry(form).or_insert(scope);
        *known = scope.max(*known);
        drop(notified);
        self.shared.notify.notify_one();
    }
}

/// The forms to roll up. Accounts take turns, so that the forms of one delay nobody else's.
#[derive(Debug, Default)]
struct Line {
    turns: Turns,
    /// Those of an account in the order in which they came.
    forms: HashMap<Uuid, IndexMap<Uuid, ScanScope>>,
    under_way: BTreeSet<FormKey>,
}

/// One roll-up of a form. It ends with [`Line::end`].
struct Task {
    turn: Turn,
    form: FormKey,
    scope: ScanScope,
}

impl Line {
    /// Takes in what was notified. A form that is rolled up right now is left for later.
    fn add(&mut self, notified: &mut BTreeMap<FormKey, ScanScope>) {
        notified.retain(|form, scope| {
            if self.under_way.contains(form) {
                return true;
            }
            let of_account = self.forms.entry(form.account_id).or_default();
            let known = of_account.entry(form.form_id).or_insert(*scope);
            *known = (*scope).max(*known);
            self.turns.add(form.account_id);
            false
        });
    }

    fn take(&mut self) -> Option<Task> {
        let turn = self.turns.take()?;
        let forms = self.forms.get_mut(&turn.account_id)?;
        let (form_id, scope) = forms.shift_remove_index(0)?;
        if forms.is_empty() {
            self.forms.remove(&turn.account_id);
            self.turns.clear(&turn);
        }
        let form = FormKey::new(turn.account_id, form_id);
        self.under_way.insert(form);
        Some(Task { turn, form, scope })
    }

    fn end(&mut self, task: &Task, took: Duration) {
        self.under_way.remove(&task.form);
        let used = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.turns.end(&task.turn, used);
    }
}

/// The loop that rolls up.
pub struct RollupJob {
    notifier: RollupNotifier,
    store: Store,
    cache: Cache,
    heartbeat: Heartbeat,
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

    pub(crate) fn heartbeat(&self) -> Heartbeat {
        self.heartbeat.clone()
    }

    /// Rolls up what it is notified of and what its scans find, until `shutdown`.
    pub async fn run(self, shutdown: CancellationToken) {
        // Beside each other, because a transaction that waits for a scan holds its locks.
        tokio::select! {
            () = self.work(&shutdown) => {}
            () = self.scan() => {}
        }
    }

    /// Each form is a task of its own; none waits for another's.
    async fn work(&self, shutdown: &CancellationToken) {
        let (mut line, mut tasks) = (Line::default(), FuturesUnordered::new());
        let (mut paced, mut away) = (Instant::now(), false);
        while !shutdown.is_cancelled() {
            self.heartbeat.record();
            while tasks.len() < self.store.concurrent_roll_ups()
                && let Some(task) = line.take()
            {
                tasks.push(self.roll_up(task));
            }
            tokio::select! {
                () = shutdown.cancelled() => break,
                Some((task, took, done)) = tasks.next() => {
                    line.end(&task, took);
                    // What was notified of the form meanwhile was left.
                    self.notifier.shared.notify.notify_one();
                    if let Err(error) = &done && !away {
                        tracing::warn!(error = %one_line(error), "the database is away; rolling up waits");
                    }
                    away = done.is_err();
                }
                () = self.notified(paced) => {
                    line.add(&mut self.notifier.shared.notified.lock());
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
        self.notifier.shared.notify.notified().await;
    }

    /// The task, how long it took, and whether the database was there.
    async fn roll_up(&self, task: Task) -> (Task, Duration, Result<(), Error>) {
        let started = Instant::now();
        let done = run(&self.store, task.form, task.scope).await;
        let took = started.elapsed();
        let form = task.form;
        let done = match done {
            Ok(RolledUp { rows: 0, .. }) => Ok(()),
            Ok(RolledUp { rows, touched }) => {
                counter!("feedback_rolled_up_deltas_total").increment(rows as u64);
                histogram!("feedback_rollup_seconds").record(took.as_secs_f64());
                tracing::debug!(form.id = %form.form_id, rows, ?took, "form rolled up");
                self.notifier.put(form, task.scope);
                let refreshed = report::refresh_months(&self.store, &self.cache, form, touched);
                if let Err(error) = refreshed.await {
                    tracing::debug!(form.id = %form.form_id, %error, "counts not cached");
                }
                Ok(())
            }
            Err(error) if error.is_unavailable() => {
                self.notifier.put(form, task.scope);
                sleep(AWAY).await;
                Err(error)
            }
            Err(error) => {
                tracing::error!(form.id = %form.form_id, error = %one_line(&error), "form not rolled up");
                Ok(())
            }
        };
        (task, took, done)
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
