//! A text that came from a phone. Each counts once.

entity! { "inbound";
    key {
        /// The name of the sender that it came through.
        sender: String,
        /// The provider's; of a text that opted in a second row has it behind `opted-in `, which stays.
        id: String,
    }
    received_at: DateTimeUtc,
}
