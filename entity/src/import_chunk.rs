//! The row of a stored chunk is deleted: its absence proves that the chunk is stored.

entity! { "import_chunk";
    key {
        account_id: Uuid,
        batch_id: Uuid,
        /// The chunks of a batch are stored in this order. There are gaps.
        chunk_no: i64,
    }
    records: i64,
    /// No worker tries it again, unless somebody asks for it.
    parked: bool,
    /// How often storing it failed through its own fault.
    failures: i64,
    /// No worker takes it before. Null: it is due.
    retry_at: Option<DateTimeUtc>,
    /// Why it failed last, for people.
    reason: Option<String>,
}
