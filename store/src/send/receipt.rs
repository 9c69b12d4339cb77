//! What providers report of messages, in any order and as often as they like, and what comes through their links.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use chrono_tz::Tz;
use domain::campaign::{
    CampaignContent, Count, CountsDelta, MessageKind, MessageStatus, PartStates, ReceiptStatus,
};
use domain::date_range::day_of;
use domain::rollup::DayCounts;
use uuid::Uuid;

use super::CampaignKey;
use super::tally::{Changes, ReportPlace, report_place};
use crate::tx::{Sql, get, json, parsed, values};
use crate::{Error, Store, Tx};

/// A receipt of a message that is known.
#[derive(Clone, Debug)]
pub struct NewReceipt {
    pub account_id: Uuid,
    pub message_id: Uuid,
    /// `None`: of all parts.
    pub part: Option<usize>,
    pub status: ReceiptStatus,
    pub code: Option<String>,
}

const LOCK_POSTGRES: &str = "SELECT m.account_id, m.message_id, m.campaign_id, m.kind, m.status, m.part_states, m.accepted_day,
            m.answered_at IS NOT NULL AS is_answered, l.form_id, l.bus_prop_ids, a.time_zone
       FROM unnest($1::uuid[], $2::uuid[]) AS g(a, m)
      CROSS JOIN LATERAL (
            SELECT * FROM message m WHERE m.account_id = g.a AND m.message_id = g.m FOR NO KEY UPDATE) m
       JOIN account a ON a.account_id = g.a
       LEFT JOIN link l ON l.account_id = g.a AND l.link_id = m.link_id";
const LOCK_SQLITE: &str = "SELECT m.account_id, m.message_id, m.campaign_id, m.kind, m.status, m.part_states, m.accepted_day,
            m.answered_at IS NOT NULL AS is_answered, l.form_id, l.bus_prop_ids, a.time_zone
       FROM message m
       JOIN account a ON a.account_id = m.account_id
       LEFT JOIN link l ON l.account_id = m.account_id AND l.link_id = m.link_id
      WHERE m.account_id = $1 AND m.message_id = $2";

const CAMPAIGNS_POSTGRES: &str = "SELECT DISTINCT m.account_id, m.campaign_id
       FROM unnest($1::uuid[], $2::uuid[]) AS g(a, m) JOIN message m ON m.account_id = g.a AND m.message_id = g.m";
const CAMPAIGNS_SQLITE: &str =
    "SELECT account_id, campaign_id FROM message WHERE account_id = $1 AND message_id = $2";

const UPDATE_POSTGRES: &str = "UPDATE message m SET status = g.s, part_states = g.p, code = coalesce(g.c, m.code),
            delivered_at = coalesce(m.delivered_at, g.t), accepted_at = coalesce(m.accepted_at, g.at),
            accepted_day = coalesce(m.accepted_day, g.day)
       FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[],
                   $8::date[]) AS g(a, m, s, p, c, t, at, day)
      WHERE m.account_id = g.a AND m.message_id = g.m";
const UPDATE_SQLITE: &str =
    "UPDATE message SET status = $3, part_states = $4, code = coalesce($5, code),
            delivered_at = coalesce(delivered_at, $6), accepted_at = coalesce(accepted_at, $7),
            accepted_day = coalesce(accepted_day, $8) WHERE account_id = $1 AND message_id = $2";

const REMINDER: &str = "INSERT INTO message
            (account_id, campaign_id, message_id, link_id, docid, kind, status, phone_mac, scheduled_at)
     SELECT account_id, campaign_id, $3, message_id, docid, 'reminder', 'scheduled', phone_mac, $4
       FROM message WHERE account_id = $1 AND message_id = $2 ON CONFLICT DO NOTHING";

/// A message with its receipts so far.
struct Locked {
    key: CampaignKey,
    message_id: Uuid,
    kind: MessageKind,
    before: MessageStatus,
    parts: PartStates,
    code: Option<String>,
    accepted_day: Option<NaiveDate>,
    is_answered: bool,
    time_zone: Tz,
    place: Option<ReportPlace>,
}

impl Locked {
    /// What reports count of it.
    fn counts(&self, status: MessageStatus) -> DayCounts {
        if status.is_accepted() && self.kind != MessageKind::Test {
            DayCounts::message(status == MessageStatus::Delivered, self.is_answered)
        } else {
            DayCounts::default()
        }
    }
}

impl Store {
    /// Stores receipts in one transaction. Those of unknown messages are left out.
    ///
    /// # Errors
    /// See [`Error`]. Giving the same receipts again is safe.
    pub async fn record_receipts(&self, receipts: &[NewReceipt]) -> Result<(), Error> {
        self.retry(|| self.try_receipts(receipts)).await
    }

