//! One try to import a body: the batch that it writes, the idempotency key that it holds, the heartbeat that keeps
//! both, and its end: accepted, refused or abandoned.
//!
//! It always writes under its own name: a statement of an attempt that was taken over changes nothing. Runs and blocks of
//! errors are compressed and stored a few at once. An attempt that is dropped because its caller went away abandons itself. The
//! commit runs in a task of its own, so a caller who goes away in the middle of it leaves nothing undecided.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::http::StatusCode;
use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream};
use store::import::{FinishedImport, FirstAnswer, ImportAttempt, QueueBatch, Reservation};
use store::{Error, Store, on_behalf_of};
use tokio::runtime::Handle;
use tokio::sync::SetOnce;
use tokio::sync::mpsc::Receiver;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::Instrument;

use super::collector::{BodySummary, Piece};
use super::{fault, in_flight};
use api_http::{AppState, Code, Problem, QUICK, Result, within};
use platform::request_id::RequestId;

/// How often an attempt shows that it is alive, and how long that may take. One that is silent for 10 s is taken over.
const HEARTBEAT: Duration = Duration::from_millis(2_500);
/// A database that has answered no heartbeat for so long is away, and the caller hears of it within 10 s.
const AWAY: Duration = Duration::from_secs(7);
/// A database that takes longer for one piece does not answer.
const PIECE: Duration = Duration::from_secs(10);
/// The pieces that are compressed or stored at once, at most.
const AT_ONCE: usize = 2;
/// How long a caller waits for the commit.
const COMMIT: Duration = Duration::from_secs(10);
/// How long a caller waits for an attempt to be cleared away.
const CLEARING: Duration = Duration::from_secs(1);

/// One try to import a body.
pub struct Attempt {
    state: AppState,
    pub import: ImportAttempt,
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
        let lost = Arc::new(SetOnce::new());
        let stop = CancellationToken::new();
        let heartbeat = heartbeat(state.store.clone(), import.clone(), Arc::clone(&lost));
        let until_stopped = stop.clone().run_until_cancelled_owned(heartbeat);
        state.tasks.spawn(until_stopped);
        let attempt = Self {
            state: state.clone(),
            touched: AtomicBool::new(import.key.is_some()),
            import,
            lost,
            _heartbeat: stop.drop_guard(),
        };
        let Some(key) = attempt.import.key.as_deref() else {
            return Ok((attempt, None));
        };
        let reserving = state.store.reserve(&attempt.import, key, query);
        let finished = match attempt.explain(within(QUICK, reserving).await)? {
            Reservation::Mine => return Ok((attempt, None)),
            Reservation::InFlight => Err(in_flight()),
            Reservation::Finished(first) => Ok(first),
        };
        attempt.mark_clean();
        Ok((attempt, Some(finished?)))
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

    /// What a statement of the attempt came to.
    fn explain<T>(&self, result: Result<T, Error>) -> Result<T> {
        result.map_err(|error| match error {
            // Taken over by another attempt; without a key, swept away while this one was frozen.
            Error::Lost if self.import.key.is_some() => in_flight(),
            Error::Lost => Error::Unavailable(error.into()).into(),
            Error::CampaignEnded => Problem::new(Code::CampaignNotRunning, error.to_string()),
            other => other.into(),
        })
    }

    /// Stores the pieces as they come, under a batch that begins with the first.
    ///
    /// # Errors
    /// The database does not answer, or the attempt is lost. Pieces on their way are given up.
    pub async fn store_all(&self, mut pieces: Receiver<Piece>) -> Result<()> {
        let pieces = stream::poll_fn(|context| pieces.poll_recv(context));
        let mut pieces = pin!(pieces.peekable());
        if pieces.as_mut().peek().await.is_some() {
            self.touched.store(true, Ordering::Release);
            let beginning = self.state.store.begin_batch(&self.import);
            self.explain(within(QUICK, beginning).await)?;
        }
        // Each waits for a turn of its own at the database.
        let store = |piece| on_behalf_of(self.import.account_id, self.store(piece));
        pieces.map(Ok).try_for_each_concurrent(AT_ONCE, store).await
    }

    async fn store(&self, piece: Piece) -> Result<()> {
        let (store, import) = (&self.state.store, &self.import);
        match piece {
            Piece::Run {
                place,
                run,
                chunk_records,
            } => {
                let chunks = spawn_blocking(move || run.compress(chunk_records))
                    .await
                    .map_err(|_| fault("a run could not be compressed"))?;
                for (no, (records, payload)) in place.chunk_numbers().zip(chunks) {
                    let records = i64::try_from(records).unwrap_or(i64::MAX);
                    let adding = store.add_chunk(import, no, records, payload);
                    self.explain(within(PIECE, adding).await)?;
                }
                Ok(())
            }
            Piece::Errors { first, errors } => {
                let adding = store.add_errors(import, first, &errors);
                self.explain(within(PIECE, adding).await)
            }
            // Only previews have them.
            Piece::DocIds(_) => Ok(()),
        }
    }

