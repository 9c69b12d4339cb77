//! Acceptance draws a seq as the last thing before its COMMIT: the order of seq is the order of commits.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "import_counter")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    /// The last one that was drawn.
    pub seq: i64,
}

impl ActiveModelBehavior for ActiveModel {}
