//! Texts that came from phones, by the sender and the id that its provider gave them: each counts once.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "inbound")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub sender: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub received_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
