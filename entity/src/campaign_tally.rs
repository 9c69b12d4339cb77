//! The counts of a campaign's messages of a kind, without those of [`campaign_delta`](super::`campaign_delta`).

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "campaign_tally")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub campaign_id: Uuid,
    /// As `domain::campaign::MessageKind` writes it.
    #[sea_orm(primary_key, auto_increment = false)]
    pub kind: String,
    /// A `domain::campaign::Counts`, as JSON.
    pub counts: String,
}

impl ActiveModelBehavior for ActiveModel {}
