//! Acceptance draws a seq as the last thing before its COMMIT: the order of seq is the order of commits.

entity! { "import_counter";
    key {
        account_id: Uuid,
    }
    /// The last one that was drawn.
    seq: i64,
}
