//! A company that asks its customers.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "account")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    /// Stands for the account in the references that providers get, which have no room for an id.
    pub number: i32,
    pub name: String,
    /// An IANA name. Days are counted in it, so it never changes.
    pub time_zone: String,
    pub created_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
