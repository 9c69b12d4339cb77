//! The row of a stored chunk is deleted: its absence proves that the chunk is stored.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "import_chunk")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub batch_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub chunk_no: i64,
    pub records: i64,
    pub parked: bool,
    pub failures: i64,
    pub retry_at: Option<DateTimeUtc>,
    pub reason: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
