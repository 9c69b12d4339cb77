//! What a worker does beside its work: records its heartbeat, ends the sessions of workers without one, deletes what has expired,
//! and has tables counted that grow.

use std::time::Duration;

use store::Store;
use tokio::time::{Interval, MissedTickBehavior};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const TICK: Duration = Duration::from_secs(1);
const SWEEP: Duration = Duration::from_secs(30);

/// Records the worker's heartbeat and ends the sessions of workers without one, until `shutdown`.
pub(crate) async fn record_heartbeats(store: Store, worker_id: Uuid, shutdown: CancellationToken) {
    let mut ticks = every(TICK);
    while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
        let tick = async {
            store.record_worker_heartbeat(worker_id).await?;
            store.free_frozen(worker_id).await
        };
        match tick.await {
            Ok(0) => {}
            Ok(freed) => tracing::warn!(sessions = freed, "ended the sessions of silent workers"),
            Err(error) => tracing::debug!(%error, "heartbeat skipped"),
        }
    }
}

/// Deletes what has expired, until `shutdown`. A loop of its own: a long sweep must not look like a dead worker.
pub(crate) async fn sweep(store: Store, shutdown: CancellationToken) {
    let mut ticks = every(SWEEP);
    while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
        if let Err(error) = store.sweep().await {
            tracing::warn!(%error, "sweep failed");
        }
    }
}

/// Has tables counted that grew, until `shutdown`.
pub(crate) async fn analyze(store: Store, shutdown: CancellationToken) {
    let mut ticks = every(TICK);
    while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
        if let Err(error) = store.analyze_grown_tables().await {
            tracing::debug!(%error, "tables are not counted");
        }
    }
}

fn every(period: Duration) -> Interval {
    let mut ticks = tokio::time::interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}
