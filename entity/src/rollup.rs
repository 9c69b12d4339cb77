//! Counts of a form by day: of the whole (`bus_prop_id` 0) and of each of its business properties; encoded as in
//! `pending_delta`.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "rollup")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub form_id: Uuid,
    /// 0: the whole.
    #[sea_orm(primary_key, auto_increment = false)]
    pub bus_prop_id: i64,
    /// In the account's time zone.
    #[sea_orm(primary_key, auto_increment = false)]
    pub day: Date,
    /// An encoded `domain::rollup::Delta`.
    pub delta: Vec<u8>,
}

impl ActiveModelBehavior for ActiveModel {}
