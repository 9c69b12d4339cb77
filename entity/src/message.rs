//! A message of a campaign. No index has a column that changes, so that an update stays in its page.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "message")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    /// Of a first message or a test also the id of its link.
    #[sea_orm(primary_key, auto_increment = false)]
    pub message_id: Uuid,
    pub campaign_id: Uuid,
    /// Of an erased person what stands for it: it begins with `domain::docid::ERASED`.
    pub docid: String,
    /// As `domain::campaign::MessageKind` writes it.
    pub kind: String,
    /// As `domain::campaign::MessageStatus` writes it.
    pub status: String,
    /// Why it is skipped, as `domain::campaign::SkipReason` writes it.
    pub reason: Option<String>,
    /// The HMAC of the phone for which it was planned, 32 bytes. Null of a test, and once the recipient is erased.
    pub phone_mac: Option<Vec<u8>>,
    /// The HMAC of the phone to which it was handed over, 32 bytes. Null before, and once the recipient is erased.
    pub sent_mac: Option<Vec<u8>>,
    /// 0 until it is handed over.
    pub parts: i64,
    /// What receipts said of each part, as `domain::campaign::PartStates` writes it. Empty until it is handed over.
    pub part_states: String,
    /// As `domain::sms::Encoding` writes it.
    pub encoding: Option<String>,
    /// Of a reminder the id of the first message, whose link it has.
    pub link_id: Uuid,
    /// A JSON array of the provider's ids: of each part, or one of all.
    pub provider_ids: String,
    /// The provider's, of the last result or receipt that had one.
    pub code: Option<String>,
    pub scheduled_at: DateTimeUtc,
    /// When the provider was first known to have it: once it is accepted, delivered, undelivered or expired.
    pub accepted_at: Option<DateTimeUtc>,
    /// The day of `accepted_at` in the account's time zone.
    pub accepted_day: Option<Date>,
    pub delivered_at: Option<DateTimeUtc>,
    /// When its link was first viewed.
    pub viewed_at: Option<DateTimeUtc>,
    /// When its link was first answered.
    pub answered_at: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}
