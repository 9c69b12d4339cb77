//! Messages as their account sees them, and those that a person asks for: a test, or an uncertain one again.

use chrono::{DateTime, Utc};
use domain::campaign::judge::{Contact, Context, DueMessage, Verdict};
use domain::campaign::{Count, Message, MessageKind, MessageSet, MessageStatus, SkipReason};
use domain::date_range::DateRange;
use domain::docid::is_erased;
use domain::sms::SenderState;
use domain::sms::country_of;
use entity::{campaign, message, message_due};
use indexmap::IndexMap;
use sea_orm::ActiveValue::Set;
use sea_orm::{FromQueryResult, Value};
use uuid::Uuid;

use super::due::OWN_SENDER;
use super::{Campaign, CampaignKey};
use crate::report::ids_of_days;
use crate::tx::{JsonText, Parsed, Sql, Statement, batch_row, statement, values};
use crate::{ListPage, Result, Store, Tx};

batch_row! {
    /// A message, by its account and its id.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, FromQueryResult)]
    pub(crate) struct MessageKey {
        account_id: Uuid,
        message_id: Uuid,
    }
}

/// What a cancelled campaign had scheduled is cancelled, also before its rows say so.
macro_rules! status {
    () => {
        "CASE WHEN c.status = 'CANCELLED' AND m.status = 'scheduled' THEN 'cancelled' ELSE m.status END"
    };
}
/// The phone that a message's recipient has now.
macro_rules! phone_now {
    () => {
        "(SELECT r.phone FROM recipient r WHERE r.account_id = $1 AND r.docid = m.docid)"
    };
}
macro_rules! messages {
    (phone $phone:expr; $($condition:expr),+) => {
        statement!(
            "SELECT m.message_id, m.campaign_id, m.docid, m.kind, ", status!(), " AS status, m.reason, m.parts, m.encoding,
                    coalesce(m.sender, c.sender) AS sender,
                    m.provider_ids, m.code, m.scheduled_at, m.accepted_at, m.delivered_at, m.viewed_at, m.answered_at, ", $phone, " AS phone
               FROM message m JOIN campaign c ON c.account_id = m.account_id AND c.campaign_id = m.campaign_id
              WHERE m.account_id = $1 AND m.message_id < $2 AND ", $($condition),+, " ORDER BY m.message_id DESC LIMIT $3"
        )
    };
    ($($condition:expr),+) => {
        messages!(phone "CAST(NULL AS text)"; $($condition),+)
    };
}
const OF_CAMPAIGN: &Statement = messages!("m.campaign_id = $4");
const OF_CAMPAIGN_WITH_STATUS: &Statement =
    messages!("m.campaign_id = $4 AND ", status!(), " = $5");
const OF_CAMPAIGN_WITH_ID: &Statement = messages!("m.campaign_id = $4 AND m.message_id = $5");
const OF_RECIPIENT: &Statement = messages!("m.docid = $4");

/// Of [`MessageFilter`].
macro_rules! filtered {
    () => {
        concat!(
            "m.message_id >= $4 AND m.kind <> 'test' AND ($5 = '' OR m.kind = $5) AND ($6 = '' OR ", status!(), " = $6)
             AND ($7 = '' OR m.reason = $7) AND ($8 <> 'sent' OR m.accepted_at IS NOT NULL)
             AND ($8 <> 'viewed' OR m.viewed_at IS NOT NULL) AND ($8 <> 'answered' OR m.answered_at IS NOT NULL)
             AND (CAST($9 AS date) IS NULL OR m.accepted_day BETWEEN $9 AND $10)
             AND ($11 = '' OR coalesce(m.code, '-') = $11)"
        )
    };
}
const FILTERED: &Statement = messages!(filtered!());
const FILTERED_OF_CAMPAIGN: &Statement = messages!("m.campaign_id = $12 AND ", filtered!());
const WITH_PHONE: &Statement = messages!(phone phone_now!(); filtered!());
const WITH_PHONE_OF_CAMPAIGN: &Statement =
    messages!(phone phone_now!(); "m.campaign_id = $12 AND ", filtered!());
/// The id of the message that so many others come before, newest first.
const NTH: &Statement = statement!(
    "SELECT message_id FROM message WHERE account_id = $1 AND message_id < $2 ORDER BY message_id DESC LIMIT 1 OFFSET $3"
);
const NTH_OF_CAMPAIGN: &Statement = statement!(
    "SELECT message_id FROM message
      WHERE account_id = $1 AND message_id < $2 AND campaign_id = $4 ORDER BY message_id DESC LIMIT 1 OFFSET $3"
);
/// The messages among which a page looks for its own.
const AMONG: i64 = 20_000;
/// Of them so many are read at once whose countries are looked up.
const SLICE: usize = 1_000;

