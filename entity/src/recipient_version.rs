//! The version of what an account's reports say of its recipients. The stamp is drawn at random with each.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "recipient_version")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    pub data_version: i64,
    pub stamp: i64,
    pub as_of: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
