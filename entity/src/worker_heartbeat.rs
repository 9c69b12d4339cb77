//! The heartbeat of a worker.

entity! { "worker_heartbeat";
    key {
        worker_id: Uuid,
    }
    heartbeat_at: DateTimeUtc,
}
