//! `feedback_id` is a version 7 UUID of `submitted_at`, so the order of the key is that of time. `answers` is text as `form.content` is.

entity! { "feedback";
    key {
        account_id: Uuid,
        form_id: Uuid,
        feedback_id: Uuid,
    }
    link_id: Uuid,
    /// Of `submitted_at`, in the account's time zone.
    day: Date,
    submitted_at: DateTimeUtc,
    /// Those of the link, as `domain::link::BusPropIds` writes them: `3_17`.
    bus_prop_ids: String,
    /// Those of the link: an object of strings.
    track_fields: Json,
    /// As `domain::answer::Answers` writes them: a JSON object by the key of the field.
    answers: String,
    /// 0 to 10; null: not answered.
    nps: Option<i16>,
    /// 1 to 5; null: not answered.
    happiness: Option<i16>,
    has_comment: bool,
}
