//! How many parts an account handed over through a sender on the day when it did so last.

entity! { "sender_usage";
    key {
        sender: String,
        account_id: Uuid,
    }
    /// In the account's time zone.
    day: Date,
    parts: i64,
}
