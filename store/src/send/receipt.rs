//! What providers report of messages, in any order and as often as they like.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use chrono_tz::Tz;
use domain::campaign::{
    CampaignContent, Count, MessageKind, MessageStatus, PartStates, Receipt, ReceiptStatus,
};
use domain::date_range::day_of;
use sea_orm::FromQueryResult;
use uuid::Uuid;

use super::drive::DueKey;
use super::due::{CARRIED_BY, Carrier, MAKE_DUE, NewDue, Routes};
use super::tally::{Changes, Counted};
use super::{CampaignKey, MessageKey};
use crate::tx::{BatchStatement, JsonText, Parsed, Sql, Statement, batch_row, statement, values};
use crate::{Error, Result, Store, Tx};

/// A receipt of a message that is known.
#[derive(Clone, Debug)]
pub struct NewReceipt {
    pub account_id: Uuid,
    pub message_id: Uuid,
    /// Who reports. Of a message that another sender carries it changes nothing.
    pub sender: String,
    /// When what it is of was scheduled, in microseconds since 1970. `None`: it does not tell.
    pub attempt: Option<i64>,
    /// `None`: of all parts.
    pub part: Option<usize>,
    pub status: ReceiptStatus,
    pub code: Option<String>,
}

impl NewReceipt {
    fn carrier(&self) -> Carrier {
        Carrier {
            message: self.message(),
            sender: self.sender.clone(),
        }
    }

    fn message(&self) -> MessageKey {
        MessageKey {
            account_id: self.account_id,
            message_id: self.message_id,
        }
    }
}

/// Messages that the senders of these receipts carry.
const LOCK: &BatchStatement<Carrier> = statement!(Carrier lock "FOR NO KEY UPDATE OF m":
    "SELECT m.account_id, m.message_id, m.campaign_id, m.kind, m.status, m.parts, m.part_states, m.code, m.accepted_day, batch.sender,
            m.answered_at IS NOT NULL AS is_answered, l.form_id, l.bus_prop_ids, a.time_zone
       FROM batch JOIN message m ON m.account_id = batch.account_id AND m.message_id = batch.message_id
       JOIN campaign c ON c.account_id = m.account_id AND c.campaign_id = m.campaign_id AND coalesce(m.sender, c.sender) = batch.sender
       JOIN account a ON a.account_id = batch.account_id
       LEFT JOIN link l ON l.account_id = m.account_id AND l.link_id = m.link_id ORDER BY m.account_id, m.message_id"
);

/// A message with its receipts so far.
#[derive(FromQueryResult)]
struct LockedMessage {
    #[sea_orm(nested)]
    key: MessageKey,
    #[sea_orm(nested)]
    campaign: CampaignKey,
    #[sea_orm(nested)]
    counted: Counted,
    part_states: Parsed<PartStates>,
    accepted_day: Option<NaiveDate>,
    /// Who carries it.
    sender: String,
    time_zone: Parsed<Tz>,
    /// Of what made its status.
    code: Option<String>,
}

batch_row! {
    /// What a receipt says of a message as a whole.
    struct Reported {
        by: Carrier,
        is_delivered: bool,
        /// It proves that the message was sent. (One that failed is sent again, as somebody asked for.)
        is_sent: bool,
    }
}

/// The campaigns of delivered messages, and the messages that are scheduled although they were handed over before. One that did not
/// arrive was sent, as everybody knew.
const CAMPAIGNS: &BatchStatement<Reported> = statement!(Reported:
    "SELECT DISTINCT m.account_id, m.campaign_id, CASE WHEN m.status = 'scheduled' THEN m.message_id END AS again
       FROM batch JOIN message m ON m.account_id = batch.account_id AND m.message_id = batch.message_id
       JOIN campaign c ON c.account_id = m.account_id AND c.campaign_id = m.campaign_id
      WHERE coalesce(m.sender, c.sender) = batch.sender
        AND (batch.is_delivered OR batch.is_sent AND m.status = 'scheduled' AND m.part_states <> ''
                                   AND m.part_states NOT LIKE '%u%' AND m.part_states NOT LIKE '%e%')
      ORDER BY m.account_id, m.campaign_id, again"
);

#[derive(FromQueryResult)]
struct ReportedCampaign {
    #[sea_orm(nested)]
    key: CampaignKey,
    again: Option<Uuid>,
}

const OPEN_CAMPAIGN: &Statement = statement!(lock "FOR SHARE":
    "SELECT content, senders IS NOT NULL AS names_several FROM campaign
      WHERE account_id = $1 AND campaign_id = $2 AND status IN ('RUNNING', 'PAUSED')"
);

#[derive(FromQueryResult)]
struct OpenCampaign {
    content: JsonText<CampaignContent>,
    names_several: bool,
}

