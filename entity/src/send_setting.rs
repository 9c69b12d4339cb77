//! How an account takes texts that come from phones. One without a row takes them by default.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "send_setting")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    /// A `domain::sms::SendSetting`, as JSON.
    pub content: String,
}

impl ActiveModelBehavior for ActiveModel {}
