//! The recipients that are stored now, by the day (in the account's time zone) on which they were created.

entity! { "recipient_rollup";
    key {
        account_id: Uuid,
        day: Date,
    }
    recipients: i64,
}
