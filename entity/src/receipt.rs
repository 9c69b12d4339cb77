//! What a provider reported of a message: each status of a part once.

entity! { "receipt";
    key {
        account_id: Uuid,
        message_id: Uuid,
        /// Counted from 0; -1 stands for all.
        part: i64,
        /// As `domain::campaign::ReceiptStatus` writes it.
        status: String,
    }
    /// The provider's.
    code: Option<String>,
    received_at: DateTimeUtc,
}
