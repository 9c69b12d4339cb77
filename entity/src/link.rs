//! An answer writes to a link only if it has `max_responses`, so that a busy link is no busy row. A campaign's link has the
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
    /// What the address of its page ends with.
    pub token: String,
    pub form_id: Uuid,
    /// As `domain::link::BusPropIds` writes them: `3_17`.
    pub bus_prop_ids: String,
    /// A `domain::link::TrackFields`, as JSON. Of an erased person what made a business property.
    pub track_fields: String,
    pub expires_at: Option<DateTimeUtc>,
    /// Null: any number.
    pub max_responses: Option<i64>,
    /// Stored answers, erased ones too. Counted only where `max_responses` is set.
    pub used: i64,
    pub created_at: DateTimeUtc,
    /// Null: it is not deleted.
    pub deleted_at: Option<DateTimeUtc>,
    /// Null: it is no message's.
    pub campaign_id: Option<Uuid>,
    pub is_test: bool,
    /// What its owner calls it.
    pub name: Option<String>,
    /// Many people answer from one address.
    pub kiosk: bool,
}

impl ActiveModelBehavior for ActiveModel {}
