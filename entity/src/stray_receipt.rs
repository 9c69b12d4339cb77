//! Receipts that came before the result which has their provider's id.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "stray_receipt")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub sender: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub provider_id: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub status: String,
    pub code: Option<String>,
    pub received_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
