//! feedback_id is a version 7 UUID of submitted_at, so the key's order is that of time. answers is text as form.content is.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "feedback")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub form_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub feedback_id: Uuid,
    pub link_id: Uuid,
    pub day: Date,
    pub submitted_at: DateTimeUtc,
    pub bus_prop_ids: String,
    pub track_fields: Json,
    pub answers: String,
    pub nps: Option<i16>,
    pub happiness: Option<i16>,
    pub has_comment: bool,
}

impl ActiveModelBehavior for ActiveModel {}
