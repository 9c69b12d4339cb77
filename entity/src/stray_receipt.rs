//! A receipt that came before the result which has its provider's id, or fits no message at all.

entity! { "stray_receipt";
    key {
        sender: String,
        provider_id: String,
        /// As `domain::campaign::ReceiptStatus` writes it.
        status: String,
    }
    /// The provider's.
    code: Option<String>,
    received_at: DateTimeUtc,
}
