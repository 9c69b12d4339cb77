//! One try to bring a body in: the batch that it writes, the idempotency key that it holds, the heartbeat that keeps
//! both, and the end of it: accepted, refused or abandoned.
//!
//! An attempt that is dropped (its caller went away) abandons itself. The commit runs in a task of its own, so that
//! nobody who goes away in the middle of it leaves its outcome open.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use store::import::{FinishedImport, Reservation};
use tokio::runtime::Handle;
use tokio::sync::OnceCell;
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::Instrument;
use uuid::Uuid;

use super::parse::Tally;
use super::writer::Writer;
use super::{Fault, Refusal};
use crate::doorbell::Doorbell;
use api_http::AppState;
use platform::request_id::RequestId;

/// An attempt that is silent for 10 s is taken over.
const BEAT: Duration = Duration::from_millis(2_500);
/// How long a caller waits for the commit.
const COMMIT: Duration = Duration::from_secs(10);
/// How long a caller waits for an attempt to be cleared away.
const CLEARING: Duration = Duration::from_secs(1);

/// What an idempotency key gives.
pub enum Opened {
    /// This attempt may bring the body in.
    Mine(Attempt),
    /// It was answered before.
    Finished(FinishedImport),
}

/// One try to bring a body in.
pub struct Attempt {
    state: AppState,
    writer: Writer,
    begun: OnceCell<()>,
    /// Whether there is anything to clear away.
    touched: AtomicBool,
    /// The batch or the key is no longer this attempt's.
    lost: CancellationToken,
    _beating: DropGuard,
}

impl Attempt {
    /// Begins an attempt, with its idempotency key reserved. `query` is the query in one fixed form.
    ///
    /// # Errors
    /// The key is in flight, or the database does not answer.
    pub async fn open(
        state: &AppState,
        account_id: Uuid,
        key: Option<String>,
        query: &str,
    ) -> Result<Opened, Refusal> {
        let attempt = Self::start(state, Writer::new(state.store(), account_id, key));
        let Some(key) = attempt.writer.key() else {
            return Ok(Opened::Mine(attempt));
        };
        attempt.touch();
        let reserved = attempt.writer.reserve(key, query).await;
        match reserved.map_err(Refusal::Store)? {
            Reservation::Mine => Ok(Opened::Mine(attempt)),
            Reservation::InFlight => {
                attempt.untouch();
                Err(Refusal::InFlight)
            }
            Reservation::Finished(first) => {
                attempt.untouch();
                Ok(Opened::Finished(first))
            }
        }
    }

    fn start(state: &AppState, writer: Writer) -> Self {
        let lost = CancellationToken::new();
        let stop = CancellationToken::new();
        state
            .tasks()
            .spawn(beat(writer.clone(), lost.clone(), stop.clone()));
        Self {
            state: state.clone(),
            writer,
            begun: OnceCell::new(),
            touched: AtomicBool::new(false),
            lost,
            _beating: stop.drop_guard(),
        }
    }

    pub fn batch_id(&self) -> Uuid {
        self.writer.batch_id()
    }

    pub fn writer(&self) -> Writer {
        self.writer.clone()
    }

    /// Whether the first answer will be remembered, for which the body's hash is needed.
    pub fn is_idempotent(&self) -> bool {
        self.writer.key().is_some()
    }

    /// Ends when the attempt was taken over.
    pub async fn lost(&self) {
        self.lost.cancelled().await;
    }

    /// Begins the batch, the first time.
    ///
    /// # Errors
    /// The database does not answer.
    pub async fn begin(&self) -> Result<(), Refusal> {
        let begin = || async {
            self.touch();
            self.writer.begin().await
        };
        let result = self.begun.get_or_try_init(begin).await;
        result.copied().map_err(Refusal::Store)
    }

