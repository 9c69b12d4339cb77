//! The job that stores one chunk.
//!
//! Idempotency: the chunk's row in the ledger is claimed, its records are stored and counted, and the row is deleted,
//! all in one transaction. Whoever comes second finds no row and does nothing.

use std::time::Duration;

use chrono::TimeDelta;
use domain::chunk::{Chunk, DecodeError};
use domain::message::Lane;
use domain::pepper::Pepper;
use platform::one_line;
use platform::request_id::RequestId;
use platform::telemetry::traces::{Span, SpanKind};
use store::import::{ChunkId, Claim, FailureOutcome, MAX_STARTS, Outcomes};
use store::{Committed, Error, Store, Tx};
use tokio::time::timeout;
use tracing::field::display;
use uuid::Uuid;

/// How long a chunk is left to workers that can store it.
const OTHER_WORKER: TimeDelta = TimeDelta::seconds(60);

/// How long a claim waits for a second session, in which its start is noted: behind a pooler claims like it may hold all.
const NOTE: Duration = Duration::from_secs(1);

/// Which chunk to take.
#[derive(Clone, Copy, Debug)]
pub enum Pick {
    /// This one.
    One(ChunkId),
    /// A due chunk of the account on the lane.
    Due(Uuid, Lane),
}

/// The outcome of a step.
#[derive(Debug)]
pub enum StepOutcome {
    /// There was nothing to take: finished, cancelled, not due, or in another worker's hands.
    NotTaken,
    Stored {
        claim: Claim,
        outcomes: Outcomes,
    },
    /// The chunk failed through its own fault; the ledger knows.
    Failed {
        claim: Claim,
        reason: String,
        noted: FailureOutcome,
    },
    /// It waits for another worker: a newer one, or one with a pepper.
    PutOff,
}

impl StepOutcome {
    /// Its name in metrics and traces.
    pub fn name(&self) -> &'static str {
        match self {
            Self::NotTaken => "not_taken",
            Self::Stored { .. } => "stored",
            Self::Failed {
                noted: FailureOutcome::Parked,
                ..
            } => "parked",
            Self::Failed { .. } => "failed",
            Self::PutOff => "put_off",
        }
    }
}

/// Takes one chunk and stores it; and plans its messages, if its import is for a campaign.
///
/// # Errors
/// The database is unavailable or keeps refusing for reasons of its own: nothing is counted against the chunk.
pub async fn run(
    store: &Store,
    worker_id: Uuid,
    pepper: Option<&Pepper>,
    pick: Pick,
) -> Result<StepOutcome, Error> {
    let tries = store.retry(|| attempt(store, worker_id, pepper, pick));
    match tries.await {
        Err(Error::Conflict(_)) => Ok(StepOutcome::NotTaken),
        done => done,
    }
}

async fn attempt(
    store: &Store,
    worker_id: Uuid,
    pepper: Option<&Pepper>,
    pick: Pick,
) -> Result<StepOutcome, Error> {
    let mut tx = store.begin_by_key().await?;
    let claim = match pick {
        Pick::One(id) => tx.claim_chunk(id).await?,
        Pick::Due(account_id, lane) => tx.claim_due(account_id, lane).await?,
    };
    let Some(claim) = claim else {
        return Ok(StepOutcome::NotTaken);
    };
    // Of the request's trace, whoever notified of the chunk: scans find chunks too.
    let (_, trace) = RequestId::read_stored(&claim.request_id);
    let mut span = Span::begin("store chunk", SpanKind::Consumer, trace.as_ref());
    span.set("batch.id", claim.id.batch_id);
    span.set_number("chunk.no", claim.id.chunk_no);
    span.set_number("records", claim.records);
    tracing::Span::current().record("trace.id", span.trace_id().map(display));
    let step = take(store, worker_id, pepper, tx, claim).await;
    match &step {
        Ok(step @ StepOutcome::Failed { .. }) => span.fail(step.name()),
        Ok(step) => span.set("outcome", step.name()),
        Err(Error::Conflict(_)) => span.fail("conflict"),
        Err(_) => span.fail("unavailable"),
    }
    step
}

