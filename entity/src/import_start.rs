//! Which worker started on a chunk, written beside the transaction that holds the chunk. A foreign key's check would wait
//! for that transaction, so there is none.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "import_start")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub batch_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub chunk_no: i64,
    pub worker_id: Uuid,
    /// The server's process that holds the chunk. Null where the role may not see it.
    pub backend_pid: Option<i64>,
    /// When that process began, which tells it from a later one with its number.
    pub backend_start: Option<DateTimeUtc>,
    /// How often work on the chunk began and did not come to an end.
    pub starts: i64,
}

impl ActiveModelBehavior for ActiveModel {}
