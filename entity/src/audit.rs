//! What people changed through the dashboard: written before it is done, with the HTTP status that it came to afterwards.
//! Rows are only added; the name stays when its person is gone.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "audit")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub audit_id: Uuid,
    pub at: DateTimeUtc,
    pub name: String,
    pub address: String,
    pub action: String,
    pub subject: String,
    pub status: Option<i16>,
}

impl ActiveModelBehavior for ActiveModel {}