    /// Ends with one commit, under which `answer` is remembered if there is a key: accepts the batch for a request of this id, or
    /// without one leaves nothing stored but the answer. A commit that takes too long goes on by itself.
    ///
    /// # Errors
    /// The attempt was taken over, or the database does not answer. Then nothing was accepted, as far as can be told.
    pub async fn end(
        self,
        summary: BodySummary,
        accepted: Option<RequestId>,
        answer: Bytes,
    ) -> Result<()> {
        let tasks = self.state.tasks.clone();
        let ending = async move {
            let ended = match &accepted {
                Some(request_id) => self.accept(&summary, request_id, &answer).await,
                None => self.refuse(&summary, &answer).await,
            };
            match ended {
                Ok(()) => {
                    self.mark_clean();
                    Ok(())
                }
                Err(problem) => Err(self.give_up(problem).await),
            }
        };
        match timeout(COMMIT, tasks.spawn(ending.in_current_span())).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(fault("the commit stopped")),
            Err(late) => Err(Error::Unavailable(late.into()).into()),
        }
    }

    /// Accepts the batch and notifies the workers. Takes what time it takes.
    async fn accept(
        &self,
        summary: &BodySummary,
        request_id: &RequestId,
        answer: &[u8],
    ) -> Result<()> {
        let count = |records: u64| i64::try_from(records).unwrap_or(i64::MAX);
        let batch = QueueBatch {
            received: count(summary.received),
            accepted: count(summary.accepted),
            rejected: count(summary.rejected),
            merged: count(summary.merged),
            errors_dropped: count(summary.errors_dropped),
            chunks: summary.chunks,
            request_id: &request_id.stored(),
            first_answer: first_answer(summary, StatusCode::ACCEPTED, answer),
        };
        let store = &self.state.store;
        let queueing = store.retry(|| store.queue_batch(&self.import, &batch));
        self.explain(queueing.await)?;
        // The answer never waits for the broker.
        let notifier = &self.state.notifier;
        notifier.import_accepted(self.import.account_id, batch.lane(), request_id);
        Ok(())
    }

    /// Removes the batch and leaves the answer under the key. Takes what time it takes.
    async fn refuse(&self, summary: &BodySummary, answer: &[u8]) -> Result<()> {
        if !self.touched.load(Ordering::Acquire) {
            return Ok(());
        }
        let first = first_answer(summary, StatusCode::UNPROCESSABLE_ENTITY, answer);
        let refusing = self.state.store.refuse_batch(&self.import, first);
        self.explain(refusing.await)
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

    /// What clears the attempt away, unless there is nothing to clear. What fails is left to the sweeper.
    fn clearing(&self) -> Option<impl Future<Output = ()> + Send + use<>> {
        let touched = self.touched.swap(false, Ordering::AcqRel);
        let (store, import) = (self.state.store.clone(), self.import.clone());
        touched.then_some(async move {
            if let Err(error) = within(PIECE, store.abandon_batch(&import)).await {
                tracing::debug!(batch.id = %import.batch_id, %error, "an attempt was left to the sweeper");
            }
        })
    }

    fn mark_clean(&self) {
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
async fn heartbeat(store: Store, import: ImportAttempt, lost: Arc<SetOnce<Problem>>) {
    let mut tick = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut answered = Instant::now();
    loop {
        tick.tick().await;
        let recording = store.record_import_heartbeat(&import);
        let found = match within(HEARTBEAT, recording).await {
            Ok(true) => {
                answered = Instant::now();
                continue;
            }
            Ok(false) => in_flight(),
            Err(error) if answered.elapsed() >= AWAY => error.into(),
            Err(error) => {
                tracing::debug!(batch.id = %import.batch_id, %error, "a heartbeat was missed");
                continue;
            }
        };
        let _ = lost.set(found);
        return;
    }
}

/// The answer to be remembered, if the body was hashed.
fn first_answer<'a>(
    summary: &'a BodySummary,
    status: StatusCode,
    answer: &'a [u8],
) -> Option<FirstAnswer<'a>> {
    Some(FirstAnswer {
        body_hash: summary.body_hash.as_ref()?,
        status: status.as_u16(),
        answer,
    })
}
