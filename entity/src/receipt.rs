//! What providers reported of messages, each status of a part once: part is counted from 0, and -1 stands for all.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "receipt")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub message_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub part: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub status: String,
    pub code: Option<String>,
    pub received_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
