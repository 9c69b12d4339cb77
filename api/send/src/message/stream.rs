//! All messages of a campaign in one answer, in as much memory as a page takes.

use std::io;
use std::sync::LazyLock;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use domain::campaign::MessageStatus;
use futures::stream;
use platform::places::Places;
use store::send::message::Message;
use store::send::{Campaign, CampaignKey};
use store::{ListPage, Store};
use uuid::Uuid;

use super::item::{COLUMNS, MessageItem};
use api_http::csv_text::{TEXT_CSV, write_line};
use api_http::deadline::within;
use api_http::error::Problem;

/// The messages that are read at once.
const PAGE: usize = 2_000;
/// A database that takes longer for them does not answer, and the answer is cut.
const LOOKUP: Duration = Duration::from_secs(10);

/// Lists that this process reads at once, of its connections.
static READS: LazyLock<Places> = LazyLock::new(|| Places::new(4));

/// The kinds of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    Csv,
    /// An object a line.
    Ndjson,
}

/// Which messages.
pub struct Messages {
    pub store: Store,
    pub key: CampaignKey,
    pub campaign: Campaign,
    /// `None`: of any status.
    pub status: Option<MessageStatus>,
}

impl Messages {
    pub async fn read(
        &self,
        before: Option<Uuid>,
        limit: usize,
    ) -> Result<ListPage<Message>, store::Error> {
        let _place = READS.take(self.key.account_id).await;
        let (status, wanted) = (self.campaign.status, self.status);
        let messages = self
            .store
            .campaign_messages(self.key, status, wanted, before, limit);
        within(LOOKUP, messages).await
    }
}

impl Lines {
    fn media_type(self) -> &'static str {
        match self {
            Self::Csv => TEXT_CSV,
            Self::Ndjson => "application/x-ndjson",
        }
    }

    /// What comes before the first line.
    fn header(self) -> Vec<u8> {
        let mut out = Vec::new();
        if self == Self::Csv {
            write_line(&mut out, COLUMNS);
        }
        out
    }

    /// Appends the lines of messages.
    fn write(self, rows: &[Message], sender: &str, out: &mut Vec<u8>) -> serde_json::Result<()> {
        for row in rows {
            let item = MessageItem::new(row, sender);
            match self {
                Self::Csv => item.write_csv(out),
                Self::Ndjson => {
                    serde_json::to_writer(&mut *out, &item)?;
                    out.push(b'\n');
                }
            }
        }
        Ok(())
    }
}

/// Answers with every message. The first are read before the answer begins, so that a database that is down can be told;
/// what fails later cuts the answer without its end.
pub async fn whole(messages: Messages, lines: Lines) -> Result<Response, Problem> {
    let first = messages.read(None, PAGE).await?;
    let begin = Some((messages, first, lines.header()));
    let pieces = stream::try_unfold(begin, move |at| async move {
        let Some((messages, page, mut out)) = at else {
            return Ok(None);
        };
        lines.write(&page.rows, &messages.campaign.content.sender, &mut out)?;
        let next = match page.next {
            None => None,
            Some(next) => {
                let page = messages.read(Some(next), PAGE).await;
                let page = page.map_err(io::Error::other).inspect_err(|error| {
                    tracing::warn!(%error, "an answer was cut");
                })?;
                Some((messages, page, Vec::new()))
            }
        };
        Ok::<_, io::Error>(Some((Bytes::from(out), next)))
    });
    let headers = [(CONTENT_TYPE, lines.media_type())];
    Ok((headers, Body::from_stream(pieces)).into_response())
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use domain::campaign::{MessageKind, SkipReason};

    use super::*;

    fn message(docid: &str) -> Message {
        Message {
            message_id: Uuid::from_u128(1),
            campaign_id: Uuid::from_u128(2),
            docid: docid.to_owned(),
            kind: MessageKind::First,
            status: MessageStatus::Skipped,
            skipped_reason: Some(SkipReason::OptedOut),
            parts: 0,
            encoding: None,
            provider_ids: vec!["a".to_owned(), "b".to_owned()],
            provider_code: None,
            scheduled_at: DateTime::UNIX_EPOCH,
            accepted_at: None,
            delivered_at: None,
            viewed_at: None,
            answered_at: None,
        }
    }

    fn text(lines: Lines) -> String {
        let mut out = lines.header();
        let rows = [message("=1"), message("a\"b")];
        lines.write(&rows, "demo", &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn csv_has_a_column_a_member_and_runs_no_formula() {
        let csv = text(Lines::Csv);
        let lines: Vec<_> = csv.lines().collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[0], COLUMNS.join(","));
        let first = "00000000-0000-0000-0000-000000000001,00000000-0000-0000-0000-000000000002,'=1,first,skipped,opted_out,0,,\
            demo,\"[\"\"a\"\",\"\"b\"\"]\",,1970-01-01T00:00:00Z,,,,";
        assert_eq!(lines[1], first);
        let item = serde_json::to_value(MessageItem::new(&message("a"), "demo")).unwrap();
        let members: Vec<_> = item.as_object().unwrap().keys().cloned().collect();
        let mut columns = COLUMNS.map(str::to_owned).to_vec();
        columns.sort_unstable();
        assert_eq!(members, columns);
    }

    #[test]
    fn ndjson_has_an_item_a_line() {
        let lines = text(Lines::Ndjson);
        let docids: Vec<_> = lines
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["docid"].clone())
            .collect();
        assert_eq!(docids, ["=1", "a\"b"]);
    }
}
