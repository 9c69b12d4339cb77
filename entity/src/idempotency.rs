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
    /// The query of the request, which a repeat must have too.
    pub query: String,
    /// Who holds the key.
    pub attempt: Uuid,
    /// The batch that the attempt writes.
    pub batch_id: Uuid,
    /// The answer is kept for 24 hours from here.
    pub created_at: DateTimeUtc,
    /// When the attempt last said that it is alive.
    pub heartbeat_at: DateTimeUtc,
    /// SHA-256 of the decoded body. Null, as what follows, until there is an answer.
    pub body_hash: Option<Vec<u8>>,
    /// Of HTTP.
    pub status: Option<i64>,
    /// The answer's JSON, byte for byte.
    pub response: Option<Vec<u8>>,
}

impl ActiveModelBehavior for ActiveModel {}
