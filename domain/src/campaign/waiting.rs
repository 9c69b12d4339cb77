//! Why messages that are scheduled are not sent yet.

use chrono::{DateTime, Utc};
use serde::Serialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// Why scheduled messages wait. As text and in JSON in snake case, such as `send_window`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum WaitReason {
    /// For the campaign's hours, by the recipient's clock.
    SendWindow,
    /// For the campaign's delay after the import.
    Delay,
    /// For the campaign's start.
    StartsAt,
    /// For their turn: the sender takes so many a second, or so many a day.
    Rate,
    /// The sender takes nothing just now: it is not `ok`.
    SenderPaused,
    /// The campaign is PAUSED.
    Paused,
    /// For the day of the reminder.
    Reminder,
    /// For money: the campaign's budget is used up, or its account's of the month.
    Budget,
}

/// Messages that wait for the same reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Waiting {
    pub reason: WaitReason,
    pub messages: i64,
    /// When the first of them is due; `None` where no moment is known.
    pub until: Option<DateTime<Utc>>,
    /// Of those that wait because it takes nothing, the sender.
    pub sender: Option<String>,
}
