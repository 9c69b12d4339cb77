//! One accepted (or still arriving) import with its counts.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "import_batch")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub batch_id: Uuid,
    pub status: String,
    /// The attempt (one POST) that may still write to it while it arrives.
    pub attempt: Uuid,
    pub heartbeat_at: DateTimeUtc,
    pub request_id: String,
    pub lane: String,
    /// Its place in the account's order of acceptance; null while it arrives.
    pub seq: Option<i64>,
    /// A chunk met docids that were stored already: the rest goes the staging way at once.
    pub staging: bool,
    pub received: i64,
    pub accepted: i64,
    pub rejected: i64,
    /// Record errors that are not kept.
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

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
