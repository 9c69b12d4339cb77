//! Messages as their account sees them, and those that a person asks for: a test, or an uncertain one again.

use chrono::{DateTime, Utc};
use domain::campaign::{
    CampaignStatus, Count, CountsDelta, MessageKind, MessageStatus, SkipReason,
};
use entity::message;
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use uuid::Uuid;

use super::tally::Changes;
use super::{CampaignChange, CampaignKey};
use crate::tx::{Sql, values};
use crate::{Error, ListPage, Store};

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub message_id: Uuid,
    pub campaign_id: Uuid,
    pub docid: String,
    pub kind: MessageKind,
    pub status: MessageStatus,
    pub skipped_reason: Option<SkipReason>,
    /// 0 until it was taken to be sent.
    pub parts: i64,
    pub encoding: Option<String>,
    pub provider_ids: Vec<String>,
    pub provider_code: Option<String>,
    pub scheduled_at: DateTime<Utc>,
    pub accepted_at: Option<DateTime<Utc>>,
    pub delivered_at: Option<DateTime<Utc>>,
    pub viewed_at: Option<DateTime<Utc>>,
    pub answered_at: Option<DateTime<Utc>>,
}

impl Message {
    /// Reads a row. What a cancelled campaign had scheduled is cancelled, also before its rows say so.
    fn read(row: message::Model, campaign_is_cancelled: bool) -> Result<Self, Error> {
        let status: MessageStatus = row.status.parse().map_err(Error::broken)?;
        let reason = row.reason.map(|reason| reason.parse());
        Ok(Self {
            message_id: row.message_id,
            campaign_id: row.campaign_id,
            docid: row.docid,
            kind: row.kind.parse().map_err(Error::broken)?,
            status: match status {
                MessageStatus::Scheduled if campaign_is_cancelled => MessageStatus::Cancelled,
                status => status,
            },
            skipped_reason: reason.transpose().map_err(Error::broken)?,
            parts: row.parts,
            encoding: row.encoding,
            provider_ids: serde_json::from_str(&row.provider_ids).map_err(Error::broken)?,
            provider_code: row.code,
            scheduled_at: row.scheduled_at,
            accepted_at: row.accepted_at,
            delivered_at: row.delivered_at,
            viewed_at: row.viewed_at,
            answered_at: row.answered_at,
        })
    }
}

