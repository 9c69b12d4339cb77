//! One row a person and account. An erased person's phone and fields are null until no older batch is open.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "recipient")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub docid: String,
    pub phone: Option<String>,
    /// Tracking fields: an object of texts.
    pub fields: Option<Json>,
    /// The batch whose values stand.
    pub batch_id: Option<Uuid>,
    /// Of the last batch that had the person, or of the erasure: a record of a lower one does not replace it.
    pub seq: i64,
    pub created_at: DateTimeUtc,
    /// When a value last changed.
    pub updated_at: DateTimeUtc,
    /// Of `created_at`, in the account's time zone.
    pub created_day: Date,
}

impl ActiveModelBehavior for ActiveModel {}
