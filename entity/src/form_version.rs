//! The lock of whoever changes what the form's reports say: the order of versions is the order of commits. The stamp is
//! drawn at random with each version, so that a version of another history of the data is never taken for it. The roll-up
//! begins above the watermark, which follows a minute behind what it has read: next_watermark replaces it then.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "form_version")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub form_id: Uuid,
    pub data_version: i64,
    pub stamp: i64,
    pub as_of: DateTimeUtc,
    pub watermark: i64,
    pub next_watermark: i64,
    pub next_watermark_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
