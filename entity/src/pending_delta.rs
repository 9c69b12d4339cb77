//! Counts that no rollup has yet. The roll-up deletes the rows that it added.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "pending_delta")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub form_id: Uuid,
    /// The database draws it: rows that are appended later have greater ones, but may be committed earlier.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    /// In the account's time zone.
    pub day: Date,
    /// As in `feedback`.
    pub bus_prop_ids: String,
    /// As `domain::rollup::Delta` encodes it.
    pub delta: Vec<u8>,
    /// An object of `[views, responses]` by link.
    pub link_counts: String,
    pub created_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
