//! How a sender is, as its driver saw it last. One without a row never was in trouble.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "sender_state")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    /// `ok`, `paused` or `error`.
    pub state: String,
    /// A code, never a provider's text.
    pub reason: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
