//! What a text from a phone is answered: one reply of a kind to a phone and day.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "reply")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Uuid,
    /// The HMAC of the phone, 32 bytes.
    #[sea_orm(primary_key, auto_increment = false)]
    pub phone_mac: Vec<u8>,
    /// As `domain::sms::Keyword` writes it.
    #[sea_orm(primary_key, auto_increment = false)]
    pub kind: String,
    /// Of `made_at`, in the account's time zone.
    #[sea_orm(primary_key, auto_increment = false)]
    pub day: Date,
    /// Null, as are phone and text, once it was handed over or the person was erased.
    pub sender: Option<String>,
    pub phone: Option<String>,
    pub text: Option<String>,
    pub made_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
