//! What providers report of messages, in any order and as often as they like, and what comes through their links.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use chrono_tz::Tz;
use domain::campaign::{
    CampaignContent, Count, MessageKind, MessageStatus, PartStates, Receipt, ReceiptStatus,
};
use domain::date_range::day_of;
use sea_orm::FromQueryResult;
use uuid::Uuid;

use super::CampaignKey;
use super::tally::{Changes, Counted};
use crate::tx::{Sql, get, json, parsed, values};
use crate::{Error, Result, Store, Tx};

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

const LOCK: &str = "WITH g(a, m) AS (ROWS) SELECT m.account_id, m.message_id, m.campaign_id, m.kind, m.status, m.parts, m.part_states,
            m.accepted_day, m.answered_at IS NOT NULL AS is_answered, l.form_id, l.bus_prop_ids, a.time_zone
       FROM g JOIN message m ON m.account_id = g.a AND m.message_id = g.m
       JOIN account a ON a.account_id = g.a
       LEFT JOIN link l ON l.account_id = m.account_id AND l.link_id = m.link_id ORDER BY m.account_id, m.message_id";

/// The campaigns of delivered messages, and the messages that are scheduled although they were handed over before.
const CAMPAIGNS: &str = "WITH g(a, m, d, p) AS (ROWS) SELECT DISTINCT m.account_id, m.campaign_id,
            CASE WHEN m.status = 'scheduled' THEN m.message_id END AS again
       FROM g JOIN message m ON m.account_id = g.a AND m.message_id = g.m
      WHERE g.d OR g.p AND m.status = 'scheduled' AND m.part_states <> '' ORDER BY m.account_id, m.campaign_id, again";

const UPDATE: &str = "WITH g(a, m, s, p, c, t, at, day) AS (ROWS)
     UPDATE message AS m SET status = g.s, part_states = g.p, code = coalesce(g.c, m.code), delivered_at = coalesce(m.delivered_at, g.t),
            accepted_at = coalesce(m.accepted_at, g.at), accepted_day = coalesce(m.accepted_day, g.day)
       FROM g WHERE m.account_id = g.a AND m.message_id = g.m";

const REMINDER: &str = "WITH g(a, f, m, t) AS (ROWS)
     INSERT INTO message (account_id, campaign_id, message_id, link_id, docid, kind, status, phone_mac, scheduled_at)
     SELECT f.account_id, f.campaign_id, g.m, f.message_id, f.docid, 'reminder', 'scheduled', f.phone_mac, g.t
       FROM g JOIN message f ON f.account_id = g.a AND f.message_id = g.f WHERE true ON CONFLICT DO NOTHING RETURNING message_id";

const KEEP: &str = "WITH g(a, m, p, s, c, t) AS (ROWS)
     INSERT INTO receipt (account_id, message_id, part, status, code, received_at) SELECT * FROM g WHERE true ON CONFLICT DO NOTHING";
/// What stands for all parts.
const ALL_PARTS: i64 = -1;

/// A message with its receipts so far.
struct Locked {
    key: CampaignKey,
    counted: Counted,
    states: PartStates,
    code: Option<String>,
    accepted_day: Option<NaiveDate>,
    time_zone: Tz,
}

impl Store {
    /// Stores receipts in one transaction. Those of unknown messages are left out.
    ///
    /// # Errors
    /// Giving the same receipts again is safe.
    pub async fn record_receipts(&self, receipts: &[NewReceipt]) -> Result<()> {
        self.retry(|| self.try_receipts(receipts)).await
    }

    /// What was reported of a recipient's messages, in the order in which it came, by the message's id.
    pub async fn receipts(
        &self,
        account_id: Uuid,
        docid: &str,
    ) -> Result<HashMap<Uuid, Vec<Receipt>>> {
        let rows = "SELECT message_id, part, status, code, received_at FROM receipt
                  WHERE account_id = $1 AND message_id IN (SELECT message_id FROM message WHERE account_id = $1 AND docid = $2)
                  ORDER BY received_at, part, status";
        let rows = self.rows(rows, values![account_id, docid]).await?;
        let mut receipts: HashMap<Uuid, Vec<Receipt>> = HashMap::new();
        for row in rows {
            let of_message = receipts.entry(get(&row, "message_id")?).or_default();
            of_message.push(Receipt {
                part: Some(get(&row, "part")?).filter(|part| *part != ALL_PARTS),
                status: parsed(&row, "status")?,
                code: get(&row, "code")?,
                received_at: get(&row, "received_at")?,
            });
        }
        Ok(receipts)
    }

