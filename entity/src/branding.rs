//! What makes the pages behind an account's links its own.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "branding")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    pub name: Option<String>,
    /// A `data:` URL.
    pub logo: Option<String>,
    /// As `#rrggbb`.
    pub color: Option<String>,
    /// The code of a language.
    pub language: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
