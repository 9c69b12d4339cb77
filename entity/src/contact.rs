//! A phone that an account has sent to, or that opted out: those are the account's suppression list.

entity! { "contact";
    key {
        account_id: Uuid,
        /// The HMAC of the phone, 32 bytes.
        phone_mac: Vec<u8>,
    }
    /// Of tests nothing is noted.
    last_sent_at: Option<DateTimeUtc>,
    last_campaign_id: Option<Uuid>,
    /// Whom the last message was for. Null once that person is erased, or has another phone.
    docid: Option<String>,
    /// Null: it may be sent to.
    opted_out_at: Option<DateTimeUtc>,
    /// How it came onto the list: `inbound`, `provider`, `page` or `api`. Null if it is not there.
    source: Option<String>,
    /// The names of the senders through which the account has sent to it, each between spaces.
    senders: String,
}
