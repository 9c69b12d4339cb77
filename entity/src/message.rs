//! phone_mac is the HMAC of the phone for which it was planned, 32 bytes, null of a test; sent_mac that of the phone to
//! which it was handed over. Both are null once the recipient is erased. provider_ids is a JSON array. part_states has a
//! character a part. The id of a first message is also that of its link. accepted_day is the day of accepted_at in the
//! account's time zone; both are set once the provider is known to have it: accepted, delivered, undelivered or expired. No
//! index knows of what changes, so that an update stays in its page.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "message")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub message_id: Uuid,
    pub campaign_id: Uuid,
    pub docid: String,
    pub kind: String,
    pub status: String,
    pub reason: Option<String>,
    pub phone_mac: Option<Vec<u8>>,
    pub sent_mac: Option<Vec<u8>>,
    pub parts: i64,
    pub part_states: String,
    pub encoding: Option<String>,
    pub link_id: Uuid,
    pub provider_ids: String,
    pub code: Option<String>,
    pub scheduled_at: DateTimeUtc,
    pub accepted_at: Option<DateTimeUtc>,
    pub accepted_day: Option<Date>,
    pub delivered_at: Option<DateTimeUtc>,
    pub viewed_at: Option<DateTimeUtc>,
    pub answered_at: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}
