//! A form with its content. What its reports say has a version of its own (`form_version`).

entity! { "form";
    key {
        account_id: Uuid,
        form_id: Uuid,
    }
    /// As `domain::form::FormStatus` writes it.
    status: String,
    /// Also in the content.
    title: String,
    /// A `domain::form::FormContent`, as JSON.
    content: String,
    /// 1 at first, one more with every change of any kind.
    revision: i64,
    created_at: DateTimeUtc,
    updated_at: DateTimeUtc,
    published_at: Option<DateTimeUtc>,
    deleted_at: Option<DateTimeUtc>,
}