/// How a filter spells that there is no code, or that no country is known.
pub const NONE: &str = "-";
/// Whether a filter wants what has this value; an empty one wants all.
pub(super) fn is_wanted(filter: &str, value: Option<&str>) -> bool {
    filter.is_empty() || filter == value.unwrap_or(NONE)
}

/// The ISO code of a phone's country.
pub(super) fn country(phone: Option<&str>) -> Option<String> {
    country_of(phone?).map(|country| country.to_string())
}

/// Which messages a list has. Tests are none of them.
#[derive(Clone, Debug)]
pub struct MessageFilter {
    /// `None`: of all campaigns.
    pub campaign_id: Option<Uuid>,
    /// `None`: first messages and reminders.
    pub kind: Option<MessageKind>,
    pub set: MessageSet,
    /// The provider's code; empty: any, [`NONE`]: those without.
    pub code: String,
    /// The ISO code of the country of the phone that the recipient has now; empty: any, [`NONE`]: those of which
    /// none is known.
    pub country: String,
    /// Those that a provider accepted on these days.
    pub days: Option<DateRange>,
}

#[derive(FromQueryResult)]
struct MessageRow {
    message_id: Uuid,
    campaign_id: Uuid,
    docid: String,
    kind: Parsed<MessageKind>,
    status: Parsed<MessageStatus>,
    reason: Option<Parsed<SkipReason>>,
    parts: i64,
    encoding: Option<String>,
    sender: String,
    provider_ids: JsonText<Vec<String>>,
    code: Option<String>,
    scheduled_at: DateTime<Utc>,
    accepted_at: Option<DateTime<Utc>>,
    delivered_at: Option<DateTime<Utc>>,
    viewed_at: Option<DateTime<Utc>>,
    answered_at: Option<DateTime<Utc>>,
    /// Only where it is asked for.
    phone: Option<String>,
}

impl From<MessageRow> for Message {
    fn from(row: MessageRow) -> Self {
        Self {
            message_id: row.message_id,
            campaign_id: row.campaign_id,
            docid: Some(row.docid).filter(|docid| !docid.is_empty() && !is_erased(docid)),
            kind: row.kind.0,
            status: row.status.0,
            skipped_reason: row.reason.map(|reason| reason.0),
            parts: row.parts,
            encoding: row.encoding,
            sender: row.sender,
            provider_ids: row.provider_ids.0,
            provider_code: row.code,
            scheduled_at: row.scheduled_at,
            accepted_at: row.accepted_at,
            delivered_at: row.delivered_at,
            viewed_at: row.viewed_at,
            answered_at: row.answered_at,
        }
    }
}

const RECIPIENT: &Statement = statement!(lock "FOR SHARE":
    "SELECT docid FROM recipient WHERE account_id = $1 AND docid = $2 AND phone IS NOT NULL"
);

/// What the text of a test is made of.
const TEST: &Statement = statement!(
    "SELECT m.docid, m.scheduled_at, coalesce(CAST(r.fields AS text), '{}') AS fields, l.token
       FROM message m LEFT JOIN recipient r ON r.account_id = m.account_id AND r.docid = m.docid
       JOIN link l ON l.account_id = m.account_id AND l.link_id = m.link_id
      WHERE m.account_id = $1 AND m.campaign_id = $2 AND m.message_id = $3 AND m.kind = 'test'"
);

#[derive(FromQueryResult)]
struct TestRow {
    docid: String,
    scheduled_at: DateTime<Utc>,
    fields: JsonText<IndexMap<String, String>>,
    token: String,
}

/// A test message as it was handed over, as long as its campaign and its recipient stay as they were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestText {
    pub text: String,
    /// The token of its link.
    pub token: String,
}

fn page_of(rows: Vec<MessageRow>, limit: usize) -> ListPage<Message> {
    let messages = rows.into_iter().map(Message::from).collect();
    ListPage::new(messages, limit, false, |message: &Message| {
        message.message_id
    })
}

