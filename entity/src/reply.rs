//! Replies to texts, one of a kind to a phone and day. sender, phone and text are null once it was handed over.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "reply")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub phone_mac: Vec<u8>,
    #[sea_orm(primary_key, auto_increment = false)]
    pub kind: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub day: Date,
    pub sender: Option<String>,
    pub phone: Option<String>,
    pub text: Option<String>,
    pub made_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
