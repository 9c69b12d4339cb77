//! Figures of the process itself: its memory, its connections to the database, its disk. Cheap enough for every few seconds.

use std::path::Path;

use metrics::gauge;
use nix::sys::statvfs::statvfs;
use store::Store;

/// Records the resident memory, where the system tells it (`/proc` of Linux).
pub(super) fn record_memory() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    if let Some(kibibytes) = kibibytes.and_then(|figure| figure.parse::<u32>().ok()) {
        gauge!("process_resident_memory_bytes").set(f64::from(kibibytes) * 1024.0);
    }
}

/// Records the connections of a store's pools, and whether its disk is full.
pub fn record_connections(store: &Store) {
    for connections in store.connections() {
        let pool = connections.pool;
        for (state, count) in [("used", connections.used), ("idle", connections.idle)] {
            gauge!("feedback_database_connections", "pool" => pool, "state" => state).set(count);
        }
        gauge!("feedback_database_connections_max", "pool" => pool).set(connections.most);
    }
    gauge!("feedback_database_disk_full").set(u8::from(store::is_disk_full()));
}

/// Records how far a store's standbys are behind.
pub fn record_replicas(store: &Store) {
    for replica in store.replicas() {
        gauge!("feedback_replica_lag_seconds", "replica" => replica.host).set(replica.behind);
    }
}

/// Records what is free of the disk with the embedded database.
#[expect(clippy::cast_precision_loss, reason = "a rounded figure is as good")]
pub fn record_disk(file: &Path) {
    match statvfs(file) {
        Ok(disk) => {
            let bytes = |blocks: u64| disk.fragment_size().saturating_mul(blocks) as f64;
            // What the process may use, without what is kept for root.
            gauge!("feedback_disk_free_bytes").set(bytes(disk.blocks_available()));
            gauge!("feedback_disk_size_bytes").set(bytes(disk.blocks()));
        }
        Err(error) => tracing::debug!(%error, "the disk is not looked at"),
    }
}
