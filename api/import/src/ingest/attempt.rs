//! One try to import a body: the batch that it writes, the idempotency key that it holds, the heartbeat that keeps
//! both, and its end: accepted, refused or abandoned.
//!
//! An attempt that is dropped because its caller went away abandons itself. The commit runs in a task of its own, so a
//! caller who goes away in the middle of it leaves nothing undecided.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use store::import::{FinishedImport, ImportAttempt, Reservation};
use tokio::runtime::Handle;
use tokio::sync::SetOnce;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::Instrument;
use uuid::Uuid;

use super::error::{fault, in_flight};
use super::parse::Tally;
use super::writer::Writer;
use api_http::{AppState, Code, Problem, Result};
use platform::request_id::RequestId;

/// How often an attempt shows that it is alive. One that is silent for 10 s is taken over.
const HEARTBEAT: Duration = Duration::from_millis(2_500);
/// A database that has answered no heartbeat for so long is away, and the caller hears of it within 10 s.
const AWAY: Duration = Duration::from_secs(7);
/// How long a caller waits for the commit.
const COMMIT: Duration = Duration::from_secs(10);
/// How long a caller waits for an attempt to be cleared away.
const CLEARING: Duration = Duration::from_secs(1);

/// One try to import a body.
pub struct Attempt {
    state: AppState,
    writer: Writer,
    /// Whether there is anything to clear away.
    touched: AtomicBool,
    /// Why it cannot come to a good end.
    lost: Arc<SetOnce<Problem>>,
    _heartbeat: DropGuard,
}

impl Attempt {
    /// Begins an attempt, with its idempotency key reserved, unless it was answered before: then that answer. `query` is the
    /// query in one fixed form.
    ///
    /// # Errors
    /// The key is in flight, or the database does not answer.
    pub async fn open(
        state: &AppState,
        import: ImportAttempt,
        query: &str,
    ) -> Result<(Self, Option<FinishedImport>)> {
        let writer = Writer::new(&state.store, import);
        let lost = Arc::new(SetOnce::new());
        let stop = CancellationToken::new();
        let heartbeat = heartbeat(writer.clone(), Arc::clone(&lost));
        let until_stopped = stop.clone().run_until_cancelled_owned(heartbeat);
        state.tasks.spawn(until_stopped);
        let attempt = Self {
            state: state.clone(),
            touched: AtomicBool::new(writer.import.key.is_some()),
            writer,
            lost,
            _heartbeat: stop.drop_guard(),
        };
        let Some(key) = attempt.writer.import.key.as_deref() else {
            return Ok((attempt, None));
        };
        let finished = match attempt.writer.reserve(key, query).await? {
            Reservation::Mine => return Ok((attempt, None)),
            Reservation::InFlight => Err(in_flight()),
            Reservation::Finished(first) => Ok(first),
        };
        attempt.untouch();
        Ok((attempt, Some(finished?)))
    }

    pub fn batch_id(&self) -> Uuid {
        self.writer.import.batch_id
    }

    pub fn writer(&self) -> Writer {
        self.writer.clone()
    }

    /// Whether the first answer will be remembered, for which the body's hash is needed.
    pub fn is_idempotent(&self) -> bool {
        self.writer.import.key.is_some()
    }

    /// The result of `work`, which is given up once the attempt is lost.
    ///
    /// # Errors
    /// Its own; the attempt was taken over; the database does not answer.
    pub async fn unless_lost<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        tokio::select! {
            result = work => result,
            lost = self.lost.wait() => Err(lost.clone()),
        }
    }

    /// Begins the batch.
    ///
    /// # Errors
    /// The database does not answer.
    pub async fn begin(&self) -> Result<()> {
        self.touched.store(true, Ordering::Release);
        self.writer.begin().await
    }

    /// Accepts the batch with one commit and notifies the workers; `answer` is remembered under the key.
    ///
    /// # Errors
    /// The attempt was taken over, or the database does not answer. Then nothing was accepted, as far as can be told.
    pub async fn accept(self, tally: Tally, request_id: RequestId, answer: Bytes) -> Result<()> {
        let (writer, notifier) = (self.writer(), self.state.notifier.clone());
        self.end(async move {
            let lane = writer.queue(&tally, &request_id, &answer).await?;
            // The answer never waits for the broker.
            notifier.import_accepted(writer.import.account_id, lane);
            Ok(())
        })
        .await
    }

    /// Ends with nothing stored but the answer, under the key.
    ///
    /// # Errors
    /// The attempt was taken over, or the database does not answer.
    pub async fn refuse(self, tally: Tally, answer: Bytes) -> Result<()> {
        if !self.touched.load(Ordering::Acquire) {
            return Ok(());
        }
        let writer = self.writer();
        self.end(async move { writer.refuse(&tally, &answer).await })
            .await
    }

    /// Waits for the last commit, which goes on by itself when it takes too long.
    async fn end(self, commit: impl Future<Output = Result<()>> + Send + 'static) -> Result<()> {
        let tasks = self.state.tasks.clone();
        let ending = async move {
            match commit.await {
                Ok(()) => {
                    self.untouch();
                    Ok(())
                }
                Err(problem) => Err(self.give_up(problem).await),
            }
        };
        match timeout(COMMIT, tasks.spawn(ending.in_current_span())).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(fault("the commit stopped")),
            Err(late) => Err(store::Error::Unavailable(late.into()).into()),
        }
    }

    /// Clears the attempt away, so that its key is free when the caller hears why it failed. A database that does not
    /// answer is not waited for.
    pub async fn give_up(self, problem: Problem) -> Problem {
        if !matches!(problem.code(), Code::Unavailable | Code::Internal)
            && let Some(clearing) = self.clearing()
        {
            let _ = timeout(CLEARING, self.state.tasks.spawn(clearing)).await;
        }
        problem
    }

    /// What clears the attempt away, unless there is nothing to clear.
    fn clearing(&self) -> Option<impl Future<Output = ()> + Send + use<>> {
        let touched = self.touched.swap(false, Ordering::AcqRel);
        let writer = self.writer.clone();
        touched.then_some(async move { writer.abandon().await })
    }

    fn untouch(&self) {
        self.touched.store(false, Ordering::Release);
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        // Outside of a runtime there is nobody left to clear anything.
        if let (Ok(handle), Some(clearing)) = (Handle::try_current(), self.clearing()) {
            self.state.tasks.spawn_on(clearing, &handle);
        }
    }
}

/// Writes heartbeats until the attempt is `lost`.
async fn heartbeat(writer: Writer, lost: Arc<SetOnce<Problem>>) {
    let mut tick = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut answered = Instant::now();
    loop {
        tick.tick().await;
        let found = match writer.heartbeat().await {
            Ok(true) => {
                answered = Instant::now();
                continue;
            }
            Ok(false) => in_flight(),
            Err(error) if answered.elapsed() >= AWAY => error.into(),
            Err(error) => {
                tracing::debug!(batch.id = %writer.import.batch_id, %error, "a heartbeat was missed");
                continue;
            }
        };
        let _ = lost.set(found);
        return;
    }
}
