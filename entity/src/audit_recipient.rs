//! Whom the hashes in the audit log are of. A row goes with its recipient.

entity! { "audit_recipient";
    key {
        account_id: Uuid,
        docid: String,
        /// As `audit` has it.
        subject: String,
    }
}
