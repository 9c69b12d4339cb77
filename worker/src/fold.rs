//! The job that folds what links collected into the rollups that reports read, and the loop that keeps at it.
//!
//! Idempotency: the transaction that counts a delta deletes its row in the inbox. Whoever comes second finds no row
//! and does nothing. Rings are coalesced on the trailing edge: a form that had something is looked at again, so a ring
//! that comes while it is being folded is not lost; and rings that never came are made up for by a look at the inbox.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use chrono::Utc;
use futures::{StreamExt, stream};
use metrics::{counter, histogram};
use platform::ops::Pulse;
use platform::start::one_line;
use store::form::FormKey;
use store::report::{Folded, Reach, Trail};
use store::{Committed, Error, Store};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::refresh::Refresher;

/// How often a fold is tried again at once when other transactions stood in the way.
const TRIES: usize = 5;
/// Forms folded at once.
const AT_ONCE: usize = 4;
/// The least time between two rounds: a hot form rings all the time.
const PACE: Duration = Duration::from_millis(50);
/// A silent bell is believed this long.
const POLL: Duration = Duration::from_millis(250);
/// A look from the first row on, for what a transaction that took very long left behind.
const SWEEP: Duration = Duration::from_mins(1);
/// Pause while the database is away.
const AWAY: Duration = Duration::from_millis(250);

/// Folds what waits for a form, as far as one transaction goes.
///
/// # Errors
/// The database is unavailable, or what is stored cannot be read.
pub async fn run(store: &Store, form: FormKey, reach: Reach) -> Result<Folded, Error> {
    let mut tried = 1;
    loop {
        match attempt(store, form, reach).await {
            Err(Error::Conflict(_)) if tried < TRIES => tried += 1,
            result => return result,
        }
    }
}

async fn attempt(store: &Store, form: FormKey, reach: Reach) -> Result<Folded, Error> {
    let mut tx = store.begin().await?;
    let folded = tx.fold(form, reach).await?;
    if folded.rows > 0 {
        match tx.commit().await? {
            Committed::Done => {}
            // Whether the rows are still there shows the next look, which follows whenever there was something.
            Committed::Unknown(error) => {
                tracing::warn!(%error, form.id = %form.form_id, "commit without an answer");
            }
        }
    }
    Ok(folded)
}

/// Rings for forms that have something in the inbox. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Folder {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    waiting: Mutex<BTreeMap<FormKey, Reach>>,
    bell: Notify,
}

impl Folder {
    /// Says that something waits for a form.
    pub fn ring(&self, form: FormKey) {
        self.put(form, Reach::Recent);
        self.shared.bell.notify_one();
    }

    fn put(&self, form: FormKey, reach: Reach) {
        let mut waiting = self.waiting();
        let known = waiting.entry(form).or_insert(reach);
        *known = reach.max(*known);
    }

    fn take(&self) -> BTreeMap<FormKey, Reach> {
        std::mem::take(&mut *self.waiting())
    }

    fn waiting(&self) -> MutexGuard<'_, BTreeMap<FormKey, Reach>> {
        self.shared
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The loop behind a [`Folder`].
#[derive(Debug)]
pub struct Folding {
    folder: Folder,
    store: Store,
    refresher: Refresher,
    pulse: Pulse,
    trail: Trail,
    looked: Option<Instant>,
    swept: Option<Instant>,
}

impl Folding {
    /// A loop that rings the refresher for the months that it changed.
    pub fn new(store: Store, refresher: Refresher) -> Self {
        Self {
            folder: Folder::default(),
            store,
            refresher,
            pulse: Pulse::new(),
            trail: Trail::new(Utc::now()),
            looked: None,
            swept: None,
        }
    }

    /// The bell that it answers.
    pub fn folder(&self) -> Folder {
        self.folder.clone()
    }

    pub(crate) fn pulse(&self) -> Pulse {
        self.pulse.clone()
    }

    /// Answers rings, and looks by itself, until `shutdown`.
    pub async fn run(mut self, shutdown: CancellationToken) {
        let mut away = false;
        while !shutdown.is_cancelled() {
            self.pulse.beat();
            let turned = self.turn().await;
            if let Err(error) = &turned
                && !away
            {
                tracing::warn!(error = %one_line(error), "the database is away; folding waits");
            }
            away = turned.is_err();
            let (busy, pause) = match turned {
                Ok(true) => (true, PACE),
                Ok(false) => (false, POLL),
                Err(_) => (true, AWAY),
            };
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = tokio::time::sleep(pause) => {}
                () = self.folder.shared.bell.notified(), if !busy => {}
            }
        }
    }

    /// One round over the forms that wait. Whether there were any.
    async fn turn(&mut self) -> Result<bool, Error> {
        if self.looked.is_none_or(|looked| looked.elapsed() >= POLL) {
            self.look().await?;
        }
        let waiting = self.folder.take();
        let busy = !waiting.is_empty();
        let mut folds = stream::iter(waiting)
            .map(|(form, reach)| self.fold(form, reach))
            .buffer_unordered(AT_ONCE);
        let mut result = Ok(busy);
        while let Some(folded) = folds.next().await {
            if let Err(error) = folded {
                result = Err(error);
            }
        }
        result
    }

    async fn fold(&self, form: FormKey, reach: Reach) -> Result<(), Error> {
        let started = Instant::now();
        match run(&self.store, form, reach).await {
            Ok(Folded { rows: 0, .. }) => Ok(()),
            Ok(Folded { rows, touched }) => {
                counter!("feedback_folded_deltas_total").increment(rows as u64);
                histogram!("feedback_fold_seconds").record(started.elapsed().as_secs_f64());
                tracing::debug!(form.id = %form.form_id, rows, took = ?started.elapsed(), "form folded");
                self.folder.put(form, reach);
                self.refresher.ring_months(form, touched);
                Ok(())
            }
            // Somebody holds the form, such as a rebuild. The others are not kept waiting for it.
            Err(Error::Conflict(_)) => {
                self.folder.put(form, reach);
                Ok(())
            }
            Err(error) if error.is_unavailable() => {
                self.folder.put(form, reach);
                Err(error)
            }
            Err(error) => {
                tracing::error!(form.id = %form.form_id, error = %one_line(&error), "form not folded");
                Ok(())
            }
        }
    }

    /// Looks at the inbox for forms that nobody rang for.
    async fn look(&mut self) -> Result<(), Error> {
        let sweep = self.swept.is_none_or(|swept| swept.elapsed() >= SWEEP);
        let (above, reach) = if sweep {
            (0, Reach::All)
        } else {
            (self.trail.low, Reach::Recent)
        };
        let waiting = self.store.forms_waiting(above).await?;
        self.looked = Some(Instant::now());
        if sweep {
            self.swept = self.looked;
        }
        self.trail.advance(waiting.last, Utc::now());
        for form in waiting.forms {
            self.folder.put(form, reach);
        }
        Ok(())
    }
}
