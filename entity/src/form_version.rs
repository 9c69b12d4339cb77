//! The lock of whoever changes what the form's reports say: the order of versions is the order of commits. The stamp is
//! drawn at random with each version, so that a version of another history of the data is never taken for it. The roll-up
//! begins above the watermark, which follows a minute behind what it has read: `next_watermark` replaces it then.

entity! { "form_version";
    key {
        account_id: Uuid,
        form_id: Uuid,
    }
    /// 1 at first, one more with every change.
    data_version: i64,
    /// 64 random bits.
    stamp: i64,
    /// When the last change that is counted was made. Never goes back.
    as_of: DateTimeUtc,
    /// An id of `pending_delta`.
    watermark: i64,
    /// An id of `pending_delta`.
    next_watermark: i64,
    /// When `next_watermark` was noted.
    next_watermark_at: DateTimeUtc,
}