impl Store {
    /// A page of a campaign's messages, newest first, of those before `before`: of a status, or of any.
    pub async fn campaign_messages(
        &self,
        key: CampaignKey,
        status: Option<MessageStatus>,
        before: Option<Uuid>,
        limit: usize,
    ) -> Result<ListPage<Message>> {
        let page = (key.account_id, before, limit);
        match status {
            None => {
                self.messages(OF_CAMPAIGN, page, &values![key.campaign_id])
                    .await
            }
            Some(status) => {
                let of = values![key.campaign_id, status.into_str()];
                self.messages(OF_CAMPAIGN_WITH_STATUS, page, &of).await
            }
        }
    }

    /// A page of an account's messages, newest first, of those before `before`. Where they are rare it may be empty, though the list
    /// goes on.
    pub async fn filtered_messages(
        &self,
        account_id: Uuid,
        filter: &MessageFilter,
        before: Option<Uuid>,
        limit: usize,
    ) -> Result<ListPage<Message>> {
        let days = filter.days;
        // A message is made before it is sent.
        let end = days.map_or(Uuid::max(), |days| {
            ids_of_days(days.start(), days.end()).end
        });
        let before = before.map_or(end, |before| before.min(end));
        let mut nth = values![account_id, before, AMONG - 1];
        nth.extend(filter.campaign_id.map(Value::from));
        let (nth_statement, statement) = match (filter.campaign_id, &*filter.country) {
            (Some(_), "") => (NTH_OF_CAMPAIGN, FILTERED_OF_CAMPAIGN),
            (Some(_), _) => (NTH_OF_CAMPAIGN, WITH_PHONE_OF_CAMPAIGN),
            (None, "") => (NTH, FILTERED),
            (None, _) => (NTH, WITH_PHONE),
        };
        let floor: Option<Uuid> = self.fetch_value(nth_statement, nth).await?;
        let (status, reason, other) = match filter.set {
            MessageSet::Sent => ("", "", "sent"),
            MessageSet::Counted(Count::Status(status)) => (status.into_str(), "", ""),
            MessageSet::Counted(Count::Skipped(reason)) => ("skipped", reason.into_str(), ""),
            MessageSet::Counted(Count::Viewed) => ("", "", "viewed"),
            MessageSet::Counted(Count::Answered) => ("", "", "answered"),
            MessageSet::Counted(Count::Recipients | Count::Parts) => ("", "", ""),
        };
        let mut of = values![
            floor.unwrap_or(Uuid::nil()),
            filter.kind.map_or("", |kind| kind.into_str()),
            status,
            reason,
            other,
            days.map(|days| days.start()),
            days.map(|days| days.end()),
            filter.code.as_str(),
        ];
        of.extend(filter.campaign_id.map(Value::from));
        let page = (account_id, Some(before), limit);
        let mut page = if filter.country.is_empty() {
            self.messages(statement, page, &of).await?
        } else {
            self.messages_to_country(statement, &filter.country, page, &of)
                .await?
        };
        page.next = page.next.or(floor);
        Ok(page)
    }

    /// A page of a recipient's messages, newest first, of those before `before`.
    pub async fn recipient_messages(
        &self,
        account_id: Uuid,
        docid: &str,
        before: Option<Uuid>,
        limit: usize,
    ) -> Result<ListPage<Message>> {
        let page = (account_id, before, limit);
        self.messages(OF_RECIPIENT, page, &values![docid]).await
    }

    async fn messages(
        &self,
        select: &'static Statement,
        (account_id, before, limit): (Uuid, Option<Uuid>, usize),
        of: &[Value],
    ) -> Result<ListPage<Message>> {
        let most = limit.saturating_add(1);
        let rows = self.message_rows(select, (account_id, before, most), of);
        Ok(page_of(rows.await?, limit))
    }

    /// The same of those whose recipients have phones of a country, which no SQL knows.
    async fn messages_to_country(
        &self,
        select: &'static Statement,
        wanted: &str,
        (account_id, mut before, limit): (Uuid, Option<Uuid>, usize),
        of: &[Value],
    ) -> Result<ListPage<Message>> {
        let mut found = Vec::new();
        loop {
            let rows = self.message_rows(select, (account_id, before, SLICE), of);
            let mut rows = rows.await?;
            let is_last = rows.len() < SLICE;
            before = rows.last().map(|row| row.message_id);
            rows.retain(|row| is_wanted(wanted, country(row.phone.as_deref()).as_deref()));
            found.extend(rows);
            if is_last || found.len() > limit {
                return Ok(page_of(found, limit));
            }
        }
    }

