//! One row is one view: a visit on a day on which it saw the page or answered.

entity! { "visit_view";
    key {
        account_id: Uuid,
        link_id: Uuid,
        visit: Uuid,
        /// Of `seen_at`, in the account's time zone.
        day: Date,
    }
    form_id: Uuid,
    seen_at: DateTimeUtc,
}
