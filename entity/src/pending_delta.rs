//! Counts that no rollup has yet. The roll-up deletes the rows that it added.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "pending_delta")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub form_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    pub day: Date,
    pub bus_prop_ids: String,
    pub delta: Vec<u8>,
    pub link_counts: String,
    pub created_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
