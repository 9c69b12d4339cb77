//! A message that is still to be sent, or that was handed over without a known result. A row's absence proves that the
//! message's result is recorded.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "message_due")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub campaign_id: Uuid,
    /// When its window opens, or when it is tried again.
    #[sea_orm(primary_key, auto_increment = false)]
    pub due_at: DateTimeUtc,
    #[sea_orm(primary_key, auto_increment = false)]
    pub message_id: Uuid,
    pub sender: String,
    /// 0 while it waits; else that of the lease under which it was claimed.
    pub fence: i64,
    /// How often a provider certainly did not take it.
    pub failures: i64,
    /// Of a test, where it goes. Null: to the phone of the recipient.
    pub phone: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
