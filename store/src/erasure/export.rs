//! All that is stored of a person, for whoever asks for their data: what an erasure would take out, and what it leaves.

use chrono::{DateTime, Utc};
use domain::campaign::{Message, Receipt};
use domain::pepper::Pepper;
use entity::{contact, feedback, link, visit, visit_view};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::links::LINKS;
use crate::import::{Batch, Recipient};
use crate::tx::{Sql, Statement, statement, values};
use crate::{Error, PAGE_BYTES, Result, Store};

/// Messages that are read at once.
const PAGE: usize = 500;
/// Views and answers of a link, at most: one that has more is no link of one person.
const OF_LINK: u64 = 1_000;

/// Of the phones to which the person's messages went, or would have; of messages that are kept no longer their links have it.
const MACS: &Statement = statement!(
    "SELECT coalesce(sent_mac, phone_mac) FROM message WHERE account_id = $1 AND docid = $2 AND coalesce(sent_mac, phone_mac) IS NOT NULL
      UNION
     SELECT l.phone_mac FROM form f CROSS JOIN link_track_field t
       JOIN link l ON l.account_id = t.account_id AND l.link_id = t.link_id
      WHERE f.account_id = $1 AND t.account_id = f.account_id AND t.form_id = f.form_id AND t.track_field = $3 AND l.phone_mac IS NOT NULL"
);

/// Bytes of people that may still be read. What is stored of one is a few thousand, but links that name somebody can be made without end.
pub struct ExportRoom(usize);

impl Default for ExportRoom {
    fn default() -> Self {
        Self(PAGE_BYTES)
    }
}

impl ExportRoom {
    /// Takes room for something; false: there is not enough.
    fn take(&mut self, item: &impl Serialize) -> Result<bool> {
        let bytes = serde_json::to_vec(item).map_err(Error::broken)?.len();
        let left = self.0.checked_sub(bytes);
        self.0 = left.unwrap_or_default();
        Ok(left.is_some())
    }
}

/// A person as they are stored.
#[derive(Debug, Serialize)]
pub struct StoredPerson {
    pub docid: String,
    pub recipient: Option<Recipient>,
    /// The import whose values stand.
    pub batch: Option<Batch>,
    /// What is known of the phone, or of one that the person had before: of one that opted out, if any did.
    pub contact: Option<StoredContact>,
    /// Newest first.
    pub messages: Vec<StoredMessage>,
    pub links: Vec<StoredLink>,
}

/// What is known of a phone.
#[derive(Debug, Serialize)]
pub struct StoredContact {
    pub last_sent_at: Option<DateTime<Utc>>,
    pub opted_out_at: Option<DateTime<Utc>>,
    /// How it came onto the suppression list.
    pub source: Option<String>,
    /// Through which it was sent to.
    pub senders: Vec<String>,
}

/// A message, with what was reported of it.
#[derive(Debug, Serialize)]
pub struct StoredMessage {
    #[serde(flatten)]
    pub message: Message,
    pub receipts: Vec<Receipt>,
}

/// A link that leads to the person, with what came through it.
#[derive(Debug, Serialize)]
pub struct StoredLink {
    pub link_id: Uuid,
    pub token: String,
    pub form_id: Uuid,
    pub campaign_id: Option<Uuid>,
    pub track_fields: Value,
    pub created_at: DateTime<Utc>,
    pub expires_at: Option<DateTime<Utc>>,
    pub deleted_at: Option<DateTime<Utc>>,
    /// When its page was seen.
    pub views: Vec<DateTime<Utc>>,
    pub answers: Vec<StoredAnswers>,
}

/// What was answered at once.
#[derive(Debug, Serialize)]
pub struct StoredAnswers {
    pub feedback_id: Uuid,
    pub submitted_at: DateTime<Utc>,
    pub track_fields: Value,
    /// By the keys of the form's fields.
    pub answers: Value,
}

impl StoredPerson {
    /// Whether anything is stored.
    pub fn is_known(&self) -> bool {
        self.recipient.is_some() || !self.messages.is_empty() || !self.links.is_empty()
    }
}

