//! What came through a link: views on all days, and responses that were not erased. A link without either has no row.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "link_rollup")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub form_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub link_id: Uuid,
    pub views: i64,
    pub responses: i64,
}

impl ActiveModelBehavior for ActiveModel {}