    async fn try_receipts(&self, receipts: &[NewReceipt]) -> Result<(), Error> {
        let tx = self.begin_by_key().await?;
        let now = tx.now().await?;
        let campaigns = tx.lock_campaigns(receipts).await?;
        let mut messages = tx.lock_messages(receipts).await?;
        for receipt in receipts {
            if let Some(message) = messages.get_mut(&(receipt.account_id, receipt.message_id)) {
                message.parts.record(receipt.part, receipt.status);
                if receipt.code.is_some() {
                    message.code.clone_from(&receipt.code);
                }
            }
        }
        let mut changes = Changes::default();
        let mut rows = Vec::new();
        let mut delivered = Vec::new();
        for message in messages.values() {
            let after = message.parts.status(message.before);
            let moved = CountsDelta::moved(Count::Status(message.before), Count::Status(after));
            changes.of(message.key, message.kind).merge(&moved);
            // A receipt may be the first to say that the provider has it.
            let accepted_at = after.is_accepted().then_some(now);
            let today = accepted_at.map(|at| day_of(at, message.time_zone));
            let accepted_day = message.accepted_day.or(today);
            if let (Some(day), Some((form, ids))) = (accepted_day, &message.place) {
                let counts = message.counts(after) + -message.counts(message.before);
                changes.reported.add_messages(*form, day, ids, counts);
            }
            let delivered_at = (after == MessageStatus::Delivered).then_some(now);
            if after == MessageStatus::Delivered
                && message.before != after
                && message.kind == MessageKind::First
            {
                delivered.push(message);
            }
            rows.push(values![
                message.key.account_id,
                message.message_id,
                after.as_str(),
                message.parts.as_str(),
                message.code.as_deref(),
                delivered_at,
                accepted_at,
                accepted_day
            ]);
        }
        if rows.is_empty() {
            return Ok(());
        }
        tx.each(UPDATE_POSTGRES, UPDATE_SQLITE, rows).await?;
        tx.plan_reminders(&delivered, &campaigns, now, &mut changes)
            .await?;
        tx.append_counts(changes).await?;
        tx.commit_surely().await
    }
}

impl Tx {
    /// The campaigns of these messages that may plan reminders, locked against changes of their status.
    async fn lock_campaigns(
        &self,
        receipts: &[NewReceipt],
    ) -> Result<HashMap<CampaignKey, CampaignContent>, Error> {
        let delivered = receipts
            .iter()
            .filter(|receipt| receipt.status == ReceiptStatus::Delivered);
        let rows = delivered.map(|receipt| values![receipt.account_id, receipt.message_id]);
        let mut keys = BTreeSet::new();
        for row in self
            .each(CAMPAIGNS_POSTGRES, CAMPAIGNS_SQLITE, rows.collect())
            .await?
        {
            keys.insert(CampaignKey::new(
                get(&row, "account_id")?,
                get(&row, "campaign_id")?,
            ));
        }
        let mut contents = HashMap::new();
        for key in keys {
            let open = "SELECT content FROM campaign
                         WHERE account_id = $1 AND campaign_id = $2 AND status IN ('RUNNING', 'PAUSED')";
            let open = self.locking(open, "FOR SHARE");
            if let Some(row) = self.row(open, values![key]).await? {
                let content: CampaignContent = json(&row, "content")?;
                if content.reminder.is_some() {
                    contents.insert(key, content);
                }
            }
        }
        Ok(contents)
    }

    async fn lock_messages(
        &self,
        receipts: &[NewReceipt],
    ) -> Result<BTreeMap<(Uuid, Uuid), Locked>, Error> {
        let mut keys: Vec<(Uuid, Uuid)> = receipts
            .iter()
            .map(|receipt| (receipt.account_id, receipt.message_id))
            .collect();
        keys.sort_unstable();
        keys.dedup();
        let keys = keys
            .into_iter()
            .map(|(account, message)| values![account, message]);
        let mut messages = BTreeMap::new();
        for row in self
            .each(LOCK_POSTGRES, LOCK_SQLITE, keys.collect())
            .await?
        {
            let account_id = get(&row, "account_id")?;
            let message_id = get(&row, "message_id")?;
            let message = Locked {
                key: CampaignKey::new(account_id, get(&row, "campaign_id")?),
                message_id,
                kind: parsed(&row, "kind")?,
                before: parsed(&row, "status")?,
                parts: parsed(&row, "part_states")?,
                code: None,
                accepted_day: get(&row, "accepted_day")?,
                is_answered: get(&row, "is_answered")?,
                time_zone: parsed(&row, "time_zone")?,
                place: report_place(&row)?,
            };
            messages.insert((account_id, message_id), message);
        }
        Ok(messages)
    }

    /// Plans the reminders of first messages that were just delivered.
    async fn plan_reminders(
        &self,
        delivered: &[&Locked],
        campaigns: &HashMap<CampaignKey, CampaignContent>,
        now: DateTime<Utc>,
        changes: &mut Changes,
    ) -> Result<(), Error> {
        for message in delivered {
            let Some(content) = campaigns.get(&message.key) else {
                continue;
            };
            let Some(reminder) = &content.reminder else {
                continue;
            };
            let at = now + TimeDelta::days(reminder.after_days.into());
            let id = Uuid::now_v7();
            let account = message.key.account_id;
            let made = self
                .execute(REMINDER, values![account, message.message_id, id, at])
                .await?;
            if made == 1 {
                self.make_due(vec![values![message.key, id, at, content.sender.as_str()]])
                    .await?;
                let delta = changes.of(message.key, MessageKind::Reminder);
                delta.add(Count::Recipients, 1);
                delta.add(Count::Status(MessageStatus::Scheduled), 1);
            }
        }
        Ok(())
    }
}
