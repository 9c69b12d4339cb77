//! A message as it is answered, in JSON and as a line of CSV.

use api_http::csv_text::{cell, write_line};
use chrono::{DateTime, SecondsFormat, Utc};
use domain::campaign::{MessageKind, MessageStatus, SkipReason};
use serde::Serialize;
use store::send::message::Message;
use utoipa::ToSchema;
use uuid::Uuid;

/// A message.
#[derive(Serialize, ToSchema)]
#[schema(as = Message)]
pub struct MessageItem<'a> {
    message_id: Uuid,
    campaign_id: Uuid,
    docid: &'a str,
    #[schema(value_type = String, pattern = "^(first|reminder|test)$")]
    kind: MessageKind,
    #[schema(value_type = String, example = "delivered")]
    status: MessageStatus,
    #[schema(required = true, value_type = Option<String>, example = "opted_out")]
    skipped_reason: Option<SkipReason>,
    /// 0 until it is taken to be sent.
    parts: i64,
    #[schema(required = true, pattern = "^(gsm7|ucs2)$")]
    encoding: Option<&'a str>,
    sender: &'a str,
    /// The provider's: one a part, or one for all.
    provider_ids: &'a [String],
    /// The provider's own, of the last that it said.
    #[schema(required = true)]
    provider_code: Option<&'a str>,
    scheduled_at: DateTime<Utc>,
    #[schema(required = true)]
    accepted_at: Option<DateTime<Utc>>,
    #[schema(required = true)]
    delivered_at: Option<DateTime<Utc>>,
    #[schema(required = true)]
    viewed_at: Option<DateTime<Utc>>,
    #[schema(required = true)]
    answered_at: Option<DateTime<Utc>>,
}

/// The columns of CSV, named as the members are.
pub const COLUMNS: [&str; 16] = [
    "message_id",
    "campaign_id",
    "docid",
    "kind",
    "status",
    "skipped_reason",
    "parts",
    "encoding",
    "sender",
    "provider_ids",
    "provider_code",
    "scheduled_at",
    "accepted_at",
    "delivered_at",
    "viewed_at",
    "answered_at",
];

impl<'a> MessageItem<'a> {
    pub fn new(message: &'a Message, sender: &'a str) -> Self {
        Self {
            message_id: message.message_id,
            campaign_id: message.campaign_id,
            docid: &message.docid,
            kind: message.kind,
            status: message.status,
            skipped_reason: message.skipped_reason,
            parts: message.parts,
            encoding: message.encoding.as_deref(),
            sender,
            provider_ids: &message.provider_ids,
            provider_code: message.provider_code.as_deref(),
            scheduled_at: message.scheduled_at,
            accepted_at: message.accepted_at,
            delivered_at: message.delivered_at,
            viewed_at: message.viewed_at,
            answered_at: message.answered_at,
        }
    }

    /// Appends a line of the [`COLUMNS`].
    pub fn write_csv(&self, out: &mut Vec<u8>) {
        let time = |time: DateTime<Utc>| time.to_rfc3339_opts(SecondsFormat::AutoSi, true);
        let perhaps = |at: Option<DateTime<Utc>>| at.map(time).unwrap_or_default();
        // Texts always serialise.
        let provider_ids = serde_json::to_string(self.provider_ids).unwrap_or_default();
        write_line(
            out,
            [
                &self.message_id.to_string(),
                &self.campaign_id.to_string(),
                &cell(self.docid),
                self.kind.as_str(),
                self.status.as_str(),
                self.skipped_reason.map_or("", SkipReason::as_str),
                &self.parts.to_string(),
                self.encoding.unwrap_or_default(),
                self.sender,
                &provider_ids,
                &cell(self.provider_code.unwrap_or_default()),
                &time(self.scheduled_at),
                &perhaps(self.accepted_at),
                &perhaps(self.delivered_at),
                &perhaps(self.viewed_at),
                &perhaps(self.answered_at),
            ],
        );
    }
}
