//! An import, from its first byte to its last stored chunk: its status and its counts.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "import_batch")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    /// A version 7 UUID of when it began to arrive.
    #[sea_orm(primary_key, auto_increment = false)]
    pub batch_id: Uuid,
    /// `receiving` until all of it is stored and it is accepted, then as `store::import::BatchStatus` writes it.
    pub status: String,
    /// The request that writes it. Another one that takes over its idempotency key drops it.
    pub attempt: Uuid,
    /// When the request last said that it is alive.
    pub heartbeat_at: DateTimeUtc,
    /// Of the request, for the log.
    pub request_id: String,
    /// The campaign that sends a message to each of its recipients.
    pub campaign_id: Option<Uuid>,
    /// As `domain::message::Lane` writes it.
    pub lane: String,
    /// Its place in the order of acceptance, from `import_counter`. Null: it is not accepted yet.
    pub seq: Option<i64>,
    /// It met docids that were stored already, so its other chunks go through the staging table at once.
    pub staging: bool,
    /// Records of the body. `received = accepted + rejected`.
    pub received: i64,
    pub accepted: i64,
    pub rejected: i64,
    /// Record errors that are not kept.
    pub errors_dropped: i64,
    /// Chunks that are neither stored nor parked.
    pub open_chunks: i64,
    pub parked_chunks: i64,
    /// Records by what came of them. What is left of `accepted` waits for a worker.
    pub created: i64,
    pub updated: i64,
    pub unchanged: i64,
    pub superseded: i64,
    /// Records of parked chunks.
    pub failed: i64,
    pub cancelled: i64,
    pub created_at: DateTimeUtc,
    pub queued_at: Option<DateTimeUtc>,
    /// When a worker began with the chunk that was stored first.
    pub started_at: Option<DateTimeUtc>,
    /// When it was completed or cancelled.
    pub completed_at: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}
