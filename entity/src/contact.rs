//! Phones that an account has sent to, with the docid that the last message was for, and those that opted out (its
//! suppression list). senders has the names of the senders through which it did, each between spaces.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "contact")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub phone_mac: Vec<u8>,
    pub last_sent_at: Option<DateTimeUtc>,
    pub last_campaign_id: Option<Uuid>,
    pub docid: Option<String>,
    pub opted_out_at: Option<DateTimeUtc>,
    pub source: Option<String>,
    pub senders: String,
}

impl ActiveModelBehavior for ActiveModel {}
