//! What people changed through the dashboard or the command line, and what was exported: written before it is done, with the HTTP status that it came to afterwards.
//! Rows are only added; the name stays when its person is gone.

entity! { "audit";
    key {
        account_id: Uuid,
        /// A version 7 UUID, so the key's order is that of time.
        audit_id: Uuid,
    }
    at: DateTimeUtc,
    /// Of the person or, of an export, of the key; empty: it came through the command line.
    name: String,
    /// The network that it was asked from.
    address: String,
    /// Such as `recipient.erase`.
    action: String,
    /// What it was done to, such as an id. Of an erased recipient what stands for the docid.
    subject: String,
    /// Null: not known, or not done yet.
    status: Option<i16>,
}
