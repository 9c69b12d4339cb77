//! The messages that a figure counts, which are those that the list behind it has.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use super::counts::{Count, Counts};
use super::message::MessageStatus;

/// Messages of campaigns. As text `sent`, or that of their count, such as `recipients`, `delivered` or `opted_out`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageSet {
    /// Those that the provider accepted, whatever became of them.
    Sent,
    Counted(Count),
}

impl MessageSet {
    pub const ALL: Self = Self::Counted(Count::Recipients);
    pub const DELIVERED: Self = Self::Counted(Count::Status(MessageStatus::Delivered));

    /// How many of them these counts have.
    pub fn count(self, counts: &Counts) -> i64 {
        let sent = [
            MessageStatus::Accepted,
            MessageStatus::Delivered,
            MessageStatus::Undelivered,
            MessageStatus::Expired,
        ];
        match self {
            Self::Sent => sent.map(|status| counts.status(status)).iter().sum(),
            Self::Counted(count) => counts.get(count),
        }
    }
}

impl fmt::Display for MessageSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sent => f.write_str("sent"),
            Self::Counted(count) => {
                let text = serde_json::to_value(count).map_err(|_| fmt::Error)?;
                f.write_str(text.as_str().unwrap_or_default())
            }
        }
    }
}

impl FromStr for MessageSet {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        if text == "sent" {
            return Ok(Self::Sent);
        }
        // Parts are no messages.
        let count = serde_json::from_value(Value::from(text)).map_err(|_| ())?;
        (count != Count::Parts)
            .then_some(Self::Counted(count))
            .ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::SkipReason;

    #[test]
    fn a_set_reads_back_and_counts_its_messages() {
        let mut counts = Counts::default();
        for (count, number) in [
            (Count::Recipients, 10),
            (Count::Status(MessageStatus::Delivered), 3),
            (Count::Status(MessageStatus::Undelivered), 2),
            (Count::Skipped(SkipReason::OptedOut), 5),
        ] {
            counts.add(count, number);
        }
        for (text, number) in [
            ("sent", 5),
            ("recipients", 10),
            ("delivered", 3),
            ("undelivered", 2),
            ("skipped", 5),
            ("opted_out", 5),
            ("viewed", 0),
        ] {
            let set: MessageSet = text.parse().unwrap();
            assert_eq!(
                (set.to_string().as_str(), set.count(&counts)),
                (text, number)
            );
        }
        for text in ["", "parts", "Sent", "none"] {
            assert!(text.parse::<MessageSet>().is_err(), "{text}");
        }
    }
}
