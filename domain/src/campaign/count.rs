//! What is counted of a campaign's messages of one kind.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize, Serializer};

use super::message::{MessageStatus, SkipReason};

/// One of the counts. As text its name in [`Counts`](super::Counts), such as `scheduled` or `skipped:opted_out`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub enum Count {
    /// Messages, of whatever status.
    Recipients,
    /// Messages of this status. Those that are skipped are counted by their reasons.
    Status(MessageStatus),
    /// Messages that are skipped for this reason.
    Skipped(SkipReason),
    /// Parts of the messages that were handed over.
    Parts,
    /// Messages whose link was viewed.
    Viewed,
    /// Messages whose link was answered.
    Answered,
}

/// The text names no count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the name of a count")]
pub struct NotACount;

const RECIPIENTS: &str = "recipients";
const SKIPPED: &str = "skipped:";
const PARTS: &str = "parts";
const VIEWED: &str = "viewed";
const ANSWERED: &str = "answered";

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recipients => f.write_str(RECIPIENTS),
            Self::Status(status) => f.write_str(status.as_str()),
            Self::Skipped(reason) => write!(f, "{SKIPPED}{reason}"),
            Self::Parts => f.write_str(PARTS),
            Self::Viewed => f.write_str(VIEWED),
            Self::Answered => f.write_str(ANSWERED),
        }
    }
}

impl FromStr for Count {
    type Err = NotACount;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            RECIPIENTS => Ok(Self::Recipients),
            PARTS => Ok(Self::Parts),
            VIEWED => Ok(Self::Viewed),
            ANSWERED => Ok(Self::Answered),
            _ => match text.strip_prefix(SKIPPED) {
                Some(reason) => reason.parse().map(Self::Skipped).map_err(|_| NotACount),
                None => text.parse().map(Self::Status).map_err(|_| NotACount),
            },
        }
    }
}

impl TryFrom<String> for Count {
    type Error = NotACount;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
