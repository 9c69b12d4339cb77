//! One try to import a body: the batch that it writes, the idempotency key that it holds, the heartbeat that keeps
//! both, and its end: accepted, refused or abandoned.
//!
//! An attempt that is dropped because its caller went away abandons itself. The commit runs in a task of its own, so a
//! caller who goes away in the middle of it leaves nothing undecided.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use store::import::{FinishedImport, Reservation};
use tokio::runtime::Handle;
use tokio::sync::{OnceCell, SetOnce};
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::Instrument;
use uuid::Uuid;

use super::ImportError;
use super::parse::Tally;
use super::writer::Writer;
use api_http::AppState;
use platform::request_id::RequestId;

/// How often an attempt shows that it is alive. One that is silent for 10 s is taken over.
const HEARTBEAT: Duration = Duration::from_millis(2_500);
/// A database that has answered no heartbeat for so long is away, and the caller hears of it within 10 s.
const AWAY: Duration = Duration::from_secs(7);
/// How long a caller waits for the commit.
const COMMIT: Duration = Duration::from_secs(10);
/// How long a caller waits for an attempt to be cleared away.
const CLEARING: Duration = Duration::from_secs(1);

/// What an idempotency key gives.
pub enum Opened {
    /// This attempt may import the body.
    Mine(Attempt),
    /// It was answered before.
    Finished(FinishedImport),
}

/// One try to import a body.
pub struct Attempt {
    state: AppState,
    writer: Writer,
    begun: OnceCell<()>,
    /// Whether there is anything to clear away.
    touched: AtomicBool,
    lost: Arc<SetOnce<Lost>>,
    _heartbeat: DropGuard,
}

/// Why an attempt cannot come to a good end.
enum Lost {
    /// Another attempt has its key.
    TakenOver,
    DatabaseAway,
}

impl Attempt {
    /// Begins an attempt, with its idempotency key reserved. `query` is the query in one fixed form; the
    /// import is for the campaign, if there is one.
    ///
    /// # Errors
    /// The key is in flight, or the database does not answer.
    pub async fn open(
        state: &AppState,
        account_id: Uuid,
        key: Option<String>,
        query: &str,
        campaign_id: Option<Uuid>,
    ) -> Result<Opened, ImportError> {
        let writer = Writer::new(state.store(), account_id, key, campaign_id);
        let attempt = Self::start(state, writer);
        let Some(key) = attempt.writer.key() else {
            return Ok(Opened::Mine(attempt));
        };
        attempt.touch();
        let reserved = attempt.writer.reserve(key, query).await;
        match reserved? {
            Reservation::Mine => Ok(Opened::Mine(attempt)),
            Reservation::InFlight => {
                attempt.untouch();
                Err(ImportError::InFlight)
            }
            Reservation::Finished(first) => {
                attempt.untouch();
                Ok(Opened::Finished(first))
            }
        }
    }

    fn start(state: &AppState, writer: Writer) -> Self {
        let lost = Arc::new(SetOnce::new());
        let stop = CancellationToken::new();
        let heartbeat = heartbeat(writer.clone(), Arc::clone(&lost));
        let until_stopped = stop.clone().run_until_cancelled_owned(heartbeat);
        state.tasks().spawn(until_stopped);
        Self {
            state: state.clone(),
            writer,
            begun: OnceCell::new(),
            touched: AtomicBool::new(false),
            lost,
            _heartbeat: stop.drop_guard(),
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

    /// The result of `work`, which is given up once the attempt is lost.
    ///
    /// # Errors
    /// Its own; the attempt was taken over; the database does not answer.
    pub async fn unless_lost<T>(
        &self,
        work: impl Future<Output = Result<T, ImportError>>,
    ) -> Result<T, ImportError> {
        tokio::select! {
            result = work => result,
            lost = self.lost.wait() => Err(match lost {
                Lost::TakenOver => ImportError::InFlight,
                Lost::DatabaseAway => store::Error::Unavailable("no heartbeat is answered".into()).into(),
            }),
        }
    }

    /// Begins the batch, the first time.
    ///
    /// # Errors
    /// The database does not answer.
    pub async fn begin(&self) -> Result<(), ImportError> {
        let begin = || async {
            self.touch();
            self.writer.begin().await
        };
        self.begun.get_or_try_init(begin).await?;
        Ok(())
    }

    /// Accepts the batch with one commit and notifies the workers; `answer` is remembered under the key.
    ///
    /// # Errors
    /// The attempt was taken over, or the database does not answer. Then nothing was accepted, as far as can be told.
    pub async fn accept(
        self,
        tally: Tally,
        request_id: RequestId,
        answer: Bytes,
    ) -> Result<(), ImportError> {
        let tasks = self.state.tasks().clone();
        let commit = async move {
            let lane = match self.writer.queue(&tally, &request_id, &answer).await {
                Ok(lane) => lane,
                Err(error) => return Err(self.give_up(ImportError::Store(error)).await),
            };
            self.untouch();
            // The answer never waits for the broker.
            self.state
                .notifier()
                .import_accepted(self.writer.account_id(), lane);
            Ok(())
        };
        ended(tasks.spawn(commit.in_current_span())).await
    }

    /// Ends with nothing stored but the answer, under the key.
    ///
    /// # Errors
    /// The attempt was taken over, or the database does not answer.
    pub async fn refuse(self, tally: Tally, answer: Bytes) -> Result<(), ImportError> {
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
                Err(error) => Err(self.give_up(ImportError::Store(error)).await),
            }
        };
        ended(tasks.spawn(commit.in_current_span())).await
    }

    /// Clears the attempt away, so that its key is free when the caller hears why it failed. A database that does not
    /// answer is not waited for.
    pub async fn give_up(self, error: ImportError) -> ImportError {
        let error = match error {
            // Taken over by another attempt; without a key, swept away while this one was frozen.
            ImportError::Store(store::Error::Lost) if self.is_idempotent() => ImportError::InFlight,
            ImportError::Store(lost @ store::Error::Lost) => {
                ImportError::Store(store::Error::Unavailable(lost.into()))
            }
            ImportError::Store(ended @ store::Error::CampaignEnded) => {
                ImportError::CampaignNotRunning(ended.to_string())
            }
            other => other,
        };
        if !matches!(error, ImportError::Store(_))
            && let Some(clearing) = self.clearing()
        {
            let _ = timeout(CLEARING, self.state.tasks().spawn(clearing)).await;
        }
        error
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
async fn ended(commit: JoinHandle<Result<(), ImportError>>) -> Result<(), ImportError> {
    match timeout(COMMIT, commit).await {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => Err(ImportError::Fault("the commit stopped")),
        Err(late) => Err(ImportError::Store(store::Error::Unavailable(late.into()))),
    }
}

/// Writes heartbeats until the attempt is `lost`.
async fn heartbeat(writer: Writer, lost: Arc<SetOnce<Lost>>) {
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
            Ok(false) => Lost::TakenOver,
            Err(_) if answered.elapsed() >= AWAY => Lost::DatabaseAway,
            Err(error) => {
                tracing::debug!(batch.id = %writer.batch_id(), %error, "a heartbeat was missed");
                continue;
            }
        };
        let _ = lost.set(found);
        return;
    }
}
