//! Counts that no rollup has yet. The roll-up deletes the rows that it added.

entity! { "pending_delta";
    key {
        account_id: Uuid,
        form_id: Uuid,
        /// Drawn in the order of insertion, not of commits. Never used again.
        id: i64,
    }
    /// In the account's time zone.
    day: Date,
    /// Whose rollups it is added to besides the whole, as `domain::link::BusPropIds` writes them.
    bus_prop_ids: String,
    /// An encoded `domain::rollup::Delta`.
    delta: Vec<u8>,
    /// A JSON object of `[views, responses]` by link.
    link_counts: String,
    created_at: DateTimeUtc,
}
