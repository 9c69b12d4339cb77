//! Counts of a form by day: of the whole (`bus_prop_id` 0) and of each of its business properties; encoded as in
//! `pending_delta`.

entity! { "rollup";
    key {
        account_id: Uuid,
        form_id: Uuid,
        /// 0: the whole.
        bus_prop_id: i64,
        /// In the account's time zone.
        day: Date,
    }
    /// An encoded `domain::rollup::Delta`.
    delta: Vec<u8>,
}
