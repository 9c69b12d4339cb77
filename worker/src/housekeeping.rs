//! What a worker does beside its work: records its heartbeat, ends the sessions of workers without one, deletes what has expired,
//! erases the recipients of imports, seals audit logs and hashes the docids in old ones, lets go of what accounts keep no longer, has tables counted that grow, and records figures for metrics.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use domain::pepper::Pepper;
use domain::sms::SenderState;
use metrics::gauge;
use platform::health::Heartbeat;
use platform::telemetry::gauges::{record_connections, record_disk};
use store::backlog::Backlog;
use store::send::state::StoredSender;
use store::{Error, Store};
use strum::VariantArray;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const TICK: Duration = Duration::from_secs(1);
const SWEEP: Duration = Duration::from_secs(30);
/// The time between two looks at what accounts keep no longer or docids are left in audit logs, and between two transactions that let some of it go: others wait for
/// the disk too.
const LET_GO: Duration = Duration::from_secs(5);
const BREATH: Duration = Duration::from_millis(20);
/// The time between two notes of the last seals of audit logs.
const TOLD: Duration = Duration::from_hours(1);
/// The time between two looks at what the process uses.
const PROCESS: Duration = Duration::from_secs(5);
/// The time between two looks at what waits in the database.
const BACKLOG: Duration = Duration::from_secs(15);
/// The time between two looks at messages of an unknown result, for which the counts of all campaigns are read.
const UNKNOWN: Duration = Duration::from_mins(1);

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

/// Erases the recipients that imports created where somebody asked for that, until `shutdown`.
pub(crate) async fn erase_created(
    store: Store,
    pepper: Option<Arc<Pepper>>,
    shutdown: CancellationToken,
) {
    while !shutdown.is_cancelled() {
        match store.erase_slices(pepper.as_deref()).await {
            Ok(true) => continue,
            Ok(false) => {}
            Err(error) => tracing::warn!(%error, "recipients of imports are not erased"),
        }
        shutdown.run_until_cancelled(sleep(TICK)).await;
    }
}

/// Seals rows of audit logs, and tells each hour up to where they are sealed, until `shutdown`.
pub(crate) async fn seal_audit(store: Store, shutdown: CancellationToken) {
    let mut told = HashMap::new();
    let mut next = Instant::now();
    while !shutdown.is_cancelled() {
        match store.seal_audit().await {
            Ok(true) => continue,
            Ok(false) if Instant::now() >= next => {
                next = Instant::now() + TOLD;
                if let Err(error) = tell_seals(&store, &mut told).await {
                    tracing::warn!(%error, "the last seals of audit logs are not told");
                }
            }
            Ok(false) => {}
            Err(error) => tracing::warn!(%error, "audit logs are not sealed"),
        }
        shutdown.run_until_cancelled(sleep(TICK)).await;
    }
}

/// Logs the last seals that are not told yet. Where the log is kept elsewhere, it shows that newer ones were cut off, or all made anew.
async fn tell_seals(store: &Store, told: &mut HashMap<Uuid, i64>) -> Result<(), Error> {
    for (account_id, last) in store.last_seals().await? {
        if told.insert(account_id, last.seal) != Some(last.seal) {
            tracing::info!(account.id = %account_id, seal = %last, "the audit log is sealed up to here");
        }
    }
    Ok(())
}

/// Hashes the docids that audit logs have from before schema 26, until there are none, or `shutdown`.
pub(crate) async fn hash_audit(
    store: Store,
    pepper: Option<Arc<Pepper>>,
    shutdown: CancellationToken,
) {
    while !shutdown.is_cancelled() {
        let hashed = store.hash_audit(pepper.as_deref());
        match shutdown.run_until_cancelled(hashed).await {
            Some(Ok(true)) => {}
            Some(Ok(false)) | None => return,
            Some(Err(error)) => tracing::warn!(%error, "docids stay in audit logs for now"),
        }
        shutdown.run_until_cancelled(sleep(LET_GO)).await;
    }
}

