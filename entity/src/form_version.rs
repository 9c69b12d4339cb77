//! The lock of whoever changes what the form's reports say: the order of versions is the order of commits. The stamp is
//! drawn at random with each version, so that a version of another history of the data is never taken for it. The roll-up
//! begins above the watermark, which follows a minute behind what it has read: `next_watermark` replaces it then.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "form_version")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub form_id: Uuid,
    /// 1 at first, one more with every change.
    pub data_version: i64,
    /// 64 random bits.
    pub stamp: i64,
    /// When the last change that is counted was made. Never goes back.
    pub as_of: DateTimeUtc,
    /// An id of `pending_delta`.
    pub watermark: i64,
    /// An id of `pending_delta`.
    pub next_watermark: i64,
    /// When `next_watermark` was noted.
    pub next_watermark_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
