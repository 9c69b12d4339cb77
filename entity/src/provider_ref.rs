//! The message that a provider means by an id, where its receipts carry its own ids alone, or by a number of ours that they echo.

entity! { "provider_ref";
    key {
        sender: String,
        provider_id: String,
    }
    account_id: Uuid,
    message_id: Uuid,
    /// Counted from 0; -1: all.
    part: i64,
    created_at: DateTimeUtc,
}
