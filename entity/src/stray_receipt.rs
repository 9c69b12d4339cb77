//! A receipt that came before the result which has its provider's id.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "stray_receipt")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub sender: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub provider_id: String,
    /// As `domain::campaign::ReceiptStatus` writes it.
    #[sea_orm(primary_key, auto_increment = false)]
    pub status: String,
    /// The provider's.
    pub code: Option<String>,
    pub received_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
