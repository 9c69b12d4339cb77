//! The counts of a campaign's messages of a kind, as JSON, without those in campaign_delta.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "campaign_tally")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub campaign_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub kind: String,
    pub counts: String,
}

impl ActiveModelBehavior for ActiveModel {}
