//! How a sender is, as its driver saw it last. One without a row never was in trouble.

entity! { "sender_state";
    key {
        name: String,
    }
    /// `ok`, `paused` or `error`.
    state: String,
    /// A code, never a provider's text.
    reason: Option<String>,
}
