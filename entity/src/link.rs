//! An answer writes to a link only if it has max_responses, so that a busy link is no busy row. A campaign's link has the
//! id of its message. What comes through the link of a test message is not stored.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "link")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub link_id: Uuid,
    pub token: String,
    pub form_id: Uuid,
    pub bus_prop_ids: String,
    pub track_fields: String,
    pub expires_at: Option<DateTimeUtc>,
    pub max_responses: Option<i64>,
    pub used: i64,
    pub created_at: DateTimeUtc,
    pub deleted_at: Option<DateTimeUtc>,
    pub campaign_id: Option<Uuid>,
    pub is_test: bool,
    pub name: Option<String>,
    pub kiosk: bool,
}

impl ActiveModelBehavior for ActiveModel {}
