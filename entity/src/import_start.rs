//! Which worker started on a chunk, written beside the transaction that holds the chunk. A foreign key's check would wait
//! for that transaction, so there is none.

entity! { "import_start";
    key {
        account_id: Uuid,
        batch_id: Uuid,
        chunk_no: i64,
    }
    worker_id: Uuid,
    /// The server's process that holds the chunk. Null where the role may not see it.
    backend_pid: Option<i64>,
    /// When that process began, which tells it from a later one with its number.
    backend_start: Option<DateTimeUtc>,
    /// How often work on the chunk began and did not come to an end.
    starts: i64,
}
