//! A file that somebody looks at before it is imported, in parts. It is kept for an hour.

entity! { "upload";
    key {
        account_id: Uuid,
        /// A version 7 UUID of when it began to arrive.
        upload_id: Uuid,
        /// Part 0 is empty: it is there from when the file begins to arrive.
        part: i64,
    }
    /// Of the file.
    name: String,
    /// Without such a part the file has not arrived.
    is_last: bool,
    created_at: DateTimeUtc,
    /// The part's bytes, compressed with zstd. The last column: what is before it is read without it.
    body: Vec<u8>,
}
