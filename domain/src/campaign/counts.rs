//! How many messages of one kind a campaign has, by status, and how these counts change.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use strum::VariantArray;

use super::message::{MessageKind, MessageStatus, SkipReason};

/// What is counted of messages. As text `recipients`, or the name of the status or the reason, such as `opted_out`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Count {
    /// Messages, of whatever status.
    Recipients,
    /// Parts of the messages that were handed over.
    Parts,
    /// Messages whose link was viewed.
    Viewed,
    /// Messages whose link was answered.
    Answered,
    /// Messages of this status. Those that are skipped are counted by their reasons.
    #[serde(untagged)]
    Status(MessageStatus),
    /// Messages that are skipped for this reason.
    #[serde(untagged)]
    Skipped(SkipReason),
}

impl Count {
    /// All that a body shows, in its order.
    fn shown() -> impl Iterator<Item = Self> {
        let statuses = MessageStatus::VARIANTS.iter().copied().map(Self::Status);
        let others = [Self::Parts, Self::Viewed, Self::Answered];
        std::iter::once(Self::Recipients)
            .chain(statuses)
            .chain(others)
    }
}

/// Counts of messages, or what changes of them; only those that are not 0 are there. As text a JSON object of those that are not 0, such as
/// `{"scheduled":-1,"sending":1}`; as the member of a body it has all of them.
#[derive(Debug, Clone, PartialEq, Eq, Default, derive_more::Deref)]
pub struct Counts(BTreeMap<Count, i64>);

impl Counts {
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
        for (count, more) in &other.0 {
            self.add(*count, *more);
        }
    }

    /// Messages that are skipped are the sum of their reasons.
    pub fn get(&self, count: Count) -> i64 {
        match count {
            Count::Status(MessageStatus::Skipped) => self.skipped().values().sum(),
            count => self.0.get(&count).copied().unwrap_or_default(),
        }
    }

    /// The messages of a status.
    pub fn status(&self, status: MessageStatus) -> i64 {
        self.get(Count::Status(status))
    }

    fn skipped(&self) -> BTreeMap<SkipReason, i64> {
        let counts = self.0.iter();
        let skipped = counts.filter_map(|(count, number)| match count {
            Count::Skipped(reason) => Some((*reason, *number)),
            _ => None,
        });
        skipped.collect()
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let json = serde_json::to_string(&self.0).map_err(|_| fmt::Error)?;
        f.write_str(&json)
    }
}

impl FromStr for Counts {
    type Err = serde_json::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut read: BTreeMap<Count, i64> = serde_json::from_str(text)?;
        read.retain(|_, number| *number != 0);
        Ok(Self(read))
    }
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        for count in Count::shown() {
            match count {
                Count::Status(MessageStatus::Skipped) => {
                    members.serialize_entry(&count, &self.skipped())?;
                }
                count => members.serialize_entry(&count, &self.get(count))?,
            }
        }
        members.end()
    }
}

/// The counts of a campaign's messages by kind. Tests are not counted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct CampaignCounts {
    pub first: Counts,
    pub reminder: Counts,
}

impl CampaignCounts {
    pub fn merge(&mut self, kind: MessageKind, counts: &Counts) {
        match kind {
            MessageKind::First => self.first.merge(counts),
            MessageKind::Reminder => self.reminder.merge(counts),
            MessageKind::Test => {}
        }
    }
}
