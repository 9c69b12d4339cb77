//! How many messages of a campaign were handed over on a day, by a business property of which it asks only so many.

entity! { "campaign_quota";
    key {
        account_id: Uuid,
        campaign_id: Uuid,
        /// In the account's time zone.
        day: Date,
        /// As text, such as `store:S1`.
        bus_prop: String,
    }
    messages: i64,
    began_at: DateTimeUtc,
}
