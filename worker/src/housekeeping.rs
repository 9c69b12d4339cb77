//! What a worker does beside its work: records its heartbeat, ends the sessions of workers without one, deletes what has expired,
//! and has tables counted that grow.

use std::time::Duration;

use store::Store;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const TICK: Duration = Duration::from_secs(1);
const SWEEP: Duration = Duration::from_secs(30);

/// Records the worker's heartbeat and ends the sessions of workers without one, until `shutdown`.
pub(crate) async fn record_heartbeats(store: Store, worker_id: Uuid, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        let tick = async {
            store.record_worker_heartbeat(worker_id).await?;
            store.free_frozen(worker_id).await
        };
        match tick.await {
            Ok(0) => {}
            Ok(freed) => tracing::warn!(sessions = freed, "ended the sessions of silent workers"),
            Err(error) => tracing::debug!(%error, "heartbeat skipped"),
        }
        shutdown.run_until_cancelled(sleep(TICK)).await;
    }
}

/// Deletes what has expired, until `shutdown`. A loop of its own: a long sweep must not look like a dead worker.
pub(crate) async fn sweep(store: Store, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        if let Err(error) = store.sweep().await {
            tracing::warn!(%error, "sweep failed");
        }
        shutdown.run_until_cancelled(sleep(SWEEP)).await;
    }
}

/// Counts tables that grew, until `shutdown`.
pub(crate) async fn analyze(store: Store, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        if let Err(error) = store.analyze_grown_tables().await {
            tracing::debug!(%error, "tables are not counted");
        }
        shutdown.run_until_cancelled(sleep(TICK)).await;
    }
}
