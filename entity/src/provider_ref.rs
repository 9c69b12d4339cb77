//! The message that a provider means by an id, where its receipts carry its own ids alone.

entity! { "provider_ref";
    key {
        sender: String,
        provider_id: String,
    }
    account_id: Uuid,
    message_id: Uuid,
    /// Counted from 0.
    part: i64,
    created_at: DateTimeUtc,
}