    async fn try_receipts(&self, receipts: &[NewReceipt]) -> Result<()> {
        let tx = self.begin_by_keys().await?;
        let now = tx.now().await?;
        let (campaigns, sent_after_all) = tx.lock_campaigns(receipts).await?;
        let mut messages = tx.lock_messages(receipts).await?;
        let mut kept = Vec::new();
        for receipt in receipts {
            if let Some(message) = messages.get_mut(&(receipt.account_id, receipt.message_id)) {
                message.states.record(receipt.part, receipt.status);
                let part = receipt.part.map_or(Ok(ALL_PARTS), i64::try_from);
                kept.push(values![
                    receipt.account_id,
                    receipt.message_id,
                    part.map_err(Error::broken)?,
                    receipt.status.into_str(),
                    receipt.code.as_deref(),
                    now
                ]);
                if receipt.code.is_some() {
                    message.code.clone_from(&receipt.code);
                }
            }
        }
        let mut changes = Changes::default();
        let mut rows = Vec::new();
        let mut delivered = Vec::new();
        for ((_, message_id), message) in &messages {
            let (key, counted) = (message.key, &message.counted);
            let mut before = counted.before;
            if sent_after_all.contains(message_id) {
                // As if it had never been scheduled again.
                before = MessageStatus::Unknown;
                let delta = changes.of(key, counted.kind);
                delta.add(Count::Parts, counted.parts);
            }
            let after = message.states.status(before);
            // A receipt may be the first to say that the provider has it.
            let accepted_at = after.is_accepted().then_some(now);
            let today = accepted_at.map(|at| day_of(at, message.time_zone));
            let accepted_day = message.accepted_day.or(today);
            changes.count_change(key, counted, after, accepted_day);
            let delivered_at = (after == MessageStatus::Delivered).then_some(now);
            if after == MessageStatus::Delivered
                && counted.before != after
                && counted.kind == MessageKind::First
                && let Some(content) = campaigns.get(&key)
            {
                delivered.push((key, *message_id, content));
            }
            rows.push(values![
                key.account_id,
                *message_id,
                after.into_str(),
                message.states.as_str(),
                message.code.as_deref(),
                delivered_at,
                accepted_at,
                accepted_day
            ]);
        }
        if rows.is_empty() {
            return Ok(());
        }
        tx.for_rows(UPDATE, rows).await?;
        tx.for_rows(KEEP, kept).await?;
        tx.plan_reminders(&delivered, now, &mut changes).await?;
        tx.append_counts(changes).await?;
        tx.commit_surely().await
    }
}

impl Tx {
    /// The campaigns of these messages that may plan reminders, locked against changes of their status; and the messages that were
    /// to be sent again and are not any more, as their receipts tell that they were sent.
    async fn lock_campaigns(
        &self,
        receipts: &[NewReceipt],
    ) -> Result<(HashMap<CampaignKey, CampaignContent>, HashSet<Uuid>)> {
        let rows = receipts.iter().map(|receipt| {
            let is_delivered = receipt.status == ReceiptStatus::Delivered;
            // One that failed is sent again, as somebody asked for.
            let proves = is_delivered || receipt.status == ReceiptStatus::Accepted;
            values![receipt.account_id, receipt.message_id, is_delivered, proves]
        });
        let mut found: BTreeMap<CampaignKey, Vec<Uuid>> = BTreeMap::new();
        for row in self.for_rows(CAMPAIGNS, rows.collect()).await? {
            let key = CampaignKey::from_query_result(&row, "")?;
            let again: Option<Uuid> = get(&row, "again")?;
            found.entry(key).or_default().extend(again);
        }
        let (mut contents, mut sent_after_all) = (HashMap::new(), HashSet::new());
        for (key, again) in found {
            let open = "SELECT content FROM campaign
                         WHERE account_id = $1 AND campaign_id = $2 AND status IN ('RUNNING', 'PAUSED')";
            let open = self.locking(open, "FOR SHARE");
            if let Some(row) = self.row(open, values![key]).await? {
                contents.insert(key, json(&row, "content")?);
                for message_id in again {
                    let unclaimed = "DELETE FROM message_due
                         WHERE account_id = $1 AND campaign_id = $2 AND message_id = $3 AND fence = 0";
                    if self.execute(unclaimed, values![key, message_id]).await? > 0 {
                        sent_after_all.insert(message_id);
                    }
                }
            }
        }
        Ok((contents, sent_after_all))
    }

    async fn lock_messages(
        &self,
        receipts: &[NewReceipt],
    ) -> Result<BTreeMap<(Uuid, Uuid), Locked>> {
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
        let lock = self.locking(LOCK, "FOR NO KEY UPDATE OF m");
        for row in self.for_rows(&lock, keys.collect()).await? {
            let account_id = get(&row, "account_id")?;
            let message_id = get(&row, "message_id")?;
            let message = Locked {
                key: CampaignKey::new(account_id, get(&row, "campaign_id")?),
                counted: Counted::read(&row)?,
                states: parsed(&row, "part_states")?,
                code: None,
                accepted_day: get(&row, "accepted_day")?,
                time_zone: parsed(&row, "time_zone")?,
            };
            messages.insert((account_id, message_id), message);
        }
        Ok(messages)
    }

    /// Plans reminders of first messages: of each its campaign, id, and the campaign's content.
    pub(super) async fn plan_reminders(
        &self,
        messages: &[(CampaignKey, Uuid, &CampaignContent)],
        now: DateTime<Utc>,
        changes: &mut Changes,
    ) -> Result<()> {
        let (mut rows, mut planned) = (Vec::new(), HashMap::new());
        for (key, first, content) in messages {
            if let Some(reminder) = &content.reminder {
                let (id, at) = (
                    Uuid::now_v7(),
                    now + TimeDelta::days(reminder.after_days.into()),
                );
                rows.push(values![key.account_id, *first, id, at]);
                planned.insert(id, (*key, at, content.sender.as_str()));
            }
        }
        let mut due = Vec::new();
        for row in self.for_rows(REMINDER, rows).await? {
            let id: Uuid = get(&row, "message_id")?;
            let Some((key, at, sender)) = planned.remove(&id) else {
                continue;
            };
            due.push(values![key, id, at, sender]);
            let delta = changes.of(key, MessageKind::Reminder);
            delta.add(Count::Recipients, 1);
            delta.add(Count::Status(MessageStatus::Scheduled), 1);
        }
        self.make_due(due).await
    }
}
