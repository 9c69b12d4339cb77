//! Blocks of many record errors, compressed.

entity! { "import_error";
    key {
        account_id: Uuid,
        batch_id: Uuid,
        /// The place of its first error among those of the batch, from 0.
        first: i64,
    }
    /// How many it has.
    errors: i64,
    /// A JSON array of `domain::record::KeptError`, compressed with zstd.
    block: Vec<u8>,
}
