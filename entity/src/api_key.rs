//! Only a hash of a secret is kept. A key has up to two live secrets, so that rotation overlaps.

entity! { "api_key";
    key {
        account_id: Uuid,
        /// The public half, `fk_` and 32 hexadecimal digits.
        api_key: String,
    }
    /// As `domain::scope::Scopes` writes them, joined by commas.
    scopes: String,
    created_at: DateTimeUtc,
    /// Null: it works.
    revoked_at: Option<DateTimeUtc>,
    /// Noted at intervals, so it may lag behind.
    last_used_at: Option<DateTimeUtc>,
    /// What people call it.
    name: Option<String>,
    /// Null: it works for ever.
    expires_at: Option<DateTimeUtc>,
    /// As `domain::networks::Networks` writes them. Null: it works from anywhere.
    networks: Option<String>,
}
