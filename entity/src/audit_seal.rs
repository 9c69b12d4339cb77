//! Rows of an account's audit log, sealed with a chain of hashes.

entity! { "audit_seal";
    key {
        account_id: Uuid,
        /// From 1 on, without a gap.
        seal: i64,
    }
    sealed_at: DateTimeUtc,
    /// Of each row its id and its SHA-256, as `store::account` makes it.
    digests: Vec<u8>,
    /// SHA-256 of these and of the hash of the seal before.
    hash: Vec<u8>,
}
