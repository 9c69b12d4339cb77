//! Counts of a form by day: of the whole (bus_prop_id 0) and of each of its business properties; encoded as in
//! pending_delta.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "rollup")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub form_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub bus_prop_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub day: Date,
    pub delta: Vec<u8>,
}

impl ActiveModelBehavior for ActiveModel {}
