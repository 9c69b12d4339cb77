//! An import, from its first byte to its last stored chunk: its status and its counts.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "import_batch")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub batch_id: Uuid,
    pub status: String,
    pub attempt: Uuid,
    pub heartbeat_at: DateTimeUtc,
    pub request_id: String,
    pub campaign_id: Option<Uuid>,
    pub lane: String,
    pub seq: Option<i64>,
    pub staging: bool,
    pub received: i64,
    pub accepted: i64,
    pub rejected: i64,
    pub errors_dropped: i64,
    pub open_chunks: i64,
    pub parked_chunks: i64,
    pub created: i64,
    pub updated: i64,
    pub unchanged: i64,
    pub superseded: i64,
    pub failed: i64,
    pub cancelled: i64,
    pub created_at: DateTimeUtc,
    pub queued_at: Option<DateTimeUtc>,
    pub started_at: Option<DateTimeUtc>,
    pub completed_at: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}
