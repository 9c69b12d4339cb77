//! How large the parts of a campaign may be.

use std::ops::RangeInclusive;

use crate::link::{MAX_LINK_BUS_PROPS, MAX_TRACK_FIELDS};

/// A whole number's lowest and highest value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds<T = u32> {
    pub lowest: T,
    pub highest: T,
}

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
pub const LINK_EXPIRES_AFTER_DAYS: Bounds = bounds(1, 365);
pub const SEND_WITHIN_HOURS: Bounds = bounds(1, 720);
pub const CONTACT_GAP_DAYS: Bounds = bounds(0, 365);
pub const MAX_PARTS: Bounds = bounds(1, 10);
/// At most what a database counts.
pub const MAX_MESSAGES: Bounds<u64> = Bounds {
    lowest: 1,
    highest: i64::MAX.cast_unsigned(),
};
pub const DELAY_MINUTES: Bounds = bounds(0, 43_200);
pub const REMINDER_AFTER_DAYS: Bounds = bounds(1, 90);

const fn bounds(lowest: u32, highest: u32) -> Bounds {
    Bounds { lowest, highest }
}

impl<T> Bounds<T> {
    pub(super) fn range(self) -> RangeInclusive<T> {
        self.lowest..=self.highest
    }
}
