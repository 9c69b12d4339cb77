//! The counts of a campaign's messages of a kind, without those of [`campaign_delta`](super::`campaign_delta`).

entity! { "campaign_tally";
    key {
        account_id: Uuid,
        campaign_id: Uuid,
        /// As `domain::campaign::MessageKind` writes it.
        kind: String,
    }
    /// A `domain::campaign::Counts`, as JSON.
    counts: String,
}
