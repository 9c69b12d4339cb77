//! How long an account keeps what it collected. Of a sealed day what was counted stays, and is never counted anew, while its rows go.

entity! { "retention";
    key {
        account_id: Uuid,
    }
    /// For how many days, as of the others. Null: for ever.
    answers_days: Option<i32>,
    visits_days: Option<i32>,
    messages_days: Option<i32>,
    audit_days: Option<i32>,
    /// The last day that is sealed, in the account's time zone. It only rises.
    answers_sealed: Option<Date>,
    visits_sealed: Option<Date>,
    messages_sealed: Option<Date>,
    /// Nothing more goes before. Null: it holds at once.
    holds_from: Option<DateTimeUtc>,
}
