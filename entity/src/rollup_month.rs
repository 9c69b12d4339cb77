//! The form's `data_version` and stamp when a rollup row of the month (its first day) last changed. A month without data has
//! no row. A copy of a month's counts may be used only if it was made at this version.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "rollup_month")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub form_id: Uuid,
    /// Its first day.
    #[sea_orm(primary_key, auto_increment = false)]
    pub month: Date,
    pub version: i64,
    pub stamp: i64,
}

impl ActiveModelBehavior for ActiveModel {}
