//! The first stored answer of a visit. The row outlives the feedback: a repeated answer still gets the first one's id.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "visit")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub link_id: Uuid,
    /// Drawn when the page is opened, or named by the program that answers.
    #[sea_orm(primary_key, auto_increment = false)]
    pub visit: Uuid,
    pub feedback_id: Uuid,
}

impl ActiveModelBehavior for ActiveModel {}
