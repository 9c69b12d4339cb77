//! What receipts said of the parts of a message, and what follows for the message.

use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::Serialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::message::MessageStatus;
use crate::invalid::NotValid;

/// What a receipt says of a message or a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum ReceiptStatus {
    /// The provider has it; another receipt follows.
    Accepted,
    Delivered,
    Undelivered,
    Expired,
}

/// What a provider reported of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Receipt {
    /// The part, from 0; null of all.
    pub part: Option<i64>,
    pub status: ReceiptStatus,
    /// The provider's own.
    pub code: Option<String>,
    pub received_at: DateTime<Utc>,
}

/// The receipts of each part of a message. As text one character a part: `-` none, `a` accepted, `d` delivered,
/// `u` undelivered, `e` expired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartStates(String);

const NONE: char = '-';
const ACCEPTED: char = 'a';
const DELIVERED: char = 'd';
const UNDELIVERED: char = 'u';
const EXPIRED: char = 'e';

impl ReceiptStatus {
    fn state(self) -> char {
        match self {
            Self::Accepted => ACCEPTED,
            Self::Delivered => DELIVERED,
            Self::Undelivered => UNDELIVERED,
            Self::Expired => EXPIRED,
        }
    }

    /// The status of a message of one part.
    fn of_message(self) -> MessageStatus {
        match self {
            Self::Accepted => MessageStatus::Accepted,
            Self::Delivered => MessageStatus::Delivered,
            Self::Undelivered => MessageStatus::Undelivered,
            Self::Expired => MessageStatus::Expired,
        }
    }
}

impl PartStates {
    /// The states of a message of `parts` parts without a receipt.
    pub fn new(parts: usize) -> Self {
        Self(NONE.to_string().repeat(parts))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Records a receipt of a part, counted from 0, or of all parts, and gives whether it makes the message's status. Of each part the
    /// first receipt that is final stands, but delivered beats all. A part that the message has not changes nothing.
    pub fn record(&mut self, part: Option<usize>, status: ReceiptStatus) -> bool {
        let next = |old| match old {
            UNDELIVERED | EXPIRED if status != ReceiptStatus::Delivered => old,
            DELIVERED => old,
            _ => status.state(),
        };
        let is_meant = |n| part.is_none_or(|part| part == n);
        let before = self.status(MessageStatus::Sending);
        let mut stands = false;
        let parts = self.0.chars().enumerate();
        let parts = parts.map(|(n, old)| {
            if !is_meant(n) {
                return old;
            }
            let new = next(old);
            stands |= new != old || (new == ACCEPTED && status == ReceiptStatus::Accepted);
            new
        });
        self.0 = parts.collect();
        let after = self.status(MessageStatus::Sending);
        stands && (after != before || after == status.of_message())
    }

    /// The status of a message that was `before` without these receipts or with some of them. One part that failed fails
    /// the message. A message that was not handed over keeps its status.
    pub fn status(&self, before: MessageStatus) -> MessageStatus {
        use MessageStatus as Status;
        if let Status::Skipped | Status::Scheduled | Status::Cancelled = before {
            before
        } else if self.0.chars().all(|state| state == NONE) {
            before
        } else if self.0.chars().all(|state| state == DELIVERED) {
            Status::Delivered
        } else if self.0.contains(UNDELIVERED) {
            Status::Undelivered
        } else if self.0.contains(EXPIRED) {
            Status::Expired
        } else {
            // Also where a part had failed before it was delivered after all.
            Status::Accepted
        }
    }
}

impl FromStr for PartStates {
    type Err = NotValid;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = [NONE, ACCEPTED, DELIVERED, UNDELIVERED, EXPIRED];
        let is_known = text.chars().all(|state| known.contains(&state));
        is_known
            .then(|| Self(text.to_owned()))
            .ok_or(NotValid("not the states of parts"))
    }
}
