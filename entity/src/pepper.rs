//! Which pepper is in use. There is one row.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "pepper")]
pub struct Model {
    /// Always 1.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    /// The first of `domain::pepper::Pepper::fingerprints`.
    pub fingerprint: String,
}

impl ActiveModelBehavior for ActiveModel {}
