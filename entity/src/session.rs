//! Who is signed in, and links with which somebody can sign in once. Only the SHA-256 of what the browser or the link has
//! is kept. A changed password or role ends the sessions of its person.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "session")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    /// A SHA-256.
    #[sea_orm(primary_key, auto_increment = false)]
    pub hash: Vec<u8>,
    /// Of the person.
    pub name: String,
    /// A link to sign in with, which works once.
    pub is_link: bool,
    pub expires_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
