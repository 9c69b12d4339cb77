//! An import, from its first byte to its last stored chunk: its status and its counts.

entity! { "import_batch";
    key {
        account_id: Uuid,
        /// A version 7 UUID of when it began to arrive.
        batch_id: Uuid,
    }
    /// `receiving` until all of it is stored and it is accepted, then as `store::import::BatchStatus` writes it.
    status: String,
    /// The request that writes it. Another one that takes over its idempotency key drops it.
    attempt: Uuid,
    /// When the request last said that it is alive.
    heartbeat_at: DateTimeUtc,
    /// Of the request, for the log; behind a space its span as a `traceparent`, if it was traced.
    request_id: String,
    /// The campaign that sends a message to each of its recipients.
    campaign_id: Option<Uuid>,
    /// As `domain::message::Lane` writes it.
    lane: String,
    /// Its place in the order of acceptance, from `import_counter`. Null: it is not accepted yet.
    seq: Option<i64>,
    /// It met docids that were stored already, so its other chunks go through the staging table at once.
    staging: bool,
    /// Records of the body. `received = accepted + rejected + merged`.
    received: i64,
    accepted: i64,
    rejected: i64,
    /// Record errors that are not kept.
    errors_dropped: i64,
    /// Chunks that are neither stored nor parked.
    open_chunks: i64,
    parked_chunks: i64,
    /// Records by what came of them. What is left of `accepted` waits for a worker.
    created: i64,
    updated: i64,
    unchanged: i64,
    superseded: i64,
    /// Records of parked chunks.
    failed: i64,
    cancelled: i64,
    created_at: DateTimeUtc,
    queued_at: Option<DateTimeUtc>,
    /// When a worker began with the chunk that was stored first.
    started_at: Option<DateTimeUtc>,
    /// When it was completed or cancelled.
    completed_at: Option<DateTimeUtc>,
    /// Of the file, as its caller named it.
    name: Option<String>,
    /// Records that say the same as an earlier one of the body.
    merged: i64,
    /// Of those it created, the recipients that were erased because somebody asked for that.
    erased: i64,
    /// While that goes on, the place of the next such erasure in the order of acceptance: so many are kept for it as may be needed.
    erase_seq: Option<i64>,
    /// How far it is: the recipients up to this docid are looked through.
    erase_after: Option<String>,
    /// Whose key it came with, or who is signed in, as `audit.name` has them. Null: programs before schema 29 took it.
    made_by: Option<String>,
    /// From where, as `audit.address` has it.
    made_from: Option<String>,
}
