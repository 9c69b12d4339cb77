//! What an account handed over for a campaign through a sender on a day: by the country of the phones, and what it cost.

entity! { "send_usage";
    key {
        account_id: Uuid,
        campaign_id: Uuid,
        /// In the account's time zone.
        day: Date,
        sender: String,
        /// An ISO code, or a calling code such as `+1` where no country is known.
        country: String,
        /// Empty of a sender without a price.
        currency: String,
    }
    messages: i64,
    parts: i64,
    /// In millionths of the currency.
    cost: i64,
}
