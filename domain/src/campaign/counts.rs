//! How many messages of one kind a campaign has, by status, and how these counts change.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use strum::VariantArray;
use utoipa::ToSchema;

use super::count::Count;
use super::message::{MessageStatus, SkipReason};

/// A campaign's messages of one kind: how many there are, in each status, and what came of them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, ToSchema)]
#[schema(as = MessageCounts)]
pub struct Counts {
    /// The sum of all statuses.
    pub recipients: i64,
    /// Never to be sent, by reason.
    #[schema(value_type = BTreeMap<String, i64>, example = json!({"opted_out": 2, "contact_gap": 1}))]
    pub skipped: BTreeMap<SkipReason, i64>,
    /// Waiting for their turn.
    pub scheduled: i64,
    /// Handed over; the result is not known yet.
    pub sending: i64,
    /// The provider has them.
    pub accepted: i64,
    pub delivered: i64,
    pub undelivered: i64,
    pub expired: i64,
    /// Refused for good.
    pub failed: i64,
    /// They may have been sent.
    pub unknown: i64,
    pub cancelled: i64,
    /// Parts of the messages that were handed over.
    pub parts: i64,
    /// Messages whose link was viewed.
    pub viewed: i64,
    /// Messages whose link was answered.
    pub answered: i64,
}

impl Counts {
    pub fn add(&mut self, delta: &CountsDelta) {
        for (count, more) in delta.iter() {
            if let Some(counter) = self.counter(count) {
                *counter = counter.wrapping_add(more);
            }
        }
        self.skipped.retain(|_, count| *count != 0);
    }

    /// Whether the statuses add up to the recipients.
    pub fn is_consistent(&self) -> bool {
        let statuses = MessageStatus::VARIANTS.iter();
        let sum = statuses.map(|status| self.status(*status));
        sum.fold(0, i64::wrapping_add) == self.recipients
    }

    /// The messages of a status. Those that are skipped are the sum of their reasons.
    pub fn status(&self, status: MessageStatus) -> i64 {
        match status {
            MessageStatus::Skipped => {
                let reasons = self.skipped.values();
                reasons.copied().fold(0, i64::wrapping_add)
            }
            MessageStatus::Scheduled => self.scheduled,
            MessageStatus::Sending => self.sending,
            MessageStatus::Accepted => self.accepted,
            MessageStatus::Delivered => self.delivered,
            MessageStatus::Undelivered => self.undelivered,
            MessageStatus::Expired => self.expired,
            MessageStatus::Failed => self.failed,
            MessageStatus::Unknown => self.unknown,
            MessageStatus::Cancelled => self.cancelled,
        }
    }

    fn counter(&mut self, count: Count) -> Option<&mut i64> {
        Some(match count {
            Count::Recipients => &mut self.recipients,
            Count::Skipped(reason) => self.skipped.entry(reason).or_default(),
            Count::Parts => &mut self.parts,
            Count::Viewed => &mut self.viewed,
            Count::Answered => &mut self.answered,
            Count::Status(status) => match status {
                MessageStatus::Skipped => return None,
                MessageStatus::Scheduled => &mut self.scheduled,
                MessageStatus::Sending => &mut self.sending,
                MessageStatus::Accepted => &mut self.accepted,
                MessageStatus::Delivered => &mut self.delivered,
                MessageStatus::Undelivered => &mut self.undelivered,
                MessageStatus::Expired => &mut self.expired,
                MessageStatus::Failed => &mut self.failed,
                MessageStatus::Unknown => &mut self.unknown,
                MessageStatus::Cancelled => &mut self.cancelled,
            },
        })
    }
}

/// What changes of the counts; no count is 0. As text a JSON object, such as `{"scheduled":-1,"sending":1}`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CountsDelta(BTreeMap<Count, i64>);

/// The text is no change of counts.
#[derive(Debug, thiserror::Error)]
#[error("not a change of counts: {0}")]
pub struct CountsDeltaError(#[source] serde_json::Error);

impl CountsDelta {
    /// One message goes from a count to another.
    pub fn moved(from: Count, to: Count) -> Self {
        let mut delta = Self::default();
        delta.add(from, -1);
        delta.add(to, 1);
        delta
    }

    /// Adds to a count. Messages that are skipped are counted by [`Count::Skipped`] alone: adding to their status changes
    /// nothing.
    pub fn add(&mut self, count: Count, more: i64) {
        if count == Count::Status(MessageStatus::Skipped) {
            return;
        }
        let sum = self.get(count).wrapping_add(more);
        if sum == 0 {
            self.0.remove(&count);
        } else {
            self.0.insert(count, sum);
        }
    }

    pub fn merge(&mut self, other: &Self) {
        for (count, more) in other.iter() {
            self.add(count, more);
        }
    }

    pub fn get(&self, count: Count) -> i64 {
        self.0.get(&count).copied().unwrap_or_default()
    }

    /// The counts that change.
    pub fn iter(&self) -> impl Iterator<Item = (Count, i64)> {
        self.0.iter().map(|(count, more)| (*count, *more))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for CountsDelta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let json = serde_json::to_string(&self.0).map_err(|_| fmt::Error)?;
        f.write_str(&json)
    }
}

impl FromStr for CountsDelta {
    type Err = CountsDeltaError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let read: BTreeMap<Count, i64> = serde_json::from_str(text).map_err(CountsDeltaError)?;
        let mut delta = Self::default();
        for (count, more) in read {
            delta.add(count, more);
        }
        Ok(delta)
    }
}
