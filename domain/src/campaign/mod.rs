//! A campaign: who gets which text, and what became of each message.
//!
//! A request's body becomes a [`CampaignContent`] or the list of its problems (`input`). A campaign has a
//! [`CampaignStatus`], each of its messages a [`MessageStatus`], and each part of a message a receipt ([`PartStates`]). [`judge`]
//! says whether a due message is sent now, and its text. [`Counts`] are the numbers of messages by status, or the change of
//! these numbers.
//!
//! Texts, parts and send windows are in [`crate::sms`]. Ids, times and rows are in `store`.

use std::ops::RangeInclusive;

use crate::link::{MAX_LINK_BUS_PROPS, MAX_TRACK_FIELDS};

mod columns;
mod content;
mod counts;
mod input;
pub mod judge;
mod message;
mod message_set;
mod missing;
mod part_states;
mod preview;
mod sample;
mod sender_choice;
mod similar;
mod status;
#[cfg(test)]
mod tests;
mod unknown;
mod value;
mod waiting;

pub use self::columns::{Columns, ColumnsCheck};
pub use self::content::{Audience, CampaignContent, Reminder};
pub use self::counts::{CampaignCounts, Count, Counts};
pub use self::input::READ_ONLY;
pub use self::message::{Message, MessageKind, MessageStatus, SkipReason};
pub use self::message_set::MessageSet;
pub use self::missing::MissingFields;
pub use self::part_states::{PartStates, Receipt, ReceiptStatus};
pub use self::preview::{Encodings, MissingField, Preview, Sample};
pub use self::sample::SampleShare;
pub use self::sender_choice::{ANY_COUNTRY, MAX_SENDERS, SenderChoice, SenderList};
pub use self::similar::similar_name;
pub use self::status::{CampaignAction, CampaignStatus};
pub use self::unknown::{BusPropsCheck, UnknownBusProps};
pub use self::value::is_sender_name;
pub use self::waiting::{WaitReason, Waiting};

/// The characters of a campaign's name, at most; at least 1.
pub const MAX_NAME_CHARS: usize = 200;
/// The characters of a sender's name, at most; at least 1.
pub const MAX_SENDER_CHARS: usize = 40;
/// The batches of an audience, at most; at least 1.
pub const MAX_BATCHES: usize = 100;
/// The tracking fields that a link gets from the recipient, at most. `docid` is one more.
pub const MAX_COPIED_FIELDS: usize = MAX_TRACK_FIELDS - 1;
/// The business properties that a link gets from the recipient, at most.
pub const MAX_BUS_PROPS_FROM: usize = MAX_LINK_BUS_PROPS;
pub const LINK_EXPIRES_AFTER_DAYS: RangeInclusive<u32> = 1..=365;
pub const SEND_WITHIN_HOURS: RangeInclusive<u32> = 1..=720;
pub const CONTACT_GAP_DAYS: RangeInclusive<u32> = 0..=365;
pub const MAX_PARTS: RangeInclusive<u32> = 1..=10;
/// At most what a database counts.
pub const MAX_MESSAGES: RangeInclusive<u64> = 1..=i64::MAX.cast_unsigned();
/// A day of a value of a business property.
pub const PER_DAY: RangeInclusive<u32> = 1..=1_000_000;
pub const DELAY_MINUTES: RangeInclusive<u32> = 0..=43_200;
pub const REMINDER_AFTER_DAYS: RangeInclusive<u32> = 1..=90;
