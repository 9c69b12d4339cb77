//! What somebody answered to a form.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "feedback")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub form_id: Uuid,
    /// A version 7 UUID of `submitted_at`, so that the key's order is that of time.
    #[sea_orm(primary_key, auto_increment = false)]
    pub feedback_id: Uuid,
    pub link_id: Uuid,
    /// Of `submitted_at`, in the account's time zone.
    pub day: Date,
    pub submitted_at: DateTimeUtc,
    /// Of the link: ids of the form's business properties, joined by `_`.
    pub bus_prop_ids: String,
    /// Of the link: an object of texts.
    pub track_fields: Json,
    /// An object by key of field, as `domain::answer::Answers::to_value` gives it. Text, so that its length is known
    /// without reading it.
    pub answers: String,
    /// 0 to 10.
    pub nps: Option<i16>,
    /// 1 to 5.
    pub happiness: Option<i16>,
    pub has_comment: bool,
}

impl ActiveModelBehavior for ActiveModel {}
