//! A message of a campaign to a recipient.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "message")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub message_id: Uuid,
    pub campaign_id: Uuid,
    pub docid: String,
    /// As `domain::campaign::MessageKind` writes it.
    pub kind: String,
    /// As `domain::campaign::MessageStatus` writes it.
    pub status: String,
    /// As `domain::campaign::SkipReason` writes it.
    pub reason: Option<String>,
    /// The HMAC of the phone for which it was planned; null of a test and of an erased recipient.
    pub phone_mac: Option<Vec<u8>>,
    /// The HMAC of the phone to which it was handed over.
    pub sent_mac: Option<Vec<u8>>,
    /// 0 until it is taken to be sent.
    pub parts: i64,
    /// As `domain::campaign::PartStates` writes them.
    pub part_states: String,
    pub encoding: Option<String>,
    /// Of a first message its own id.
    pub link_id: Uuid,
    /// A JSON array of strings.
    pub provider_ids: String,
    /// The provider's code of the last result or receipt.
    pub code: Option<String>,
    pub scheduled_at: DateTimeUtc,
    pub accepted_at: Option<DateTimeUtc>,
    pub delivered_at: Option<DateTimeUtc>,
    pub viewed_at: Option<DateTimeUtc>,
    pub answered_at: Option<DateTimeUtc>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
