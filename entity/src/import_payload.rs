//! The chunk's records, already compressed. A table of its own keeps the ledger small.

entity! { "import_payload";
    key {
        account_id: Uuid,
        batch_id: Uuid,
        chunk_no: i64,
    }
    /// As `domain::chunk` encodes it.
    payload: Vec<u8>,
}
