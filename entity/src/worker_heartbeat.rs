//! A worker's sign of life.

entity! { "worker_heartbeat";
    key {
        worker_id: Uuid,
    }
    heartbeat_at: DateTimeUtc,
}
