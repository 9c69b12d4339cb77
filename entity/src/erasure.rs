//! Erasures, by their places in the order of acceptance. A row goes once what older imports say of the person is gone. The
//! row without a person that an erasure leaves in recipient cannot say so: it is the person's again once they come back.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "erasure")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    /// Its place in the order of acceptance, drawn like that of a batch.
    #[sea_orm(primary_key, auto_increment = false)]
    pub seq: i64,
    pub docid: String,
    pub at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
