//! Who drives a sender. A driver whose fence is not the row's has lost it.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "lease")]
pub struct Model {
    /// The sender's.
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    /// The driving process.
    pub owner: Uuid,
    /// One more with each change of hands.
    pub fence: i64,
    pub heartbeat_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
