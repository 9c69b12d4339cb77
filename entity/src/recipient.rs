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
    pub fields: Option<Json>,
    pub batch_id: Option<Uuid>,
    pub seq: i64,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    pub created_day: Date,
}

impl ActiveModelBehavior for ActiveModel {}
