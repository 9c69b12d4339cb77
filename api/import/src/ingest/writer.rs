//! What an attempt writes, always under its own name: a statement of an attempt that was taken over changes nothing.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use domain::message::Lane;
use domain::record::RecordError;
use store::import::{FirstAnswer, QueueBatch, Reservation};
use store::{Error, Store};
use uuid::Uuid;

use super::parse::Tally;
use api_http::deadline::{QUICK, within};
use platform::request_id::RequestId;

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
    ids: Arc<Ids>,
}

struct Ids {
    account_id: Uuid,
    batch_id: Uuid,
    attempt: Uuid,
    key: Option<String>,
    campaign_id: Option<Uuid>,
}

impl Writer {
    /// A new attempt at a new batch, which answers under the idempotency key and is for the campaign, if there are such.
    pub fn new(
        store: &Store,
        account_id: Uuid,
        key: Option<String>,
        campaign_id: Option<Uuid>,
    ) -> Self {
        let ids = Ids {
            account_id,
            batch_id: Uuid::now_v7(),
            attempt: Uuid::new_v4(),
            key,
            campaign_id,
        };
        Self {
            store: store.clone(),
            ids: Arc::new(ids),
        }
    }

    pub fn account_id(&self) -> Uuid {
        self.ids.account_id
    }

    pub fn batch_id(&self) -> Uuid {
        self.ids.batch_id
    }

    pub fn key(&self) -> Option<&str> {
        self.ids.key.as_deref()
    }

    pub async fn reserve(&self, key: &str, query: &str) -> Result<Reservation, Error> {
        let (account_id, batch_id, attempt) = self.name();
        let reserving = self
            .store
            .reserve(account_id, key, query, attempt, batch_id);
        within(QUICK, reserving).await
    }

    pub async fn begin(&self) -> Result<(), Error> {
        let (account_id, batch_id, attempt) = self.name();
        let campaign_id = self.ids.campaign_id;
        let beginning = self
            .store
            .begin_batch(account_id, batch_id, attempt, campaign_id);
        within(QUICK, beginning).await
    }

    /// Says that the attempt is alive; `false`: it was taken over.
    pub async fn heartbeat(&self) -> Result<bool, Error> {
        let (account_id, batch_id, attempt) = self.name();
        let writing = self
            .store
            .record_import_heartbeat(account_id, batch_id, attempt, self.key());
        within(HEARTBEAT, writing).await
    }

    pub async fn add_chunk(&self, no: i64, records: i64, payload: Vec<u8>) -> Result<(), Error> {
        let (account_id, batch_id, attempt) = self.name();
        let adding = self
            .store
            .add_chunk(account_id, batch_id, attempt, no, records, payload);
        within(PIECE, adding).await
    }

    pub async fn add_errors(&self, first: i64, errors: &[RecordError]) -> Result<(), Error> {
        let (account_id, batch_id, attempt) = self.name();
        let adding = self
            .store
            .add_errors(account_id, batch_id, attempt, first, errors);
        within(PIECE, adding).await
    }

    /// The one commit that accepts the batch, and the lane it goes on. Takes what time it takes.
    pub async fn queue(
        &self,
        tally: &Tally,
        request_id: &RequestId,
        answer: &[u8],
    ) -> Result<Lane, Error> {
        let count = |records: u64| i64::try_from(records).unwrap_or(i64::MAX);
        let batch = QueueBatch {
            account_id: self.ids.account_id,
            batch_id: self.ids.batch_id,
            attempt: self.ids.attempt,
            received: count(tally.received),
            accepted: count(tally.accepted),
            rejected: count(tally.rejected),
            errors_dropped: count(tally.errors_dropped),
            chunks: tally.chunks,
            request_id: request_id.as_str(),
            idempotency: self.first_answer(tally, StatusCode::ACCEPTED, answer),
        };
        let mut tried = 1;
        loop {
            match self.store.queue_batch(&batch).await {
                Ok(()) => return Ok(batch.lane()),
                Err(Error::Conflict(_)) if tried < TRIES => tried += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Removes the batch and leaves the answer under the key. Takes what time it takes.
    pub async fn refuse(&self, tally: &Tally, answer: &[u8]) -> Result<(), Error> {
        let (account_id, batch_id, attempt) = self.name();
        let first = self.first_answer(tally, StatusCode::UNPROCESSABLE_ENTITY, answer);
        self.store
            .refuse_batch(account_id, batch_id, attempt, first)
            .await
    }

    /// Removes batch and reservation. What fails is left to the sweeper.
    pub async fn abandon(&self) {
        let (account_id, batch_id, attempt) = self.name();
        let abandoning = self
            .store
            .abandon_batch(account_id, batch_id, attempt, self.key());
        if let Err(error) = within(PIECE, abandoning).await {
            tracing::debug!(batch.id = %batch_id, %error, "an attempt was left to the sweeper");
        }
    }

    fn name(&self) -> (Uuid, Uuid, Uuid) {
        (self.ids.account_id, self.ids.batch_id, self.ids.attempt)
    }

    fn first_answer<'a>(
        &'a self,
        tally: &'a Tally,
        status: StatusCode,
        answer: &'a [u8],
    ) -> Option<FirstAnswer<'a>> {
        Some(FirstAnswer {
            key: self.key()?,
            body_hash: tally.body_hash.as_ref()?,
            status: status.as_u16(),
            answer,
        })
    }
}
