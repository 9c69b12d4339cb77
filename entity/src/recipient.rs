//! One row a person and account. An erased person's phone and fields are null until no older batch is open.

entity! { "recipient";
    key {
        account_id: Uuid,
        docid: String,
    }
    phone: Option<String>,
    /// Tracking fields: an object of texts.
    fields: Option<Json>,
    /// The batch whose values stand.
    batch_id: Option<Uuid>,
    /// Of the last batch that had the person, or of the erasure: a record of a lower one does not replace it.
    seq: i64,
    created_at: DateTimeUtc,
    /// When a value last changed.
    updated_at: DateTimeUtc,
    /// Of `created_at`, in the account's time zone.
    created_day: Date,
}
