//! Who was erased with which import, as long as the audit log has the erasure.

entity! { "audit_erased";
    key {
        account_id: Uuid,
        /// What stands for the person in `audit`.
        subject: String,
        batch_id: Uuid,
    }
    erased_at: DateTimeUtc,
}
