//! A message of a campaign. No index has a column that changes, so that an update stays in its page.

entity! { "message";
    key {
        account_id: Uuid,
        /// Of a first message or a test also the id of its link.
        message_id: Uuid,
    }
    campaign_id: Uuid,
    /// Of an erased person what stands for it: it begins with `domain::docid::ERASED`.
    docid: String,
    /// As `domain::campaign::MessageKind` writes it.
    kind: String,
    /// As `domain::campaign::MessageStatus` writes it.
    status: String,
    /// Why it is skipped, as `domain::campaign::SkipReason` writes it.
    reason: Option<String>,
    /// The HMAC of the phone for which it was planned, 32 bytes. Null of a test, and once the recipient is erased.
    phone_mac: Option<Vec<u8>>,
    /// The HMAC of the phone to which it was handed over, 32 bytes. Null before, and once the recipient is erased.
    sent_mac: Option<Vec<u8>>,
    /// Who carries it. Null: the `sender` of its campaign.
    sender: Option<String>,
    /// 0 until it is handed over.
    parts: i64,
    /// What receipts said of each part, as `domain::campaign::PartStates` writes it. Empty until it is handed over.
    part_states: String,
    /// As `domain::sms::Encoding` writes it.
    encoding: Option<String>,
    /// Of a reminder the id of the first message, whose link it has.
    link_id: Uuid,
    /// A JSON array of the provider's ids: of each part, or one of all.
    provider_ids: String,
    /// The provider's, of the result or receipt that made the status.
    code: Option<String>,
    scheduled_at: DateTimeUtc,
    /// When the provider was first known to have it: once it is accepted, delivered, undelivered or expired.
    accepted_at: Option<DateTimeUtc>,
    /// The day of `accepted_at` in the account's time zone.
    accepted_day: Option<Date>,
    delivered_at: Option<DateTimeUtc>,
    /// When its link was first viewed.
    viewed_at: Option<DateTimeUtc>,
    /// When its link was first answered.
    answered_at: Option<DateTimeUtc>,
    /// The day on which it has a place in [`campaign_quota`](super::`campaign_quota`).
    quota_day: Option<Date>,
    /// What its attempts cost that are counted in [`send_usage`](super::send_usage), in millionths; null without a price.
    cost: Option<i64>,
}