/// Stores a claimed chunk.
async fn take(
    store: &Store,
    worker_id: Uuid,
    pepper: Option<&Pepper>,
    mut tx: Tx,
    mut claim: Claim,
) -> Result<StepOutcome, Error> {
    if claim.starts >= MAX_STARTS {
        drop(tx);
        let reason = format!("{} starts came to no end", claim.starts);
        return fail(store, claim, reason, true).await;
    }
    let plans_for = match (claim.campaign_id, pepper) {
        (Some(_), None) => {
            drop(tx);
            tracing::warn!(batch.id = %claim.id.batch_id, "an import for a campaign waits: FEEDBACK_PEPPER is unset");
            store.put_off(claim.id, OTHER_WORKER).await?;
            return Ok(StepOutcome::PutOff);
        }
        (campaign_id, pepper) => campaign_id.and(pepper),
    };
    let noted = timeout(NOTE, store.note_start(worker_id, &claim)).await;
    noted.map_err(|late| Error::Unavailable(late.into()))??;
    let chunk = match decode(&mut claim).await {
        Ok(chunk) => chunk,
        Err(error @ DecodeError::UnknownVersion(_)) => {
            drop(tx);
            tracing::warn!(%error, batch.id = %claim.id.batch_id, chunk.no = claim.id.chunk_no, "chunk put off");
            store.put_off(claim.id, OTHER_WORKER).await?;
            store.forget_start(worker_id, &claim).await?;
            return Ok(StepOutcome::PutOff);
        }
        Err(error) => {
            drop(tx);
            return fail(store, claim, error.to_string(), false).await;
        }
    };
    let stored: Result<_, Error> = async {
        let outcomes = tx.store_chunk(&claim, &chunk).await?;
        if let Some(pepper) = plans_for {
            let docids = chunk.records().map(|record| record.docid.get()).collect();
            tx.plan_chunk(&claim, docids, pepper).await?;
        }
        tx.finish_chunk(&claim, &outcomes).await?;
        Ok((outcomes, tx.commit().await?))
    }
    .await;
    match stored {
        Ok((outcomes, committed)) => {
            if let Committed::Unknown(error) = committed {
                tracing::warn!(%error, batch.id = %claim.id.batch_id, chunk.no = claim.id.chunk_no, "commit without an answer");
                // The ledger still has the chunk, so it is stored again.
                if store.is_open(claim.id).await? {
                    return Err(Error::Conflict(error.into()));
                }
            }
            Ok(StepOutcome::Stored { claim, outcomes })
        }
        Err(error) if error.is_unavailable() => {
            // Best effort: if the database is away, the start of the attempt stays recorded.
            drop(store.forget_start(worker_id, &claim).await);
            Err(error)
        }
        Err(error) => fail(store, claim, one_line(&error), false).await,
    }
}

/// On a blocking thread, so that heartbeats are not delayed.
async fn decode(claim: &mut Claim) -> Result<Chunk, DecodeError> {
    let payload = std::mem::take(&mut claim.payload);
    let records = claim.records;
    tokio::task::spawn_blocking(move || {
        let chunk = Chunk::decode(&payload)?;
        if i64::try_from(chunk.len()) == Ok(records) {
            Ok(chunk)
        } else {
            Err(DecodeError::Corrupt("not as many rows as the ledger says"))
        }
    })
    .await
    .unwrap_or(Err(DecodeError::Corrupt("decoding it panicked")))
}

async fn fail(
    store: &Store,
    claim: Claim,
    reason: String,
    park: bool,
) -> Result<StepOutcome, Error> {
    let noted = store.note_failure(claim.id, &reason, park).await?;
    Ok(StepOutcome::Failed {
        claim,
        reason,
        noted,
    })
}
