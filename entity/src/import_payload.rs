//! The chunk's records, already compressed. A table of its own keeps the ledger small.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "import_payload")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub batch_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub chunk_no: i64,
    /// As `domain::chunk` encodes it.
    pub payload: Vec<u8>,
}

impl ActiveModelBehavior for ActiveModel {}
