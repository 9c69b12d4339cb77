//! Messages as their account sees them, and those that a person asks for: a test, or an uncertain one again.

use domain::campaign::{CampaignStatus, Count, Message, MessageStatus};
use domain::docid::is_erased;
use sea_orm::{QueryResult, Value};
use uuid::Uuid;

use super::tally::Changes;
use super::{CampaignChange, CampaignKey};
use crate::tx::{Sql, get, json, parsed, values};
use crate::{Error, ListPage, Result, Store};

/// What a cancelled campaign had scheduled is cancelled, also before its rows say so.
const STATUS: &str = "CASE WHEN c.status = 'CANCELLED' AND m.status = 'scheduled' THEN 'cancelled' ELSE m.status END";

fn read(row: &QueryResult) -> Result<Message> {
    let reason: Option<String> = get(row, "reason")?;
    let reason = reason.map(|reason| reason.parse());
    Ok(Message {
        message_id: get(row, "message_id")?,
        campaign_id: get(row, "campaign_id")?,
        docid: Some(get(row, "docid")?).filter(|docid: &String| !is_erased(docid)),
        kind: parsed(row, "kind")?,
        status: parsed(row, "status")?,
        skipped_reason: reason.transpose().map_err(Error::broken)?,
        parts: get(row, "parts")?,
        encoding: get(row, "encoding")?,
        sender: get(row, "sender")?,
        provider_ids: json(row, "provider_ids")?,
        provider_code: get(row, "code")?,
        scheduled_at: get(row, "scheduled_at")?,
        accepted_at: get(row, "accepted_at")?,
        delivered_at: get(row, "delivered_at")?,
        viewed_at: get(row, "viewed_at")?,
        answered_at: get(row, "answered_at")?,
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
        let mut condition = "m.campaign_id = $4".to_owned();
        let mut of = values![key.campaign_id];
        if let Some(status) = status {
            condition = format!("{condition} AND {STATUS} = $5");
            of.push(status.into_str().into());
        }
        self.messages(key.account_id, &condition, of, before, limit)
            .await
    }

    /// A page of a recipient's messages, newest first, of those before `before`.
    pub async fn recipient_messages(
        &self,
        account_id: Uuid,
        docid: &str,
        before: Option<Uuid>,
        limit: usize,
    ) -> Result<ListPage<Message>> {
        self.messages(account_id, "m.docid = $4", values![docid], before, limit)
            .await
    }

    async fn messages(
        &self,
        account_id: Uuid,
        condition: &str,
        mut of: Vec<Value>,
        before: Option<Uuid>,
        limit: usize,
    ) -> Result<ListPage<Message>> {
        let most = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
        let mut given = values![account_id, before.unwrap_or(Uuid::max()), most];
        given.append(&mut of);
        let select = format!(
            "SELECT m.message_id, m.campaign_id, m.docid, m.kind, {STATUS} AS status, m.reason, m.parts, m.encoding, c.sender,
                    m.provider_ids, m.code, m.scheduled_at, m.accepted_at, m.delivered_at, m.viewed_at, m.answered_at
               FROM message m JOIN campaign c ON c.account_id = m.account_id AND c.campaign_id = m.campaign_id
              WHERE m.account_id = $1 AND m.message_id < $2 AND {condition} ORDER BY m.message_id DESC LIMIT $3"
        );
        let rows = self.rows(select, given).await?;
        let messages = rows.iter().map(read).collect::<Result<_, _>>()?;
        let position = |message: &Message| message.message_id;
        Ok(ListPage::new(messages, limit, false, position))
    }

    /// Schedules a test message to a phone, with the fields of a recipient. `None`: the campaign is gone, or the recipient.
    pub async fn schedule_test(
        &self,
        key: CampaignKey,
        docid: &str,
        phone: &str,
    ) -> Result<Option<Uuid>> {
        let mut tx = self.begin().await?;
        // Whoever erases the recipient waits, and finds the message.
        let recipient =
            "SELECT 1 FROM recipient WHERE account_id = $1 AND docid = $2 AND phone IS NOT NULL";
        let recipient = tx.locking(recipient, "FOR SHARE");
        let recipient: Option<i32> = tx.one(recipient, values![key.account_id, docid]).await?;
        let Some(campaign) = tx.lock_campaign(key).await?.filter(|_| recipient.is_some()) else {
            return Ok(None);
        };
        let (now, id) = (tx.now().await?, Uuid::now_v7());
        let insert = "INSERT INTO message (account_id, campaign_id, message_id, link_id, docid, kind, status, scheduled_at)
             VALUES ($1, $2, $3, $3, $4, 'test', 'scheduled', $5)";
        tx.execute(insert, values![key, id, docid, now]).await?;
        let insert = "INSERT INTO message_due (account_id, campaign_id, message_id, due_at, sender, phone) VALUES ($1, $2, $3, $4, $5, $6)";
        let values = values![key, id, now, campaign.sender.as_str(), phone];
        tx.execute(insert, values).await?;
        tx.commit_surely().await?;
        Ok(Some(id))
    }

    /// Schedules the messages of a campaign again that may have been sent or not: because a person asks for it. One that is FINISHED
    /// runs again for them.
    pub async fn resend_unknown(&self, key: CampaignKey) -> Result<CampaignChange> {
        let mut tx = self.begin_long().await?;
        let Some(row) = tx.lock_campaign(key).await? else {
            return Ok(CampaignChange::NotFound);
        };
        let status: CampaignStatus = row.status.parse().map_err(Error::broken)?;
        if matches!(status, CampaignStatus::Draft | CampaignStatus::Cancelled) {
            return Ok(CampaignChange::Refused(status));
        }
        let now = tx.now().await?;
        let again = "UPDATE message SET status = 'scheduled', code = NULL, scheduled_at = $3
              WHERE account_id = $1 AND campaign_id = $2 AND status = 'unknown' AND kind <> 'test'
             RETURNING message_id, kind, parts";
        let again: Vec<(Uuid, String, i64)> = tx.all(again, values![key, now]).await?;
        let mut changes = Changes::default();
        let mut due = Vec::new();
        for (message_id, kind, parts) in again {
            let kind = kind.parse().map_err(Error::broken)?;
            let scheduled = Count::Status(MessageStatus::Scheduled);
            changes.moved((key, kind), MessageStatus::Unknown, scheduled);
            changes.of(key, kind).add(Count::Parts, -parts);
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