    async fn message_rows(
        &self,
        select: &'static Statement,
        (account_id, before, most): (Uuid, Option<Uuid>, usize),
        of: &[Value],
    ) -> Result<Vec<MessageRow>> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let mut values = values![account_id, before.unwrap_or(Uuid::max()), most];
        values.extend_from_slice(of);
        self.fetch_all(select, values).await
    }

    /// One message of a campaign.
    pub async fn campaign_message(
        &self,
        key: CampaignKey,
        message_id: Uuid,
    ) -> Result<Option<Message>> {
        let message = (key.account_id, None, 1);
        let of = values![key.campaign_id, message_id];
        let page = self.messages(OF_CAMPAIGN_WITH_ID, message, &of).await?;
        Ok(page.rows.into_iter().next())
    }

    /// Schedules a test message to a phone, with the fields of a recipient or of nobody. `None`: the campaign is gone, or the
    /// recipient.
    pub async fn schedule_test(
        &self,
        key: CampaignKey,
        docid: Option<&str>,
        phone: &str,
    ) -> Result<Option<Message>> {
        let mut tx = self.begin().await?;
        // Whoever erases the recipient waits, and finds the message.
        if let Some(docid) = docid {
            let recipient = tx.fetch_value(RECIPIENT, values![key.account_id, docid]);
            let recipient: Option<String> = recipient.await?;
            if recipient.is_none() {
                return Ok(None);
            }
        }
        let Some(campaign) = tx.lock_campaign(key).await? else {
            return Ok(None);
        };
        tx.note_work(key.account_id).await?;
        let (now, id) = (tx.now().await?, Uuid::now_v7());
        let sender = tx.sender_of_test(&campaign, phone).await?;
        let message = message::ActiveModel {
            account_id: Set(key.account_id),
            campaign_id: Set(key.campaign_id),
            message_id: Set(id),
            link_id: Set(id),
            docid: Set(docid.unwrap_or_default().to_owned()),
            kind: Set(MessageKind::Test.into_str().to_owned()),
            status: Set(MessageStatus::Scheduled.into_str().to_owned()),
            sender: Set(Some(sender.clone())),
            scheduled_at: Set(now),
            ..Default::default()
        };
        tx.insert(message).await?;
        let due = message_due::ActiveModel {
            account_id: Set(key.account_id),
            campaign_id: Set(key.campaign_id),
            message_id: Set(id),
            due_at: Set(now),
            sender: Set(sender),
            sender_list: Set(Some(OWN_SENDER.to_owned())),
            phone: Set(Some(phone.to_owned())),
            ..Default::default()
        };
        tx.insert(due).await?;
        tx.commit_surely().await?;
        self.campaign_message(key, id).await
    }

    /// The text of a test message. `None`: it was not handed over, or nobody would get it now.
    pub async fn test_text(
        &self,
        context: &Context<'_>,
        account_id: Uuid,
        message_id: Uuid,
    ) -> Result<Option<TestText>> {
        let key = CampaignKey::new(account_id, context.campaign_id);
        let row: Option<TestRow> = self.fetch_one(TEST, values![key, message_id]).await?;
        let Some(row) = row else {
            return Ok(None);
        };
        let token = row.token.clone();
        let due = DueMessage {
            kind: MessageKind::Test,
            docid: row.docid,
            scheduled_at: row.scheduled_at,
            // It is not stored once the message is sent, and no part of the text.
            phone: Some(String::new()),
            fields: row.fields.0,
            contact: Contact::default(),
            answered: false,
            token: row.token,
        };
        let text = match context.judge(&due, row.scheduled_at) {
            Ok(Verdict::Send(ready)) => Some(ready.text),
            _ => None,
        };
        Ok(text.map(|text| TestText { text, token }))
    }
}

impl Tx {
    /// Who carries a test to a phone: the first of the senders for its country that is well, or else the first.
    async fn sender_of_test(&self, row: &campaign::Model, phone: &str) -> Result<String> {
        let content = Campaign::read(row)?.content;
        let list = content.sender.of(phone);
        let names = list.map(|(_, list)| list.names()).unwrap_or_default();
        if names.len() > 1 {
            for name in names {
                let sender = self.sender(name).await?;
                if sender.is_some_and(|sender| sender.state == SenderState::Ok) {
                    return Ok(name.clone());
                }
            }
        }
        let first = names.first().map(String::as_str);
        Ok(first.unwrap_or_else(|| content.sender.first()).to_owned())
    }
}
