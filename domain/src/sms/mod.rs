//! What a message to a phone is: its template, its text and parts, the hours in which it may be sent, and the country of a
//! number.

mod country;
pub mod gsm7;
mod number_type;
mod parts;
mod sender_state;
mod setting;
mod slot;
mod stop_words;
mod stop_words_of;
mod template;
mod text;
mod window;
mod zones;

pub use self::country::{Country, countries, country_of, country_or_code};
pub use self::number_type::{NumberType, type_of};
pub use self::parts::Parts;
pub use self::sender_state::SenderState;
pub use self::setting::{
    MAX_REPLY_CHARS, MAX_STOP_WORD_CHARS, MAX_STOP_WORDS, MIN_GAP_DAYS, SendSetting,
};
pub use self::slot::SendSlot;
pub use self::stop_words::{Keyword, keyword};
pub use self::template::{MAX_TEMPLATE_CHARS, Template};
pub use self::text::{plain, special_character};
pub use self::window::SendWindow;
pub use self::zones::{Zones, country_of_zone, zones_for};

/// How a text is encoded on its way.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, strum::Display, strum::EnumString,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Encoding {
    Gsm7,
    Ucs2,
}
