//! The version of what an account's reports say of its recipients. The stamp is drawn at random with each.

entity! { "recipient_version";
    key {
        account_id: Uuid,
    }
    /// 1 at first, one more with every change.
    data_version: i64,
    /// 64 random bits.
    stamp: i64,
    /// When the last change was made. Never goes back.
    as_of: DateTimeUtc,
}
