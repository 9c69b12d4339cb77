//! The loops that keep a worker busy. A slot waits on its lane of the queue. When the queue is silent the slot reads the
//! ledger, so that a lost notification, a dead broker or a retry that came due delays a chunk by a second.

use std::time::{Duration, Instant};

use domain::message::{Lane, Message};
use metrics::{counter, histogram};
use platform::backends::Backends;
use platform::health::Heartbeat;
use platform::queue::{Consumer, Delivery};
use platform::start::one_line;
use store::Store;
use store::import::{ChunkId, Noted};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;
use uuid::Uuid;

use crate::refresh::RefreshNotifier;
use crate::store_chunk::{self, Pick, Step};

/// The slots of a worker, each one chunk at a time. Small imports have their own: a giant never delays them.
pub(crate) const SLOTS: [(Lane, &str); 3] = [
    (Lane::Bulk, "worker bulk 1"),
    (Lane::Bulk, "worker bulk 2"),
    (Lane::Small, "worker small"),
];

/// Messages fetched ahead by a slot: the next chunk's is there when the last chunk is done.
const PREFETCH: u16 = 2;
/// How long the queue is silent before the slot reads the ledger.
const IDLE: Duration = Duration::from_secs(1);
/// How often a busy slot reads the ledger: no notification tells of a retry that came due.
const LOOK: Duration = Duration::from_secs(5);
/// Pause while the database is away.
const AWAY: Duration = Duration::from_millis(250);

/// One loop of a worker.
#[derive(Debug)]
pub struct Slot {
    lane: Lane,
    name: &'static str,
    worker_id: Uuid,
    store: Store,
    consumer: Consumer,
    refresh: RefreshNotifier,
    heartbeat: Heartbeat,
}

impl Slot {
    pub(crate) fn open(
        (lane, name): (Lane, &'static str),
        worker_id: Uuid,
        backends: &Backends,
        refresh: RefreshNotifier,
        shutdown: &CancellationToken,
    ) -> Self {
        Self {
            lane,
            name,
            worker_id,
            store: backends.store.clone(),
            consumer: backends.queue.consume(lane, PREFETCH, shutdown.clone()),
            refresh,
            heartbeat: Heartbeat::new(),
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn heartbeat(&self) -> Heartbeat {
        self.heartbeat.clone()
    }

    pub(crate) async fn run(mut self, shutdown: CancellationToken) {
        let mut looked = Instant::now();
        while !shutdown.is_cancelled() {
            self.heartbeat.record();
            let delivery = tokio::select! {
                () = shutdown.cancelled() => break,
                delivery = tokio::time::timeout(IDLE, self.consumer.next()) => delivery,
            };
            match delivery {
                Ok(Some(delivery)) => {
                    self.deliver(delivery, &shutdown).await;
                    if looked.elapsed() > LOOK {
                        self.step(Pick::Due(self.lane), &shutdown).await;
                        looked = Instant::now();
                    }
                }
                Ok(None) => break,
                Err(_silent) => {
                    while self.step(Pick::Due(self.lane), &shutdown).await
                        && !shutdown.is_cancelled()
                    {}
                    looked = Instant::now();
                }
            }
        }
    }

    async fn deliver(&self, delivery: Delivery, shutdown: &CancellationToken) {
        let Message::ImportChunkV1 {
            account_id,
            batch_id,
            chunk_no,
            ..
        } = delivery.message
        else {
            tracing::error!(lane = self.lane.as_str(), "a message on the wrong lane");
            drop(delivery.reject().await);
            return;
        };
        let id = ChunkId {
            account_id,
            batch_id,
            chunk_no,
        };
        self.step(Pick::Announced(id), shutdown).await;
        // The broker may have gone meanwhile: the message comes again and finds nothing to do.
        if let Err(error) = delivery.ack().await {
            tracing::debug!(%error, "acknowledgement lost");
        }
    }

    /// One chunk, waiting for the database as long as it is away. Whether there was something to do.
    async fn step(&self, pick: Pick, shutdown: &CancellationToken) -> bool {
        let mut away = false;
        loop {
            self.heartbeat.record();
            let started = Instant::now();
            let span = tracing::info_span!("chunk", lane = self.lane.as_str());
            match store_chunk::run(&self.store, self.worker_id, pick)
                .instrument(span)
                .await
            {
                Ok(step) => return self.report(&step, started.elapsed()),
                Err(error) => {
                    counter!("feedback_import_waits_total").increment(1);
                    if !std::mem::replace(&mut away, true) {
                        tracing::warn!(slot = self.name, error = %one_line(&error), "the database is away; work waits");
                    }
                }
            }
            tokio::select! {
                () = shutdown.cancelled() => return false,
                () = tokio::time::sleep(AWAY) => {}
            }
        }
    }

    fn report(&self, step: &Step, took: Duration) -> bool {
        let lane = self.lane.as_str();
        match step {
            Step::Nothing => return false,
            Step::PutOff { .. } => {
                counter!("feedback_import_chunks_total", "outcome" => "put_off").increment(1);
            }
            Step::Stored {
                id,
                request_id,
                outcomes,
            } => {
                tracing::debug!(request.id = %request_id, batch.id = %id.batch_id, chunk.no = id.chunk_no, ?outcomes, ?took, "chunk stored");
                counter!("feedback_import_chunks_total", "outcome" => "stored").increment(1);
                histogram!("feedback_import_chunk_seconds", "lane" => lane)
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
                if outcomes.created > 0 {
                    self.refresh.notify(id.account_id);
                }
            }
            Step::Failed {
                id,
                request_id,
                reason,
                noted,
            } => {
                let outcome = if *noted == Noted::Parked {
                    "parked"
                } else {
                    "failed"
                };
                counter!("feedback_import_chunks_total", "outcome" => outcome).increment(1);
                tracing::error!(request.id = %request_id, batch.id = %id.batch_id, chunk.no = id.chunk_no, %reason, ?noted, "chunk failed");
            }
        }
        true
    }
}