    /// Accepts the batch with one commit and rings for its chunks; `answer` is remembered under the key.
    ///
    /// # Errors
    /// The attempt was taken over, or the database does not answer. Then nothing was accepted, as far as can be told.
    pub async fn accept(
        self,
        tally: Tally,
        request_id: RequestId,
        answer: Bytes,
    ) -> Result<(), Refusal> {
        let tasks = self.state.tasks().clone();
        let commit = async move {
            let lane = match self.writer.queue(&tally, &request_id, &answer).await {
                Ok(lane) => lane,
                Err(error) => return Err(self.give_up(Refusal::Store(error)).await),
            };
            self.untouch();
            let doorbell = Doorbell {
                account_id: self.writer.account_id(),
                batch_id: self.writer.batch_id(),
                lane,
                request_id,
            };
            // The answer never waits for the broker.
            doorbell.ring_later(&self.state, (0..tally.chunks).collect());
            Ok(())
        };
        ended(tasks.spawn(commit.in_current_span())).await
    }

    /// Ends with nothing stored but the answer, under the key.
    ///
    /// # Errors
    /// The attempt was taken over, or the database does not answer.
    pub async fn refuse(self, tally: Tally, answer: Bytes) -> Result<(), Refusal> {
        if !self.touched.load(Ordering::Acquire) {
            return Ok(());
        }
        let tasks = self.state.tasks().clone();
        let commit = async move {
            match self.writer.refuse(&tally, &answer).await {
                Ok(()) => {
                    self.untouch();
                    Ok(())
                }
                Err(error) => Err(self.give_up(Refusal::Store(error)).await),
            }
        };
        ended(tasks.spawn(commit.in_current_span())).await
    }

    /// Clears the attempt away, so that its key is free when the caller hears why it failed. A database that does not
    /// answer is not waited for.
    pub async fn give_up(self, refusal: Refusal) -> Refusal {
        let refusal = match refusal {
            // Taken over by another attempt; without a key, swept away while this one was frozen.
            Refusal::Store(store::Error::Lost) if self.is_idempotent() => Refusal::InFlight,
            Refusal::Store(lost @ store::Error::Lost) => {
                Refusal::Store(store::Error::Unavailable(lost.into()))
            }
            other => other,
        };
        if !matches!(refusal, Refusal::Store(_))
            && let Some(clearing) = self.clearing()
        {
            let _ = timeout(CLEARING, self.state.tasks().spawn(clearing)).await;
        }
        refusal
    }

    /// What clears the attempt away, unless there is nothing to clear.
    fn clearing(&self) -> Option<impl Future<Output = ()> + Send + use<>> {
        let touched = self.touched.swap(false, Ordering::AcqRel);
        let writer = self.writer.clone();
        touched.then_some(async move { writer.abandon().await })
    }

    fn touch(&self) {
        self.touched.store(true, Ordering::Release);
    }

    fn untouch(&self) {
        self.touched.store(false, Ordering::Release);
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        // Outside of a runtime there is nobody left to clear anything.
        if let (Ok(handle), Some(clearing)) = (Handle::try_current(), self.clearing()) {
            self.state.tasks().spawn_on(clearing, &handle);
        }
    }
}

/// Waits for the end of an attempt, which goes on by itself when it takes too long.
async fn ended(commit: JoinHandle<Result<(), Refusal>>) -> Result<(), Refusal> {
    match timeout(COMMIT, commit).await {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => Err(Refusal::Fault(Fault("the commit stopped"))),
        Err(late) => Err(Refusal::Store(store::Error::Unavailable(late.into()))),
    }
}

/// The heartbeat, until `stop` or until the attempt is `lost`.
async fn beat(writer: Writer, lost: CancellationToken, stop: CancellationToken) {
    let mut tick = interval_at(Instant::now() + BEAT, BEAT);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while stop.run_until_cancelled(tick.tick()).await.is_some() {
        match writer.beat().await {
            Ok(true) => {}
            Ok(false) => return lost.cancel(),
            // What the attempt itself asks of the database will show it.
            Err(error) => {
                tracing::debug!(batch.id = %writer.batch_id(), %error, "a heartbeat was missed");
            }
        }
    }
}
