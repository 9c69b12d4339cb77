//! Pages of a report that whoever has the link may read. Only the SHA-256 of the link's secret is kept.

entity! { "share";
    key {
        account_id: Uuid,
        share_id: Uuid,
    }
    /// A SHA-256.
    hash: Vec<u8>,
    /// Path and query of the page.
    path: String,
    created_at: DateTimeUtc,
    expires_at: DateTimeUtc,
}
