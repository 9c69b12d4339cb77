//! A live secret of a key: only its SHA-256 is kept. A key has up to two, so that rotation overlaps.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "api_secret")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub api_key: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub secret_hash: Vec<u8>,
    pub created_at: DateTimeUtc,
    /// Null: it lives until it is rotated.
    pub expires_at: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}
