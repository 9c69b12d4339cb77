//! What people changed through the dashboard: written before it is done, with the HTTP status that it came to afterwards.
//! Rows are only added; the name stays when its person is gone.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "audit")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    /// A version 7 UUID, so the key's order is that of time.
    #[sea_orm(primary_key, auto_increment = false)]
    pub audit_id: Uuid,
    pub at: DateTimeUtc,
    /// Of the person.
    pub name: String,
    /// The network that it was asked from.
    pub address: String,
    /// Such as `recipient.erase`.
    pub action: String,
    /// What it was done to, such as an id. Of an erased recipient what stands for the docid.
    pub subject: String,
    /// Null: not known, or not done yet.
    pub status: Option<i16>,
}

impl ActiveModelBehavior for ActiveModel {}
