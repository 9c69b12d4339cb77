//! The loops that store chunks. A slot stores one chunk at a time, of the account whose turn it is on its lane.

use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::message::Lane;
use domain::pepper::Pepper;
use metrics::{counter, histogram};
use parking_lot::Mutex;
use platform::health::Heartbeat;
use platform::one_line;
use platform::request_id::RequestId;
use platform::turns::{Turn, Turns};
use store::Store;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;
use tracing::field::Empty;
use uuid::Uuid;

use crate::store_chunk::{self, Pick, StepOutcome};

/// The slots of a worker. Small imports have their own, so a large one never delays them.
pub(crate) const SLOTS: [(Lane, &str); 3] = [
    (Lane::Bulk, "worker bulk 1"),
    (Lane::Bulk, "worker bulk 2"),
    (Lane::Small, "worker small"),
];

/// How long a slot without work waits before it records a heartbeat.
const IDLE: Duration = Duration::from_secs(1);
/// Pause while the database is away.
const AWAY: Duration = Duration::from_millis(250);

/// Accounts that may have chunks, by lane. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct ImportNotifier([Arc<Accounts>; Lane::ALL.len()]);

/// Accounts that may have chunks on a lane, and take turns.
#[derive(Debug, Default)]
pub(crate) struct Accounts {
    turns: Mutex<Turns>,
    added: Notify,
}

impl ImportNotifier {
    /// Says that an account may have chunks on a lane.
    pub fn notify(&self, account_id: Uuid, lane: Lane) {
        let accounts = self.lane(lane);
        accounts.turns.lock().add(account_id);
        accounts.added.notify_one();
    }

    pub(crate) fn lane(&self, lane: Lane) -> &Arc<Accounts> {
        &self.0[lane as usize]
    }
}

impl Accounts {
    /// Waits for an account with chunks.
    async fn next(&self) -> Turn {
        loop {
            let turn = self.turns.lock().take();
            if let Some(turn) = turn {
                // There may be work for another slot.
                self.added.notify_one();
                return turn;
            }
            self.added.notified().await;
        }
    }

    /// Ends a turn; `found`: there was a chunk.
    fn end(&self, turn: &Turn, took: Duration, found: bool) {
        let mut turns = self.turns.lock();
        if !found {
            turns.clear(turn);
        }
        turns.end(turn, u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
    }
}

/// One loop of a worker.
#[derive(Debug)]
pub(crate) struct Slot {
    pub lane: Lane,
    pub name: &'static str,
    pub worker_id: Uuid,
    pub store: Store,
    pub pepper: Option<Arc<Pepper>>,
    /// Those of its lane.
    pub accounts: Arc<Accounts>,
    pub heartbeat: Heartbeat,
}

impl Slot {
    pub(crate) async fn run(self, shutdown: CancellationToken) {
        let mut away = false;
        while !shutdown.is_cancelled() {
            self.heartbeat.record();
            let turn = tokio::select! {
                () = shutdown.cancelled() => break,
                turn = self.accounts.next() => turn,
                () = tokio::time::sleep(IDLE) => continue,
            };
            let started = Instant::now();
            if self.store.is_away(turn.account_id) {
                // A scan finds the account again once its node is back.
                self.accounts.end(&turn, started.elapsed(), false);
                continue;
            }
            let span = tracing::info_span!("chunk", lane = self.lane.into_str(), trace.id = Empty);
            let pick = Pick::Due(turn.account_id, self.lane);
            let step = store_chunk::run(&self.store, self.worker_id, self.pepper.as_deref(), pick);
            let found = match step.instrument(span.clone()).await {
                Ok(step) => {
                    away = false;
                    span.in_scope(|| self.report(&step, started.elapsed()))
                }
                Err(error) => {
                    counter!("feedback_import_waits_total").increment(1);
                    if self.store.leave_out(turn.account_id, &error) {
                        self.accounts.end(&turn, started.elapsed(), false);
                        continue;
                    }
                    if !std::mem::replace(&mut away, true) {
                        tracing::warn!(slot = self.name, error = %one_line(&error), "the database is away; work waits");
                    }
                    shutdown.run_until_cancelled(tokio::time::sleep(AWAY)).await;
                    // The account keeps its chunk, and the next turn may be another's.
                    true
                }
            };
            self.accounts.end(&turn, started.elapsed(), found);
        }
    }

    fn report(&self, step: &StepOutcome, took: Duration) -> bool {
        match step {
            StepOutcome::NotTaken => return false,
            StepOutcome::PutOff => {}
            StepOutcome::Stored { claim, outcomes } => {
                let (id, (request_id, _)) = (claim.id, RequestId::read_stored(&claim.request_id));
                tracing::debug!(request.id = %request_id, batch.id = %id.batch_id, chunk.no = id.chunk_no, ?outcomes, ?took, "chunk stored");
                histogram!("feedback_import_chunk_seconds", "lane" => self.lane.into_str())
                    .record(took.as_secs_f64());
                for (outcome, records) in [
                    ("created", outcomes.created),
                    ("updated", outcomes.updated),
                    ("unchanged", outcomes.unchanged),
                    ("superseded", outcomes.superseded),
                ] {
                    counter!("feedback_import_stored_records_total", "outcome" => outcome)
                        .increment(records.unsigned_abs());
                }
            }
            StepOutcome::Failed {
                claim,
                reason,
                noted,
            } => {
                let (id, (request_id, _)) = (claim.id, RequestId::read_stored(&claim.request_id));
                tracing::error!(request.id = %request_id, batch.id = %id.batch_id, chunk.no = id.chunk_no, %reason, ?noted, "chunk failed");
            }
        }
        counter!("feedback_import_chunks_total", "outcome" => step.name()).increment(1);
        true
    }
}
