//! The first answer to an `Idempotency-Key`, for requests that repeat it.

entity! { "idempotency";
    key {
        account_id: Uuid,
        idempotency_key: String,
    }
    /// The query of the request, which a repeat must have too.
    query: String,
    /// Who holds the key.
    attempt: Uuid,
    /// The batch that the attempt writes.
    batch_id: Uuid,
    /// The answer is kept for 24 hours from here.
    created_at: DateTimeUtc,
    /// When the attempt last said that it is alive.
    heartbeat_at: DateTimeUtc,
    /// SHA-256 of the decoded body. Null, as what follows, until there is an answer.
    body_hash: Option<Vec<u8>>,
    /// Of HTTP.
    status: Option<i64>,
    /// The answer's JSON, byte for byte.
    response: Option<Vec<u8>>,
}
