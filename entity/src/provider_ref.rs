//! The message that a provider means by an id, where its receipts carry its own ids alone.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "provider_ref")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub sender: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub provider_id: String,
    pub account_id: Uuid,
    pub message_id: Uuid,
    /// Counted from 0.
    pub part: i64,
    pub created_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
