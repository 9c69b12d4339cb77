//! Only a hash of a secret is kept. A key has up to two live secrets, so that rotation overlaps.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "api_key")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    /// The public half, `fk_` and 32 hexadecimal digits.
    #[sea_orm(primary_key, auto_increment = false)]
    pub api_key: String,
    /// As `domain::scope::Scopes` writes them, joined by commas.
    pub scopes: String,
    pub created_at: DateTimeUtc,
    /// Null: it works.
    pub revoked_at: Option<DateTimeUtc>,
    /// Noted at intervals, so it may lag behind.
    pub last_used_at: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}
