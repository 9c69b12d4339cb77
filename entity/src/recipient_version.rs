//! The version of what an account's reports say of its recipients. The stamp is drawn at random with each.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "recipient_version")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    /// 1 at first, one more with every change.
    pub data_version: i64,
    /// 64 random bits.
    pub stamp: i64,
    /// When the last change was made. Never goes back.
    pub as_of: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
