//! How large the parts of a campaign may be.

use std::ops::RangeInclusive;

use crate::link::{MAX_LINK_BUS_PROPS, MAX_TRACK_FIELDS};

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
pub const DELAY_MINUTES: RangeInclusive<u32> = 0..=43_200;
pub const REMINDER_AFTER_DAYS: RangeInclusive<u32> = 1..=90;
