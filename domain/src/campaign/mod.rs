//! A campaign: who gets which text, and what became of each message.
//!
//! A request's body becomes a [`CampaignContent`] or the list of its problems (`input`). A campaign has a
//! [`CampaignStatus`], each of its messages a [`MessageStatus`], and each part of a message what receipts said of it
//! ([`PartStates`]). [`Counts`] says how many messages stand where, and what a change of a message changes of that.
//!
//! Texts, parts and send windows are in [`crate::sms`]. Ids, times and rows are in `store`.

mod content;
mod counts;
mod input;
mod limits;
mod message;
mod part_states;
mod preview;
mod status;
#[cfg(test)]
mod tests;
mod value;

pub use self::content::{Audience, CampaignContent, Reminder};
pub use self::counts::{CampaignCounts, Count, Counts};
pub use self::input::READ_ONLY;
pub use self::limits::{
    CONTACT_GAP_DAYS, DELAY_MINUTES, LINK_EXPIRES_AFTER_DAYS, MAX_BATCHES, MAX_BUS_PROPS_FROM,
    MAX_COPIED_FIELDS, MAX_MESSAGES, MAX_NAME_CHARS, MAX_PARTS, MAX_SENDER_CHARS,
    REMINDER_AFTER_DAYS, SEND_WITHIN_HOURS,
};
pub use self::message::{Message, MessageKind, MessageStatus, SkipReason};
pub use self::part_states::{PartStates, Receipt, ReceiptStatus};
pub use self::preview::{Encodings, Preview, Sample};
pub use self::status::{Action, CampaignStatus};
pub use self::value::{is_sender_name, time as parse_time};
