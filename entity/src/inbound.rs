//! A text that came from a phone. Each counts once.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "inbound")]
pub struct Model {
    /// The name of the sender that it came through.
    #[sea_orm(primary_key, auto_increment = false)]
    pub sender: String,
    /// The provider's.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub received_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
