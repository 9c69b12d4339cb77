//! The links that have a tracking field, <name>=<value>.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "link_track_field")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub form_id: Uuid,
    /// As `<name>=<value>`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub track_field: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub link_id: Uuid,
}

impl ActiveModelBehavior for ActiveModel {}
