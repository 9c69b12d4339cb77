//! `feedback_id` is a version 7 UUID of `submitted_at`, so the order of the key is that of time. `answers` is text as `form.content` is.

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
    /// Of `submitted_at`, in the account's time zone.
    pub day: Date,
    pub submitted_at: DateTimeUtc,
    /// Those of the link, as `domain::link::BusPropIds` writes them: `3_17`.
    pub bus_prop_ids: String,
    /// Those of the link: an object of strings.
    pub track_fields: Json,
    /// As `domain::answer::Answers` writes them: a JSON object by the key of the field.
    pub answers: String,
    /// 0 to 10; null: not answered.
    pub nps: Option<i16>,
    /// 1 to 5; null: not answered.
    pub happiness: Option<i16>,
    pub has_comment: bool,
}

impl ActiveModelBehavior for ActiveModel {}
