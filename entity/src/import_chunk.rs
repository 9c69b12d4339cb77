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
    /// From 0.
    #[sea_orm(primary_key, auto_increment = false)]
    pub chunk_no: i64,
    pub records: i64,
    /// No worker tries it again, unless somebody asks for it.
    pub parked: bool,
    /// How often storing it failed through its own fault.
    pub failures: i64,
    /// No worker takes it before. Null: it is due.
    pub retry_at: Option<DateTimeUtc>,
    /// Why it failed last, for people.
    pub reason: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