impl Store {
    /// A page of a campaign's messages, newest first, of those before `before`.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn campaign_messages(
        &self,
        key: CampaignKey,
        status: CampaignStatus,
        wanted: Option<MessageStatus>,
        before: Option<Uuid>,
        limit: usize,
    ) -> Result<ListPage<Message>, Error> {
        let is_cancelled = status == CampaignStatus::Cancelled;
        let stored = match wanted {
            None => Condition::all(),
            Some(MessageStatus::Cancelled) if is_cancelled => {
                Condition::all().add(message::Column::Status.is_in(["cancelled", "scheduled"]))
            }
            Some(MessageStatus::Scheduled) if is_cancelled => {
                return Ok(ListPage {
                    rows: vec![],
                    next: None,
                });
            }
            Some(status) => Condition::all().add(message::Column::Status.eq(status.as_str())),
        };
        let rows = message::Entity::find()
            .filter(message::Column::AccountId.eq(key.account_id))
            .filter(message::Column::CampaignId.eq(key.campaign_id))
            .filter(message::Column::MessageId.lt(before.unwrap_or(Uuid::max())))
            .filter(stored)
            .order_by_desc(message::Column::MessageId)
            .limit(limit as u64 + 1)
            .all(self)
            .await?;
        let rows = rows.into_iter().map(|row| Message::read(row, is_cancelled));
        let rows = rows.collect::<Result<_, _>>()?;
        Ok(ListPage::new(rows, limit, false, |message: &Message| {
            message.message_id
        }))
    }

    /// A page of a recipient's messages, newest first, of those before `before`.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn recipient_messages(
        &self,
        account_id: Uuid,
        docid: &str,
        before: Option<Uuid>,
        limit: usize,
    ) -> Result<ListPage<Message>, Error> {
        let rows = message::Entity::find()
            .filter(message::Column::AccountId.eq(account_id))
            .filter(message::Column::Docid.eq(docid))
            .filter(message::Column::MessageId.lt(before.unwrap_or(Uuid::max())))
            .order_by_desc(message::Column::MessageId)
            .limit(limit as u64 + 1)
            .all(self)
            .await?;
        let mut messages: Vec<Message> = Vec::with_capacity(rows.len());
        for row in rows {
            let campaign = self
                .campaign(CampaignKey::new(account_id, row.campaign_id))
                .await?;
            let is_cancelled =
                campaign.is_some_and(|campaign| campaign.status == CampaignStatus::Cancelled);
            messages.push(Message::read(row, is_cancelled)?);
        }
        Ok(ListPage::new(messages, limit, false, |message| {
            message.message_id
        }))
    }

    /// Schedules a test message to a phone, with the fields of a recipient.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn schedule_test(
        &self,
        key: CampaignKey,
        sender: &str,
        docid: &str,
        phone: &str,
    ) -> Result<Uuid, Error> {
        let tx = self.begin().await?;
        let (now, id) = (tx.now().await?, Uuid::now_v7());
        tx.execute(
            "INSERT INTO message (account_id, campaign_id, message_id, link_id, docid, kind, status, scheduled_at)
             VALUES ($1, $2, $3, $3, $4, 'test', 'scheduled', $5)",
            values![key, id, docid, now],
        )
        .await?;
        tx.execute(
            "INSERT INTO message_due (account_id, campaign_id, message_id, due_at, sender, phone) VALUES ($1, $2, $3, $4, $5, $6)",
            values![key, id, now, sender, phone],
        )
        .await?;
        tx.commit_surely().await?;
        Ok(id)
    }

    /// Schedules the messages of a campaign again that may have been sent or not: because a person asks for it. One that is FINISHED
    /// runs again for them.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn resend_unknown(&self, key: CampaignKey) -> Result<CampaignChange, Error> {
        let mut tx = self.begin_long().await?;
        let Some(row) = tx.lock_campaign(key).await? else {
            return Ok(CampaignChange::NotFound);
        };
        let status: CampaignStatus = row.status.parse().map_err(Error::broken)?;
        if matches!(status, CampaignStatus::Draft | CampaignStatus::Cancelled) {
            return Ok(CampaignChange::Refused(status));
        }
        let now = tx.now().await?;
        let again: Vec<(Uuid, String, i64)> = tx
            .all(
                "UPDATE message SET status = 'scheduled', code = NULL, scheduled_at = $3
                  WHERE account_id = $1 AND campaign_id = $2 AND status = 'unknown' AND kind <> 'test'
                 RETURNING message_id, kind, parts",
                values![key, now],
            )
            .await?;
        let mut changes = Changes::default();
        let mut due = Vec::new();
        for (message_id, kind, parts) in again {
            let kind = kind.parse().map_err(Error::broken)?;
            let (unknown, scheduled) = (
                Count::Status(MessageStatus::Unknown),
                Count::Status(MessageStatus::Scheduled),
            );
            let delta = changes.of(key, kind);
            delta.merge(&CountsDelta::moved(unknown, scheduled));
            delta.add(Count::Parts, -parts);
            due.push(values![key, message_id, now, row.sender.as_str()]);
        }
        if status == CampaignStatus::Finished && !due.is_empty() {
            let resume = "UPDATE campaign SET status = 'RUNNING', finished_at = NULL, updated_at = $3, revision = revision + 1
                           WHERE account_id = $1 AND campaign_id = $2";
            tx.execute(resume, values![key, now]).await?;
        }
        tx.make_due(due).await?;
        tx.append_counts(changes).await?;
        tx.commit_surely().await?;
        let campaign = self.campaign(key).await?;
        Ok(campaign.map_or(CampaignChange::NotFound, |campaign| {
            CampaignChange::Done(Box::new(campaign))
        }))
    }
}