/// Lets go of what accounts keep no longer, until `shutdown`.
pub(crate) async fn let_go(store: Store, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        let pause = match store.let_go().await {
            Ok(true) => BREATH,
            Ok(false) => LET_GO,
            Err(error) => {
                tracing::warn!(%error, "what accounts keep no longer stays for now");
                LET_GO
            }
        };
        shutdown.run_until_cancelled(sleep(pause)).await;
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

/// Records what the process uses and whether its loops turn, until `shutdown`. It asks no server, so that it goes on while one is
/// away. `file`: the embedded database.
pub(crate) async fn record_process(
    store: Store,
    loops: Vec<(&'static str, Heartbeat)>,
    file: Option<PathBuf>,
    shutdown: CancellationToken,
) {
    while !shutdown.is_cancelled() {
        record_connections(&store);
        if let Some(file) = &file {
            record_disk(file);
        }
        let mut ages = BTreeMap::<_, Duration>::new();
        for (name, heartbeat) in &loops {
            // Those of one name are told by the one that is silent longest.
            let oldest = ages.entry(*name).or_default();
            *oldest = heartbeat.age().max(*oldest);
        }
        for (name, age) in ages {
            gauge!("feedback_worker_heartbeat_age_seconds", "loop" => name).set(age);
        }
        shutdown.run_until_cancelled(sleep(PROCESS)).await;
    }
}

/// Records what waits in the database, until `shutdown`. All workers record the same.
pub(crate) async fn record_backlog(
    store: Store,
    senders: Vec<String>,
    shutdown: CancellationToken,
) {
    let mut unknown_at: Option<Instant> = None;
    while !shutdown.is_cancelled() {
        if unknown_at.is_none_or(|at| at.elapsed() >= UNKNOWN) {
            unknown_at = Some(Instant::now());
            match store.unknown_by_sender().await {
                Ok(unknown) => set_unknown(&unknown, &senders),
                Err(error) => tracing::debug!(%error, "what is unknown is not counted"),
            }
        }
        let read = async {
            let backlog = store.backlog(&senders).await?;
            Ok::<_, Error>((backlog, store.senders().await?))
        };
        match read.await {
            Ok((backlog, states)) => set_gauges(&backlog, &senders, &states),
            Err(error) => tracing::debug!(%error, "what waits is not counted"),
        }
        shutdown.run_until_cancelled(sleep(BACKLOG)).await;
    }
}

fn set_unknown(unknown: &BTreeMap<String, i64>, senders: &[String]) {
    for name in senders {
        let unknown = unknown.get(name).copied().unwrap_or_default();
        gauge!("feedback_messages_unknown", "sender" => name.clone()).set(figure(unknown));
    }
}

fn set_gauges(backlog: &Backlog, senders: &[String], stored: &[StoredSender]) {
    let now = Utc::now() - DateTime::UNIX_EPOCH;
    gauge!("feedback_backlog_timestamp_seconds").set(now.as_seconds_f64());
    for lane in &backlog.lanes {
        let name = lane.lane.into_str();
        let oldest = lane.oldest.as_seconds_f64();
        gauge!("feedback_import_waiting_chunks", "lane" => name).set(figure(lane.chunks));
        gauge!("feedback_import_parked_chunks", "lane" => name).set(figure(lane.parked));
        gauge!("feedback_import_oldest_chunk_seconds", "lane" => name).set(oldest);
    }
    gauge!("feedback_rollup_lag_seconds").set(backlog.roll_up_lag.as_seconds_f64());
    for (name, waiting) in senders.iter().zip(&backlog.senders) {
        let oldest = waiting.oldest.as_seconds_f64();
        gauge!("feedback_messages_due", "sender" => name.clone()).set(figure(waiting.due));
        gauge!("feedback_messages_oldest_due_seconds", "sender" => name.clone()).set(oldest);
        let unmatched = figure(waiting.unmatched_receipts);
        gauge!("feedback_unmatched_receipts", "sender" => name.clone()).set(unmatched);
        let stored = stored.iter().find(|stored| stored.name == *name);
        let is = stored.map_or(SenderState::Unattended, |stored| stored.state);
        for &one in SenderState::VARIANTS {
            let (state, is_in) = (one.into_str(), if one == is { 1.0 } else { 0.0 });
            gauge!("feedback_sender_state", "sender" => name.clone(), "state" => state).set(is_in);
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a rounded figure is as good")]
fn figure(count: i64) -> f64 {
    count as f64
}