impl OpenCampaign {
    fn routes(&self) -> Routes<'_> {
        Routes {
            content: &self.content.0,
            names_several: self.names_several,
        }
    }
}

macro_rules! delete_unclaimed {
    () => {
        "DELETE FROM message_due WHERE account_id = $1 AND campaign_id = $2 AND message_id = $3 AND fence = 0"
    };
}

/// The key of this row begins with the moment at which the message is due, which stands nowhere else. SQLite, which has one writer, would
/// look at all that waits of the campaign. So it tries the moments at which anything is due, the first of which is the one for which the
/// message is scheduled: most are due then, or when the next window opens.
const DELETE_UNCLAIMED: &Statement = statement!(
    postgres: delete_unclaimed!();
    sqlite: "WITH RECURSIVE moment (due_at) AS (
                    SELECT scheduled_at FROM message WHERE account_id = $1 AND message_id = $3
                     UNION ALL
                    SELECT (SELECT min(later.due_at) FROM message_due later
                             WHERE later.account_id = $1 AND later.campaign_id = $2 AND later.due_at > moment.due_at)
                      FROM moment
                     WHERE moment.due_at IS NOT NULL AND NOT EXISTS (
                           SELECT 1 FROM message_due d
                            WHERE d.account_id = $1 AND d.campaign_id = $2 AND d.due_at = moment.due_at AND d.message_id = $3)
                     LIMIT 1000) ",
            delete_unclaimed!(), " AND due_at IN (SELECT due_at FROM moment)"
);
/// The same of a message that is due earlier, or more than a thousand such moments later.
const DELETE_UNCLAIMED_ANYWHERE: &Statement = statement!(sqlite: delete_unclaimed!());

batch_row! {
    /// A message as its receipts have it.
    struct ReportedMessage {
        message: MessageKey,
        status: &'static str,
        part_states: String,
        code: Option<String>,
        /// As it was before it was scheduled again, where it is not any more.
        scheduled_at: Option<DateTime<Utc>>,
        delivered_at: Option<DateTime<Utc>>,
        accepted_at: Option<DateTime<Utc>>,
        accepted_day: Option<NaiveDate>,
    }
}

const UPDATE: &BatchStatement<ReportedMessage> = statement!(ReportedMessage:
    "UPDATE message AS m SET status = batch.status, part_states = batch.part_states, code = batch.code,
            scheduled_at = coalesce(batch.scheduled_at, m.scheduled_at), delivered_at = coalesce(m.delivered_at, batch.delivered_at),
            accepted_at = coalesce(m.accepted_at, batch.accepted_at), accepted_day = coalesce(m.accepted_day, batch.accepted_day)
       FROM batch WHERE m.account_id = batch.account_id AND m.message_id = batch.message_id"
);

batch_row! {
    /// The reminder of a first message.
    struct DueReminder {
        account_id: Uuid,
        first_id: Uuid,
        message_id: Uuid,
        scheduled_at: DateTime<Utc>,
    }
}

const NEW_REMINDER: &BatchStatement<DueReminder> = statement!(DueReminder:
    "INSERT INTO message (account_id, campaign_id, message_id, link_id, docid, kind, status, phone_mac, scheduled_at)
     SELECT f.account_id, f.campaign_id, batch.message_id, f.message_id, f.docid, 'reminder', 'scheduled', f.phone_mac,
            batch.scheduled_at
       FROM batch JOIN message f ON f.account_id = batch.account_id AND f.message_id = batch.first_id
      WHERE true ON CONFLICT DO NOTHING RETURNING message_id"
);

const PHONES: &BatchStatement<MessageKey> = statement!(MessageKey:
    "SELECT m.message_id, r.phone FROM batch
       JOIN message m ON m.account_id = batch.account_id AND m.message_id = batch.message_id
       JOIN recipient r ON r.account_id = m.account_id AND r.docid = m.docid
      WHERE r.phone IS NOT NULL"
);

#[derive(FromQueryResult)]
struct PhoneOfMessage {
    message_id: Uuid,
    phone: String,
}

batch_row! {
    struct KeptReceipt {
        message: MessageKey,
        part: i64,
        status: &'static str,
        code: Option<String>,
        received_at: DateTime<Utc>,
    }
}

const KEEP: &BatchStatement<KeptReceipt> = statement!(KeptReceipt:
    "INSERT INTO receipt ({columns}) SELECT {columns} FROM batch WHERE true ON CONFLICT DO NOTHING"
);
/// What stands for all parts.
pub(super) const ALL_PARTS: i64 = -1;

