//! A campaign: who gets which message.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "campaign")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub campaign_id: Uuid,
    /// As `domain::campaign::CampaignStatus` writes it.
    pub status: String,
    /// Also in the content.
    pub sender: String,
    /// Also in the content.
    pub form_id: Uuid,
    /// A `domain::campaign::CampaignContent`, as JSON.
    pub content: String,
    /// 1 at first, one more with every change of any kind.
    pub revision: i64,
    /// Its imports plan it.
    pub on_import: bool,
    /// It takes no more imports and ends once nothing is left to do.
    pub finishing: bool,
    /// Nothing of its audience is left to plan.
    pub planned: bool,
    /// The last docid of its audience that was planned.
    pub planned_to: String,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    pub started_at: Option<DateTimeUtc>,
    pub finished_at: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}
