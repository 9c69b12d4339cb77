//! How many parts an account handed over through a sender on the day when it did so last.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "sender_usage")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub sender: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    /// In the account's time zone.
    pub day: Date,
    pub parts: i64,
}

impl ActiveModelBehavior for ActiveModel {}
