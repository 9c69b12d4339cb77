//! The first answer to an `Idempotency-Key`, for requests that repeat it.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "idempotency")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub idempotency_key: String,
    pub query: String,
    pub attempt: Uuid,
    pub batch_id: Uuid,
    pub created_at: DateTimeUtc,
    pub heartbeat_at: DateTimeUtc,
    pub body_hash: Option<Vec<u8>>,
    pub status: Option<i64>,
    pub response: Option<Vec<u8>>,
}

impl ActiveModelBehavior for ActiveModel {}
