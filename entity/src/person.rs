//! People who sign in to the dashboard. A password's hash is a PHC string of argon2id.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "person")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    /// Unique among all accounts.
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    /// As `domain::person::Role` writes it.
    pub role: String,
    pub password_hash: String,
    pub created_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
