//! A phone that an account has sent to, or that opted out: those are the account's suppression list.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "contact")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    /// The HMAC of the phone, 32 bytes.
    #[sea_orm(primary_key, auto_increment = false)]
    pub phone_mac: Vec<u8>,
    /// Of tests nothing is noted.
    pub last_sent_at: Option<DateTimeUtc>,
    pub last_campaign_id: Option<Uuid>,
    /// Whom the last message was for. Null once that person is erased, or has another phone.
    pub docid: Option<String>,
    /// Null: it may be sent to.
    pub opted_out_at: Option<DateTimeUtc>,
    /// How it came onto the list: `inbound`, `provider`, `page` or `api`. Null if it is not there.
    pub source: Option<String>,
    /// The names of the senders through which the account has sent to it, each between spaces.
    pub senders: String,
}

impl ActiveModelBehavior for ActiveModel {}
