//! Counts of a campaign that its tally does not have yet. Rows are only appended, so that no transaction waits for another to count.

entity! { "campaign_delta";
    key {
        account_id: Uuid,
        campaign_id: Uuid,
        /// The database gives them ascending.
        id: i64,
    }
    /// As `domain::campaign::MessageKind` writes it.
    kind: String,
    /// What changed: a `domain::campaign::Counts`, as JSON.
    counts: String,
}