impl Store {
    /// All that is found of a person by docid, as an erasure finds it. Without a pepper nothing is known of a phone that no message was for.
    /// `None`: there is not enough room for it.
    pub async fn stored_person(
        &self,
        account_id: Uuid,
        docid: &str,
        pepper: Option<&Pepper>,
        room: &mut ExportRoom,
    ) -> Result<Option<StoredPerson>> {
        let recipient = self.recipient(account_id, docid).await?;
        let (mut batch, mut macs) = (None, Vec::<Vec<u8>>::new());
        if let Some(recipient) = &recipient {
            batch = self.batch(account_id, recipient.batch_id).await?;
            if let Some(pepper) = pepper {
                let of_phone = pepper.phone_macs(account_id, &recipient.phone);
                macs.extend(of_phone.map(Vec::from));
            }
        }
        let contact = self.stored_contact(account_id, docid, macs).await?;
        if !room.take(&(docid, &recipient, &batch, &contact))? {
            return Ok(None);
        }
        let mut receipts = self.receipts(account_id, docid).await?;
        let (mut messages, mut before) = (Vec::new(), None);
        loop {
            let page = self.recipient_messages(account_id, docid, before, PAGE);
            let page = page.await?;
            let rows = page.rows.into_iter().map(|message| StoredMessage {
                receipts: receipts.remove(&message.message_id).unwrap_or_default(),
                message,
            });
            let rows: Vec<_> = rows.collect();
            if !room.take(&rows)? {
                return Ok(None);
            }
            messages.extend(rows);
            before = page.next;
            if before.is_none() {
                break;
            }
        }
        let field = format!("docid={docid}");
        let mut links = Vec::new();
        let found = values![account_id, docid, field];
        for link_id in self.fetch_values(LINKS, found).await? {
            let Some(link) = self.stored_link_of(account_id, link_id).await? else {
                continue;
            };
            if !room.take(&link)? {
                return Ok(None);
            }
            links.push(link);
        }
        Ok(Some(StoredPerson {
            docid: docid.to_owned(),
            recipient,
            batch,
            contact,
            messages,
            links,
        }))
    }

    /// What is known of a person's phones: of these MACs, which are of the one of now, and of those before. One that opted out comes first.
    async fn stored_contact(
        &self,
        account_id: Uuid,
        docid: &str,
        macs: Vec<Vec<u8>>,
    ) -> Result<Option<StoredContact>> {
        let field = format!("docid={docid}");
        let former = values![account_id, docid, field];
        let former: Vec<Vec<u8>> = self.fetch_values(MACS, former).await?;
        let of_now = macs.len();
        let mut found: Option<contact::Model> = None;
        for (place, mac) in macs.into_iter().chain(former).enumerate() {
            let row = contact::Entity::find_by_id((account_id, mac));
            let row = row.one(self).await?;
            // A former phone may be somebody else's by now.
            let is_theirs =
                |row: &contact::Model| place < of_now || row.docid.as_deref() == Some(docid);
            let Some(row) = row.filter(is_theirs) else {
                continue;
            };
            let opted_out = row.opted_out_at.is_some();
            if opted_out || found.is_none() {
                found = Some(row);
            }
            if opted_out {
                break;
            }
        }
        Ok(found.map(|row| StoredContact {
            last_sent_at: row.last_sent_at,
            opted_out_at: row.opted_out_at,
            source: row.source,
            senders: row.senders.split_whitespace().map(str::to_owned).collect(),
        }))
    }

    /// A link with what came through it.
    async fn stored_link_of(&self, account_id: Uuid, link_id: Uuid) -> Result<Option<StoredLink>> {
        let row = link::Entity::find_by_id((account_id, link_id));
        let Some(row) = row.one(self).await? else {
            return Ok(None);
        };
        let views = visit_view::Entity::find()
            .filter(visit_view::Column::AccountId.eq(account_id))
            .filter(visit_view::Column::LinkId.eq(link_id))
            .limit(OF_LINK);
        let views = views.all(self).await?;
        let visits = visit::Entity::find()
            .filter(visit::Column::AccountId.eq(account_id))
            .filter(visit::Column::LinkId.eq(link_id))
            .limit(OF_LINK);
        let mut answers = Vec::new();
        for visit in visits.all(self).await? {
            let key = (account_id, row.form_id, visit.feedback_id);
            let answer = feedback::Entity::find_by_id(key).one(self).await?;
            if let Some(answer) = answer {
                answers.push(StoredAnswers {
                    feedback_id: answer.feedback_id,
                    submitted_at: answer.submitted_at,
                    track_fields: answer.track_fields,
                    answers: serde_json::from_str(&answer.answers).map_err(Error::broken)?,
                });
            }
        }
        Ok(Some(StoredLink {
            link_id,
            token: row.token,
            form_id: row.form_id,
            campaign_id: row.campaign_id,
            track_fields: serde_json::from_str(&row.track_fields).map_err(Error::broken)?,
            created_at: row.created_at,
            expires_at: row.expires_at,
            deleted_at: row.deleted_at,
            views: views.into_iter().map(|view| view.seen_at).collect(),
            answers,
        }))
    }
}