const OF_RECIPIENT: &Statement = statement!(
    "SELECT message_id, part, status, code, received_at FROM receipt
      WHERE account_id = $1 AND message_id IN (SELECT message_id FROM message WHERE account_id = $1 AND docid = $2)
      ORDER BY received_at, part, status"
);

#[derive(FromQueryResult)]
struct ReceiptRow {
    message_id: Uuid,
    part: i64,
    status: Parsed<ReceiptStatus>,
    code: Option<String>,
    received_at: DateTime<Utc>,
}

impl Store {
    /// Stores receipts in one transaction. Those of unknown messages, and of messages that another sender carries, are left out.
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
        let rows: Vec<ReceiptRow> = self
            .fetch_all(OF_RECIPIENT, values![account_id, docid])
            .await?;
        let mut receipts: HashMap<Uuid, Vec<Receipt>> = HashMap::new();
        for row in rows {
            let of_message = receipts.entry(row.message_id).or_default();
            of_message.push(Receipt {
                part: Some(row.part).filter(|part| *part != ALL_PARTS),
                status: row.status.0,
                code: row.code,
                received_at: row.received_at,
            });
        }
        Ok(receipts)
    }

    async fn try_receipts(&self, receipts: &[NewReceipt]) -> Result<()> {
        let tx = self.begin_by_keys().await?;
        let now = tx.now().await?;
        let (campaigns, sent_after_all) = tx.lock_campaigns(receipts).await?;
        let mut messages = tx.lock_messages(receipts).await?;
        let locked = messages.keys();
        let locked = locked.filter(|key| sent_after_all.contains(&key.message_id));
        if locked.count() < sent_after_all.len() {
            // After its row of `message_due` was found, and before it was locked.
            return Err(Error::Conflict("a message went to another sender".into()));
        }
        let mut kept = Vec::new();
        for receipt in receipts {
            let key = receipt.message();
            let message = messages.get_mut(&key);
            if let Some(message) = message.filter(|message| message.sender == receipt.sender) {
                let states = &mut message.part_states.0;
                // What was overridden does not stay.
                if states.record(receipt.part, receipt.status) {
                    message.code.clone_from(&receipt.code);
                }
                let part = receipt.part.map_or(Ok(ALL_PARTS), i64::try_from);
                kept.push(KeptReceipt {
                    message: key,
                    part: part.map_err(Error::broken)?,
                    status: receipt.status.into_str(),
                    code: receipt.code.clone(),
                    received_at: now,
                });
            }
        }
        let attempts = receipts.iter();
        let attempts = attempts.filter_map(|receipt| Some((receipt.message(), receipt.attempt?)));
        let attempts: BTreeMap<MessageKey, i64> = attempts.collect();
        let mut changes = Changes::default();
        let (mut rows, mut delivered) = (Vec::new(), Vec::new());
        for message in messages.into_values() {
            let message_id = message.key.message_id;
            let (key, counted) = (message.campaign, &message.counted);
            let (mut before, mut scheduled_at) = (counted.before.0, None);
            if sent_after_all.contains(&message_id) {
                // As if it had never been scheduled again.
                before = MessageStatus::Unknown;
                let attempt = attempts.get(&message.key);
                scheduled_at = attempt.and_then(|at| DateTime::from_timestamp_micros(*at));
                let delta = changes.of(key, counted.kind.0);
                delta.add(Count::Parts, counted.parts);
            }
            let after = message.part_states.0.status(before);
            // A receipt may be the first to say that the provider has it.
            let accepted_at = after.is_accepted().then_some(now);
            let today = accepted_at.map(|at| day_of(at, message.time_zone.0));
            let accepted_day = message.accepted_day.or(today);
            changes.count_change(key, counted, after, accepted_day);
            let delivered_at = (after == MessageStatus::Delivered).then_some(now);
            if after == MessageStatus::Delivered
                && counted.before.0 != after
                && counted.kind.0 == MessageKind::First
                && let Some(campaign) = campaigns.get(&key)
            {
                delivered.push((key, message_id, campaign.routes()));
            }
            rows.push(ReportedMessage {
                message: message.key,
                status: after.into_str(),
                part_states: message.part_states.0.as_str().to_owned(),
                code: message.code,
                scheduled_at,
                delivered_at,
                accepted_at,
                accepted_day,
            });
        }
        if rows.is_empty() {
            return Ok(());
        }
        tx.execute_batch(UPDATE, rows).await?;
        tx.execute_batch(KEEP, kept).await?;
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
    ) -> Result<(HashMap<CampaignKey, OpenCampaign>, HashSet<Uuid>)> {
        let reported = receipts.iter().map(|receipt| {
            let is_delivered = receipt.status == ReceiptStatus::Delivered;
            Reported {
                by: receipt.carrier(),
                is_delivered,
                is_sent: is_delivered || receipt.status == ReceiptStatus::Accepted,
            }
        });
        let rows: Vec<ReportedCampaign> = self.fetch_batch(CAMPAIGNS, reported.collect()).await?;
        let mut campaigns: BTreeMap<CampaignKey, Vec<Uuid>> = BTreeMap::new();
        for row in rows {
            campaigns.entry(row.key).or_default().extend(row.again);
        }
        let (mut open, mut sent_after_all) = (HashMap::new(), HashSet::new());
        for (key, again) in campaigns {
            if let Some(campaign) = self.fetch_one(OPEN_CAMPAIGN, values![key]).await? {
                open.insert(key, campaign);
                for message_id in again {
                    if self.delete_unclaimed(key, message_id).await? {
                        sent_after_all.insert(message_id);
                    }
                }
            }
        }
        Ok((open, sent_after_all))
    }

    /// Takes a scheduled message out of what waits. `false`: it is being handed over.
    pub(crate) async fn delete_unclaimed(
        &self,
        key: CampaignKey,
        message_id: Uuid,
    ) -> Result<bool> {
        let values = || values![key, message_id];
        let mut deleted = self.execute(DELETE_UNCLAIMED, values()).await?;
        if deleted == 0 && self.is_sqlite() {
            deleted = self.execute(DELETE_UNCLAIMED_ANYWHERE, values()).await?;
        }
        Ok(deleted > 0)
    }

    async fn lock_messages(
        &self,
        receipts: &[NewReceipt],
    ) -> Result<BTreeMap<MessageKey, LockedMessage>> {
        let carriers: BTreeSet<Carrier> = receipts.iter().map(NewReceipt::carrier).collect();
        let carriers: Vec<Carrier> = carriers.into_iter().collect();
        let mut messages: Vec<LockedMessage> = self.fetch_batch(LOCK, carriers.clone()).await?;
        // Where it waited for a claim, PostgreSQL shows the message as it is now, and its link as it was before: none. That happens after
        // a failover, when a message that was handed over is claimed again while its receipt comes.
        if messages.iter().any(|message| !message.counted.has_link()) {
            messages = self.fetch_batch(LOCK, carriers).await?;
        }
        let messages = messages.into_iter();
        Ok(messages.map(|message| (message.key, message)).collect())
    }

    /// Plans reminders of first messages: of each its campaign, id, and the campaign's senders.
    pub(super) async fn plan_reminders(
        &self,
        messages: &[(CampaignKey, Uuid, Routes<'_>)],
        now: DateTime<Utc>,
        changes: &mut Changes,
    ) -> Result<()> {
        let (mut rows, mut planned) = (Vec::new(), HashMap::new());
        for (key, first_id, routes) in messages {
            if let Some(reminder) = &routes.content.reminder {
                let row = DueReminder {
                    account_id: key.account_id,
                    first_id: *first_id,
                    message_id: Uuid::now_v7(),
                    scheduled_at: now + TimeDelta::days(reminder.after_days.into()),
                };
                let due = DueKey {
                    campaign: *key,
                    due_at: row.scheduled_at,
                    message_id: row.message_id,
                };
                planned.insert(row.message_id, (due, *first_id, *routes));
                rows.push(row);
            }
        }
        let mut new = Vec::new();
        for message_id in self.fetch_batch_values(NEW_REMINDER, rows).await? {
            let Some((key, first_id, routes)) = planned.remove(&message_id) else {
                continue;
            };
            let delta = changes.of(key.campaign, MessageKind::Reminder);
            delta.add(Count::Recipients, 1);
            delta.add(Count::Status(MessageStatus::Scheduled), 1);
            new.push((key, first_id, routes));
        }
        let of_several = new.iter().filter(|(_, _, routes)| routes.names_several);
        let of_several = of_several.map(|(key, ..)| key.message()).collect();
        let phones: Vec<PhoneOfMessage> = self.fetch_batch(PHONES, of_several).await?;
        let phones = phones.into_iter().map(|row| (row.message_id, row.phone));
        let phones: HashMap<Uuid, String> = phones.collect();
        let (mut due, mut carriers) = (Vec::new(), Vec::new());
        for (key, first_id, routes) in new {
            let message = key.message();
            let phone = phones.get(&message.message_id).map(String::as_str);
            let route = routes.to(phone.unwrap_or_default());
            let sender = route.own();
            carriers.extend(sender.map(|sender| Carrier { message, sender }));
            due.push(NewDue {
                link_id: Some(first_id),
                ..route.due(key)
            });
        }
        self.execute_batch(CARRIED_BY, carriers).await?;
        self.execute_batch(MAKE_DUE, due).await
    }
}
