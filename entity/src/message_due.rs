//! What is still to be sent, or handed over without a known result: then fence is that of the lease under which it was
//! claimed, else 0. A row's absence proves that the message's result is recorded. phone is that of a test.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "message_due")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub campaign_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub due_at: DateTimeUtc,
    #[sea_orm(primary_key, auto_increment = false)]
    pub message_id: Uuid,
    pub sender: String,
    pub fence: i64,
    pub failures: i64,
    pub phone: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
