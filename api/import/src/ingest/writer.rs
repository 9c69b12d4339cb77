//! What an attempt writes, always under its own name: a statement of an attempt that was taken over changes nothing. Runs and
//! blocks of errors are compressed and stored a few at once.

use std::pin::pin;
use std::time::Duration;

use axum::http::StatusCode;
use domain::message::Lane;
use domain::record::RecordError;
use futures::{StreamExt, TryStreamExt, stream};
use platform::request_id::RequestId;
use store::import::{FirstAnswer, ImportAttempt, QueueBatch, Reservation};
use store::{Error, Store};
use tokio::sync::mpsc::Receiver;
use tokio::task::spawn_blocking;

use super::attempt::Attempt;
use super::error::{fault, in_flight};
use super::parse::{Piece, Tally};
use api_http::{Code, Problem, QUICK, Result, within};

/// A database that takes longer for one piece does not answer.
const PIECE: Duration = Duration::from_secs(10);
/// How long a heartbeat may take: until the next one.
const HEARTBEAT: Duration = Duration::from_millis(2_500);
/// How often a commit is tried that conflicts with another transaction.
const TRIES: usize = 3;

/// Writes one attempt's batch. Cheap to clone.
#[derive(Clone)]
pub struct Writer {
    store: Store,
    pub import: ImportAttempt,
}

impl Writer {
    pub fn new(store: &Store, import: ImportAttempt) -> Self {
        Self {
            store: store.clone(),
            import,
        }
    }

    /// What a statement of the attempt came to.
    fn told<T>(&self, result: Result<T, Error>) -> Result<T> {
        result.map_err(|error| match error {
            // Taken over by another attempt; without a key, swept away while this one was frozen.
            Error::Lost if self.import.key.is_some() => in_flight(),
            Error::Lost => Error::Unavailable(error.into()).into(),
            Error::CampaignEnded => Problem::new(Code::CampaignNotRunning, error.to_string()),
            other => other.into(),
        })
    }

    pub async fn reserve(&self, key: &str, query: &str) -> Result<Reservation> {
        let reserving = self.store.reserve(&self.import, key, query);
        self.told(within(QUICK, reserving).await)
    }

    pub async fn begin(&self) -> Result<()> {
        self.told(within(QUICK, self.store.begin_batch(&self.import)).await)
    }

    /// Says that the attempt is alive; `false`: it was taken over.
    pub async fn heartbeat(&self) -> Result<bool, Error> {
        within(HEARTBEAT, self.store.record_import_heartbeat(&self.import)).await
    }

    pub async fn add_chunk(&self, no: i64, records: i64, payload: Vec<u8>) -> Result<()> {
        let adding = self.store.add_chunk(&self.import, no, records, payload);
        self.told(within(PIECE, adding).await)
    }

    pub async fn add_errors(&self, first: i64, errors: &[RecordError]) -> Result<()> {
        let adding = self.store.add_errors(&self.import, first, errors);
        self.told(within(PIECE, adding).await)
    }

    /// The one commit that accepts the batch, and the lane it goes on. Takes what time it takes.
    pub async fn queue(
        &self,
        tally: &Tally,
        request_id: &RequestId,
        answer: &[u8],
    ) -> Result<Lane> {
        let count = |records: u64| i64::try_from(records).unwrap_or(i64::MAX);
        let batch = QueueBatch {
            received: count(tally.received),
            accepted: count(tally.accepted),
            rejected: count(tally.rejected),
            errors_dropped: count(tally.errors_dropped),
            chunks: tally.chunks,
            request_id: request_id.as_str(),
            first_answer: first_answer(tally, StatusCode::ACCEPTED, answer),
        };
        let mut tried = 1;
        loop {
            match self.store.queue_batch(&self.import, &batch).await {
                Err(Error::Conflict(_)) if tried < TRIES => tried += 1,
                queued => return self.told(queued.map(|()| batch.lane())),
            }
        }
    }

    /// Removes the batch and leaves the answer under the key. Takes what time it takes.
    pub async fn refuse(&self, tally: &Tally, answer: &[u8]) -> Result<()> {
        let first = first_answer(tally, StatusCode::UNPROCESSABLE_ENTITY, answer);
        self.told(self.store.refuse_batch(&self.import, first).await)
    }

    /// Removes batch and reservation. What fails is left to the sweeper.
    pub async fn abandon(&self) {
        let abandoned = within(PIECE, self.store.abandon_batch(&self.import)).await;
        if let Err(error) = abandoned {
            tracing::debug!(batch.id = %self.import.batch_id, %error, "an attempt was left to the sweeper");
        }
    }
}

/// The answer to be remembered, if the body was hashed.
fn first_answer<'a>(
    tally: &'a Tally,
    status: StatusCode,
    answer: &'a [u8],
) -> Option<FirstAnswer<'a>> {
    Some(FirstAnswer {
        body_hash: tally.body_hash.as_ref()?,
        status: status.as_u16(),
        answer,
    })
}

/// The pieces that are compressed or stored at once, at most.
const AT_ONCE: usize = 2;

/// Stores the pieces as they come, under a batch that begins with the first.
///
/// # Errors
/// The database does not answer, or the attempt is lost. Pieces on their way are given up.
pub async fn store_all(attempt: &Attempt, mut pieces: Receiver<Piece>) -> Result<()> {
    let pieces = stream::poll_fn(|context| pieces.poll_recv(context));
    let mut pieces = pin!(pieces.peekable());
    if pieces.as_mut().peek().await.is_some() {
        attempt.begin().await?;
    }
    let store = |piece| store(attempt.writer(), piece);
    pieces.map(Ok).try_for_each_concurrent(AT_ONCE, store).await
}

async fn store(writer: Writer, piece: Piece) -> Result<()> {
    match piece {
        Piece::Run {
            no,
            run,
            chunk_records,
        } => {
            let chunks = spawn_blocking(move || run.compress(chunk_records))
                .await
                .map_err(|_| fault("a run could not be compressed"))?;
            for (no, (records, payload)) in (no..).zip(chunks) {
                let records = i64::try_from(records).unwrap_or(i64::MAX);
                writer.add_chunk(no, records, payload).await?;
            }
        }
        Piece::Errors { first, errors } => writer.add_errors(first, &errors).await?,
    }
    Ok(())
}
