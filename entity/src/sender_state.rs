//! How a sender is, as its driver saw it last. One without a row never was driven.

entity! { "sender_state";
    key {
        name: String,
    }
    /// `ok`, `paused` or `error`.
    state: String,
    /// A code, never a provider's text.
    reason: Option<String>,
    /// When the state and its reason became what they are.
    since: Option<DateTimeUtc>,
    /// Since when it is in error, for whatever reasons.
    error_since: Option<DateTimeUtc>,
    /// When its driver said last how it is.
    seen_at: Option<DateTimeUtc>,
    last_accepted_at: Option<DateTimeUtc>,
    /// When a person paused it.
    paused_at: Option<DateTimeUtc>,
    /// When a person last let it go on.
    resumed_at: Option<DateTimeUtc>,
    /// By how many the messages that were refused are more than those that were accepted, from 0 to 10.
    refusals: i64,
    /// Of the last that was refused.
    refused_code: Option<String>,
    refused_at: Option<DateTimeUtc>,
    /// Messages that were accepted since the last receipt, and since when.
    unreported: i64,
    unreported_since: Option<DateTimeUtc>,
    /// When receipts came last, within some seconds.
    receipt_at: Option<DateTimeUtc>,
}
