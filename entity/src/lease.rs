//! Who drives a sender. A driver whose fence is not the row's has lost it.

entity! { "lease";
    key {
        /// The sender's.
        name: String,
    }
    /// The driving process.
    owner: Uuid,
    /// One more with each change of hands.
    fence: i64,
    heartbeat_at: DateTimeUtc,
}
