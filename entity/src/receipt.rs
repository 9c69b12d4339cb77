//! What a provider reported of a message: each status of a part once.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "receipt")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub message_id: Uuid,
    /// Counted from 0; -1 stands for all.
    #[sea_orm(primary_key, auto_increment = false)]
    pub part: i64,
    /// As `domain::campaign::ReceiptStatus` writes it.
    #[sea_orm(primary_key, auto_increment = false)]
    pub status: String,
    /// The provider's.
    pub code: Option<String>,
    pub received_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
