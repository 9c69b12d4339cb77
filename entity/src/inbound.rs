//! A text that came from a phone. Each counts once.

entity! { "inbound";
    key {
        /// The name of the sender that it came through.
        sender: String,
        /// The provider's.
        id: String,
    }
    /// Of a text that opted in the end of the year 9999: its id is kept for good.
    received_at: DateTimeUtc,
}
