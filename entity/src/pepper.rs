//! Which pepper is in use. There is one row.

entity! { "pepper";
    key {
        /// Always 1.
        id: i64,
    }
    /// The first of `domain::pepper::Pepper::fingerprints`.
    fingerprint: String,
}
