//! A live secret of a key: only its SHA-256 is kept. A key has up to two, so that rotation overlaps.

entity! { "api_secret";
    key {
        account_id: Uuid,
        api_key: String,
        secret_hash: Vec<u8>,
    }
    created_at: DateTimeUtc,
    /// Null: it lives until it is rotated.
    expires_at: Option<DateTimeUtc>,
}
