//! One row: what the docids of erased people are hashed under where no pepper is set. It serves for docids alone.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "docid_key")]
pub struct Model {
    /// Always 1.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    /// The random bytes of a `domain::pepper::DocIdKey`.
    pub key: Vec<u8>,
}

impl ActiveModelBehavior for ActiveModel {}
