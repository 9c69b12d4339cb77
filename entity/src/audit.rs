//! What people and keys changed and exported, whose phones they saw, and who signed in or was refused. A change is written before it is
//! done; what it came to is a row of its own.
//! Rows are only added, and sealed (`audit_seal`); the name stays when its person is gone.

entity! { "audit";
    key {
        account_id: Uuid,
        /// A version 7 UUID, so the key's order is that of time.
        audit_id: Uuid,
    }
    at: DateTimeUtc,
    /// Of the person or the key; empty: it came through the command line.
    name: String,
    /// The network that it was asked from.
    address: String,
    /// Such as `recipient.erase`.
    action: String,
    /// What it was done to, such as an id; of a recipient what stands for the docid, where no program before schema 26 wrote the row.
    subject: String,
    /// The HTTP status that it came to: of an outcome, of what was done already, and of what programs before schema 23 wrote.
    status: Option<i16>,
    /// Of an outcome, the row of what was tried.
    outcome_of: Option<Uuid>,
    /// Of the outcome of a change of a form, a campaign or settings: in JSON the members as they were and as they are.
    changes: Option<String>,
    /// The seal that it is in. Null: none yet.
    seal: Option<i64>,
    /// Null: not sealed yet, or of a recipient who was erased since.
    salt: Option<Vec<u8>>,
    /// SHA-256 of the salt and the subject.
    subject_hash: Option<Vec<u8>>,
}
