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
    pub backend_pid: Option<i64>,
    pub backend_start: Option<DateTimeUtc>,
    pub starts: i64,
}

impl ActiveModelBehavior for ActiveModel {}
