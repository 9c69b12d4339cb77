//! Blocks of many record errors, compressed.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "import_error")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub batch_id: Uuid,
    /// The place of its first error among those of the batch, from 0.
    #[sea_orm(primary_key, auto_increment = false)]
    pub first: i64,
    /// How many it has.
    pub errors: i64,
    /// A JSON array of `domain::record::RecordError`, compressed with zstd.
    pub block: Vec<u8>,
}

impl ActiveModelBehavior for ActiveModel {}
