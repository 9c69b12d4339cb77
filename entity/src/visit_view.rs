//! One row is one view: a visit on a day on which it saw the page or answered.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "visit_view")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub link_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub visit: Uuid,
    /// Of `seen_at`, in the account's time zone.
    #[sea_orm(primary_key, auto_increment = false)]
    pub day: Date,
    pub form_id: Uuid,
    pub seen_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
