//! What a message is, where it stands, and why it is not to be sent.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

/// Why a recipient gets a message. As text and in JSON `first`, `reminder` or `test`.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum MessageKind {
    First,
    /// To somebody who got the first one and has not answered.
    Reminder,
    /// To any number. It is not counted.
    Test,
}

/// Where a message stands. As text and in JSON in snake case, such as `scheduled`.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum MessageStatus {
    /// Never to be sent, for a [`SkipReason`].
    Skipped,
    /// Waits for its turn, the send window or the rate.
    Scheduled,
    /// Handed over; the result is not known yet.
    Sending,
    /// The provider has it.
    Accepted,
    /// By receipt.
    Delivered,
    /// By receipt.
    Undelivered,
    /// By receipt.
    Expired,
    /// Refused for good, or not taken too often.
    Failed,
    /// It may have been sent.
    Unknown,
    /// Its campaign was cancelled before it was sent.
    Cancelled,
}

/// Why a message is never to be sent. As text and in JSON in snake case, such as `opted_out`.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum SkipReason {
    OptedOut,
    /// The recipient was erased.
    Erased,
    /// The account sent something to the phone too short a time ago.
    ContactGap,
    /// Of a reminder.
    AlreadyAnswered,
    /// A message of the same campaign and kind to the same phone, for another docid, came first.
    DuplicatePhone,
    /// The sender does not send to the phone's country.
    CountryNotAllowed,
    /// More parts than the campaign allows.
    TooLong,
    /// The recipient lacks a tracking field for which the text has no substitute.
    TemplateFieldMissing,
    /// Not sent within the campaign's time.
    TooLate,
    FormDeleted,
    /// The campaign had as many messages as it may.
    LimitReached,
    /// The sender does not send to numbers of the phone's type.
    NumberType,
    /// The campaign asks only some, and the recipient is none of them.
    NotSampled,
    /// The campaign asked as many of the recipient's business property as it may on one day.
    Quota,
}

/// A message as its account sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Message {
    pub message_id: Uuid,
    pub campaign_id: Uuid,
    /// `null` of a person who was erased, and of a test of nobody.
    pub docid: Option<String>,
    pub kind: MessageKind,
    pub status: MessageStatus,
    pub skipped_reason: Option<SkipReason>,
    /// 0 until it is taken to be sent.
    pub parts: i64,
    pub encoding: Option<String>,
    pub sender: String,
    /// The provider's: one a part, or one for all.
    pub provider_ids: Vec<String>,
    /// The provider's own, of the result or receipt that made the status.
    pub provider_code: Option<String>,
    pub scheduled_at: DateTime<Utc>,
    pub accepted_at: Option<DateTime<Utc>>,
    pub delivered_at: Option<DateTime<Utc>>,
    pub viewed_at: Option<DateTime<Utc>>,
    pub answered_at: Option<DateTime<Utc>>,
}

impl MessageStatus {
    /// Whether the provider accepted the message, whatever became of it then. From here a message goes to no other status.
    pub fn is_accepted(self) -> bool {
        use MessageStatus::{Accepted, Delivered, Expired, Undelivered};
        matches!(self, Accepted | Delivered | Undelivered | Expired)
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;
    use std::str::FromStr;

    use serde::de::DeserializeOwned;

    use super::*;

    /// Checks that each value has one name, the same as text and in JSON, and that these are all.
    #[track_caller]
    fn named<T>(values: &[T], names: &[&str])
    where
        T: Copy + Debug + PartialEq + Into<&'static str> + FromStr + Serialize + DeserializeOwned,
    {
        assert_eq!(values.len(), names.len());
        for (value, name) in values.iter().zip(names) {
            let text: &str = (*value).into();
            assert_eq!(text, *name);
            assert!(name.parse::<T>().is_ok_and(|read| read == *value), "{name}");
            let json = serde_json::to_value(value).unwrap();
            assert_eq!(json, *name);
            assert_eq!(serde_json::from_value::<T>(json).unwrap(), *value);
        }
        for name in ["", "First", "SKIPPED", " scheduled", "opted-out"] {
            assert!(name.parse::<T>().is_err(), "{name}");
        }
    }

    #[test]
    fn kinds_statuses_and_reasons_have_the_names_of_the_wire() {
        for (kind, name) in [
            (MessageKind::First, "first"),
            (MessageKind::Reminder, "reminder"),
            (MessageKind::Test, "test"),
        ] {
            assert_eq!((kind.into_str(), name.parse()), (name, Ok(kind)));
            assert_eq!(serde_json::to_value(kind).unwrap(), name);
        }
        named(
            MessageStatus::VARIANTS,
            &[
                "skipped",
                "scheduled",
                "sending",
                "accepted",
                "delivered",
                "undelivered",
                "expired",
                "failed",
                "unknown",
                "cancelled",
            ],
        );
        named(
            SkipReason::VARIANTS,
            &[
                "opted_out",
                "erased",
                "contact_gap",
                "already_answered",
                "duplicate_phone",
                "country_not_allowed",
                "too_long",
                "template_field_missing",
                "too_late",
                "form_deleted",
                "limit_reached",
                "number_type",
                "not_sampled",
                "quota",
            ],
        );
    }
}
