//! A worker's sign of life.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "worker_heartbeat")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub worker_id: Uuid,
    pub heartbeat_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
