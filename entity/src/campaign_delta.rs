//! Counts of a campaign that its tally does not have yet. Rows are only appended, so that no transaction waits for another to count.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "campaign_delta")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub campaign_id: Uuid,
    /// The database gives them ascending.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    /// As `domain::campaign::MessageKind` writes it.
    pub kind: String,
    /// What changed: a `domain::campaign::Counts`, as JSON.
    pub counts: String,
}

impl ActiveModelBehavior for ActiveModel {}
