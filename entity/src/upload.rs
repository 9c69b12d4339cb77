//! A file that somebody looks at before it is imported, in parts. It is kept for an hour.

entity! { "upload";
    key {
        account_id: Uuid,
        /// A version 7 UUID of when it began to arrive.
        upload_id: Uuid,
        /// From 0.
        part: i64,
    }
    /// Of the file.
    name: String,
    /// Without such a part the file has not arrived.
    is_last: bool,
    /// The part's bytes, compressed with zstd.
    body: Vec<u8>,
    created_at: DateTimeUtc,
}
