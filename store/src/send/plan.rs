//! Planning: from recipients to messages that are due. Each docid and each phone gets one message of a campaign; what else may keep
//! it from being sent is judged when it is taken to be sent.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use domain::campaign::{
    Audience, CampaignContent, Count, Counts, MessageKind, MessageStatus, SkipReason,
};
use domain::pepper::Pepper;
use domain::sms;
use entity::recipient;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect};
use uuid::Uuid;

use super::drive::DueKey;
use super::tally::Changes;
use super::{Campaign, CampaignKey, MessageKey, REASONS};
use crate::erasure::DocIdKeys;
use crate::import::{Claim, RecipientQuery};
use crate::tx::{BatchStatement, Parsed, Sql, Statement, batch_row, statement, values};
use crate::{Error, Result, Store, Tx};

batch_row! {
    struct CampaignDocid {
        campaign: CampaignKey,
        docid: String,
    }
}

/// Which docids have their message. The index is without tests; SQLite takes it only if the statement says so too.
const WITH_MESSAGE: &BatchStatement<CampaignDocid> = statement!(CampaignDocid:
    "SELECT (SELECT m.docid FROM message m
              WHERE m.account_id = batch.account_id AND m.campaign_id = batch.campaign_id AND m.kind = 'first' AND m.kind <> 'test'
                AND m.docid = batch.docid) AS docid FROM batch"
);

/// Whether people were erased who had their message: their stand-ins begin with [`ERASED`](domain::docid::ERASED).
const ANY_ERASED: &Statement = statement!(
    "SELECT 1 FROM message
      WHERE account_id = $1 AND campaign_id = $2 AND kind = 'first' AND kind <> 'test'
        AND docid >= '\u{1}' AND docid < '\u{2}' LIMIT 1"
);

batch_row! {
    /// A first message, whose link has its id.
    #[derive(Clone)]
    struct FirstMessage {
        campaign: CampaignKey,
        message_id: Uuid,
        docid: String,
        /// `None` of one that is in no other's way.
        phone_mac: Option<Vec<u8>>,
        scheduled_at: DateTime<Utc>,
        status: &'static str,
        reason: Option<&'static str>,
    }
}

impl FirstMessage {
    /// `None`: it is to be sent.
    fn skip(&mut self, reason: Option<SkipReason>) {
        let status = match reason {
            Some(_) => MessageStatus::Skipped,
            None => MessageStatus::Scheduled,
        };
        self.status = status.into_str();
        self.reason = reason.map(|reason| reason.into_str());
    }
}

/// What is in the way is left out: a message of the docid, or, of one that is not skipped for it, of the phone. (To look first which
/// phones have one would be a plan of PostgreSQL's choice: without statistics it read the whole campaign for each.)
const NEW_MESSAGE: &BatchStatement<FirstMessage> = statement!(FirstMessage:
    "INSERT INTO message (account_id, campaign_id, message_id, link_id, docid, kind, phone_mac, scheduled_at, status, reason)
     SELECT account_id, campaign_id, message_id, message_id, docid, 'first', phone_mac, scheduled_at, status, reason
       FROM batch WHERE true ON CONFLICT DO NOTHING RETURNING message_id"
);

batch_row! {
    /// The phone of a message under an older pepper.
    struct OlderPhone {
        campaign: CampaignKey,
        message_id: Uuid,
        phone_mac: Vec<u8>,
    }
}

/// Those whose phone has a message under an older pepper.
const WITH_OLDER_PHONE: &BatchStatement<OlderPhone> = statement!(OlderPhone:
    "SELECT batch.message_id FROM batch
       JOIN message o ON o.account_id = batch.account_id AND o.campaign_id = batch.campaign_id AND o.kind = 'first'
        AND o.phone_mac = batch.phone_mac
      WHERE o.kind <> 'test' AND o.reason IS DISTINCT FROM 'duplicate_phone'"
);

batch_row! {
    /// A message that is due at a moment.
    pub(super) struct NewDue {
        key: DueKey,
        sender: String,
    }
}

pub(super) const MAKE_DUE: &BatchStatement<NewDue> = statement!(NewDue:
    "INSERT INTO message_due ({columns}) SELECT {columns} FROM batch"
);

batch_row! {
    struct ImportedDocid {
        account_id: Uuid,
        docid: String,
    }
}

const IMPORTED: &BatchStatement<ImportedDocid> = statement!(ImportedDocid:
    "SELECT r.docid, r.phone, r.fields ->> 'time_zone' AS more
       FROM batch JOIN recipient r ON r.account_id = batch.account_id AND r.docid = batch.docid WHERE r.phone IS NOT NULL"
);

/// Messages for which the campaign had no place left, in the order in which they were planned.
const LEFT_OUT: &Statement = statement!(
    "SELECT m.message_id, r.phone, r.fields ->> 'time_zone' AS time_zone
       FROM message m LEFT JOIN recipient r ON r.account_id = m.account_id AND r.docid = m.docid
      WHERE m.account_id = $1 AND m.campaign_id = $2 AND m.reason = 'limit_reached' ORDER BY m.message_id LIMIT $3"
);

#[derive(FromQueryResult)]
struct LeftOut {
    message_id: Uuid,
    phone: Option<String>,
    time_zone: Option<String>,
}

batch_row! {
    /// A message that was skipped and is scheduled after all.
    pub(super) struct Readmitted {
        message: MessageKey,
        scheduled_at: DateTime<Utc>,
    }
}

pub(super) const READMIT: &BatchStatement<Readmitted> = statement!(Readmitted:
    "UPDATE message AS m SET status = 'scheduled', reason = NULL, scheduled_at = batch.scheduled_at
       FROM batch WHERE m.account_id = batch.account_id AND m.message_id = batch.message_id"
);

/// Whom a batch names and who was erased after it was accepted. The rows are there while a batch of before is open.
const ERASED_SINCE: &Statement =
    statement!("SELECT docid FROM erasure WHERE account_id = $1 AND seq > $2");

const TO_PLAN: &Statement = statement!(accounts "account_id = ANY($1)":
    "SELECT account_id, campaign_id FROM campaign WHERE status IN ('RUNNING', 'PAUSED') AND (NOT planned OR moved_to IS NOT NULL)";
    "ORDER BY account_id, campaign_id"
);

pub(super) const TIME_ZONE: &Statement =
    statement!("SELECT time_zone FROM account WHERE account_id = $1");

/// A recipient of an account.
#[derive(FromQueryResult)]
pub(super) struct PlannedRecipient {
    pub(super) docid: String,
    /// `None`: it is not of the audience.
    pub(super) phone: Option<String>,
    /// One more column: the time zone, or all fields as JSON.
    pub(super) more: Option<String>,
}

impl Store {
    /// Campaigns whose audience is not planned yet, or whose messages do not all have their place.
    pub async fn campaigns_to_plan(&self) -> Result<Vec<CampaignKey>> {
        self.scan(TO_PLAN, vec![]).await
    }

    /// Plans the next slice of a campaign's audience, or moves the next of what waits. How many recipients or messages were looked
    /// at; `None`: nothing is left to plan.
    ///
    /// # Errors
    /// Doing it again is safe.
    pub async fn plan_audience(&self, key: CampaignKey, pepper: &Pepper) -> Result<Option<u64>> {
        self.retry(|| self.try_plan(key, pepper)).await
    }

    async fn try_plan(&self, key: CampaignKey, pepper: &Pepper) -> Result<Option<u64>> {
        let mut tx = self.begin_by_key().await?;
        let Some(mut row) = tx.lock_campaign(key).await? else {
            return Ok(None);
        };
        let campaign = Campaign::read(&row)?;
        let limit = if self.is_sqlite() { 1_000 } else { 5_000 };
        if campaign.status.is_open() && row.moved_to.is_some() {
            let moved = tx.move_waiting(&mut row, &campaign, limit).await?;
            tx.update(row).await?;
            tx.commit_surely().await?;
            return Ok(Some(moved));
        }
        let is_open = campaign.status.is_open() && !row.planned;
        let Some(started_at) = campaign.started_at.filter(|_| is_open) else {
            return Ok(None);
        };
        // Of whom it had left out nobody is of the audience a second time.
        let readmitted = tx.readmit(key, &campaign.content, limit).await?;
        if readmitted > 0 {
            tx.commit_surely().await?;
            return Ok(Some(readmitted));
        }
        let slice = AudienceSlice {
            account_id: key.account_id,
            after: &row.planned_to,
            limit,
            at: started_at,
        };
        let column = "fields ->> 'time_zone'";
        let recipients = audience(&tx, &campaign.content.audience, column, slice).await?;
        let looked_at = recipients.len() as u64;
        if let Some(last) = recipients.last() {
            row.planned_to.clone_from(&last.docid);
        } else {
            row.planned = true;
            // It is the docid of a person.
            row.planned_to.clear();
        }
        tx.plan(key, &campaign.content, recipients, pepper).await?;
        tx.update(row).await?;
        tx.commit_surely().await?;
        Ok((looked_at > 0).then_some(looked_at))
    }
}

/// Which recipients are looked at, in the order of their docids.
pub(super) struct AudienceSlice<'a> {
    pub(super) account_id: Uuid,
    /// The docid after which they begin.
    pub(super) after: &'a str,
    pub(super) limit: u64,
    /// The moment at which they have to be of the audience.
    pub(super) at: DateTime<Utc>,
}

/// Recipients, each with one more column; a phone have only those who are of the audience.
pub(super) async fn audience(
    database: &impl Sql,
    audience: &Audience,
    column: &'static str,
    slice: AudienceSlice<'_>,
) -> Result<Vec<PlannedRecipient>> {
    let query = match audience.clone() {
        // Its recipients come with imports.
        Audience::OnImport { .. } => return Ok(vec![]),
        Audience::Batches { batch_ids } => RecipientQuery {
            batch_ids: Some(batch_ids),
            ..RecipientQuery::default()
        },
        Audience::Recipients {
            created_from,
            created_to,
            fields,
        } => RecipientQuery {
            created_from,
            created_to,
            fields,
            ..RecipientQuery::default()
        },
    };
    let matches = query.condition(database.get_database_backend());
    let matches = matches.add(recipient::Column::CreatedAt.lte(slice.at));
    let slice = recipient::Entity::find()
        .select_only()
        .column(recipient::Column::Docid)
        .expr_as(
            Expr::case(matches, recipient::Column::Phone.into_expr()),
            "phone",
        )
        .expr_as(Expr::cust(column), "more")
        .filter(recipient::Column::AccountId.eq(slice.account_id))
        .filter(recipient::Column::Docid.gt(slice.after))
        .order_by_asc(recipient::Column::Docid)
        .limit(slice.limit);
    Ok(slice.into_model().all(database).await?)
}

/// What follows from a campaign for its messages.
struct Planning<'a> {
    key: CampaignKey,
    content: &'a CampaignContent,
    account_zone: Tz,
    /// Messages are scheduled from this moment on.
    from: DateTime<Utc>,
}

impl Planning<'_> {
    /// The row of a message that is due once the window of its recipient is open.
    fn due(&self, message_id: Uuid, time_zone: Option<&str>, phone: &str) -> NewDue {
        let zones = sms::zones_for(time_zone, phone, self.account_zone);
        let slot = zones.slot(self.content.send_window.as_ref(), self.from);
        let key = DueKey {
            campaign: self.key,
            due_at: slot.opens_at,
            message_id,
        };
        NewDue {
            key,
            sender: self.content.sender.clone(),
        }
    }
}

impl Tx {
    /// Plans the messages of a stored chunk's recipients for the campaign of its import, if there is one.
    pub async fn plan_chunk(
        &mut self,
        claim: &Claim,
        docids: Vec<&str>,
        pepper: &Pepper,
    ) -> Result<()> {
        let Some(campaign_id) = claim.campaign_id else {
            return Ok(());
        };
        let key = CampaignKey::new(claim.id.account_id, campaign_id);
        let Some(row) = self.lock_campaign(key).await? else {
            return Ok(());
        };
        let campaign = Campaign::read(&row)?;
        if !campaign.status.is_open() {
            return Ok(());
        }
        // An import of later may have brought them back: not for this one's campaign.
        let erased = values![key.account_id, claim.seq];
        let erased: Vec<String> = self.fetch_values(ERASED_SINCE, erased).await?;
        let erased: HashSet<String> = erased.into_iter().collect();
        let docids = docids.into_iter().filter(|docid| !erased.contains(*docid));
        let docids = docids.map(|docid| ImportedDocid {
            account_id: key.account_id,
            docid: docid.to_owned(),
        });
        let recipients = self.fetch_batch(IMPORTED, docids.collect()).await?;
        self.plan(key, &campaign.content, recipients, pepper).await
    }

    /// Plans messages of a campaign, whose row this transaction holds, to recipients of whom some may have theirs.
    async fn plan(
        &self,
        key: CampaignKey,
        content: &CampaignContent,
        mut recipients: Vec<PlannedRecipient>,
        pepper: &Pepper,
    ) -> Result<()> {
        let planning = self.planning(key, content).await?;
        recipients.retain(|recipient| recipient.phone.is_some());
        self.leave_out_erased(key, &mut recipients, pepper).await?;
        let is_asked =
            |recipient: &PlannedRecipient| content.asks(key.campaign_id, &recipient.docid);
        let (mut asked, not_sampled): (Vec<_>, Vec<_>) = recipients.into_iter().partition(is_asked);
        let mut left_out = Vec::new();
        if let Some(left) = self.places_left(key, content).await? {
            let docids = asked.iter().map(|recipient| recipient.docid.as_str());
            let known = self.with_message(key, docids).await?;
            asked.retain(|recipient| !known.contains(&recipient.docid));
            if asked.len() > left {
                left_out = asked.split_off(left);
            }
            // Older programs know no reason for it.
            if !left_out.is_empty() && !self.admits_only_from(REASONS).await? {
                left_out.clear();
            }
        }
        let mut messages = HashMap::new();
        let (mut rows, mut older) = (Vec::new(), Vec::new());
        for (recipients, reason) in [
            (asked, None),
            (left_out, Some(SkipReason::LimitReached)),
            (not_sampled, Some(SkipReason::NotSampled)),
        ] {
            for recipient in recipients {
                let (message_id, Some(phone)) = (Uuid::now_v7(), recipient.phone) else {
                    continue;
                };
                let mut macs = pepper.phone_macs(key.account_id, &phone);
                let mac = macs.next().map(Vec::from);
                older.extend(macs.map(|mac| OlderPhone {
                    campaign: key,
                    message_id,
                    phone_mac: mac.to_vec(),
                }));
                messages.insert(message_id, (reason, phone, recipient.more));
                let mut row = FirstMessage {
                    campaign: key,
                    message_id,
                    docid: recipient.docid,
                    // Who is not asked takes nobody's place.
                    phone_mac: mac.filter(|_| reason != Some(SkipReason::NotSampled)),
                    scheduled_at: planning.from,
                    status: "",
                    reason: None,
                };
                row.skip(reason);
                rows.push(row);
            }
        }
        let older: Vec<Uuid> = self.fetch_batch_values(WITH_OLDER_PHONE, older).await?;
        let older: HashSet<Uuid> = older.into_iter().collect();
        let new = rows.iter().filter(|row| !older.contains(&row.message_id));
        let new = new.cloned().collect();
        let (mut due, mut counts) = (Vec::new(), BTreeMap::<Count, i64>::new());
        for message_id in self.fetch_batch_values(NEW_MESSAGE, new).await? {
            let Some((reason, phone, zone)) = messages.remove(&message_id) else {
                continue;
            };
            let scheduled = Count::Status(MessageStatus::Scheduled);
            *counts
                .entry(reason.map_or(scheduled, Count::Skipped))
                .or_default() += 1;
            if reason.is_none() {
                due.push(planning.due(message_id, zone.as_deref(), &phone));
            }
        }
        // Of the others some have the phone of a message.
        rows.retain(|row| messages.contains_key(&row.message_id));
        let twice = SkipReason::DuplicatePhone;
        for row in &mut rows {
            row.skip(Some(twice));
        }
        let skipped: Vec<Uuid> = self.fetch_batch_values(NEW_MESSAGE, rows).await?;
        let skipped = i64::try_from(skipped.len()).map_err(Error::broken)?;
        counts.insert(Count::Skipped(twice), skipped);
        let mut changes = Changes::default();
        let delta = changes.of(key, MessageKind::First);
        for (count, messages) in counts {
            delta.add(count, messages);
            delta.add(Count::Recipients, messages);
        }
        self.execute_batch(MAKE_DUE, due).await?;
        self.append_counts(changes).await
    }

    /// Plans the next of those for whom a campaign, whose row this transaction holds, had no place left, as far as it has some now.
    /// How many.
    async fn readmit(
        &self,
        key: CampaignKey,
        content: &CampaignContent,
        limit: u64,
    ) -> Result<u64> {
        let left = self.places_left(key, content).await?.unwrap_or(usize::MAX);
        let most = i64::try_from(left).unwrap_or(i64::MAX);
        let most = most.min(i64::try_from(limit).unwrap_or(i64::MAX));
        let left_out: Vec<LeftOut> = self.fetch_all(LEFT_OUT, values![key, most]).await?;
        if left_out.is_empty() {
            return Ok(0);
        }
        let planning = self.planning(key, content).await?;
        let mut changes = Changes::default();
        let delta = changes.of(key, MessageKind::First);
        let (mut due, mut readmitted) = (Vec::new(), Vec::new());
        for message in &left_out {
            let scheduled = Count::Status(MessageStatus::Scheduled);
            let moved = Counts::moved(Count::Skipped(SkipReason::LimitReached), scheduled);
            delta.merge(&moved);
            let phone = message.phone.as_deref().unwrap_or_default();
            due.push(planning.due(message.message_id, message.time_zone.as_deref(), phone));
            readmitted.push(Readmitted {
                message: MessageKey {
                    account_id: key.account_id,
                    message_id: message.message_id,
                },
                scheduled_at: planning.from,
            });
        }
        self.execute_batch(READMIT, readmitted).await?;
        self.execute_batch(MAKE_DUE, due).await?;
        self.append_counts(changes).await?;
        Ok(left_out.len() as u64)
    }

    /// How many more messages a campaign may plan; `None`: any number.
    async fn places_left(
        &self,
        key: CampaignKey,
        content: &CampaignContent,
    ) -> Result<Option<usize>> {
        let Some(most) = content.max_messages else {
            return Ok(None);
        };
        let first = self.counts(key).await?.first;
        let has_none = [SkipReason::LimitReached, SkipReason::NotSampled];
        let has_none: i64 = has_none
            .map(|reason| first.get(Count::Skipped(reason)))
            .iter()
            .sum();
        let planned = first.get(Count::Recipients) - has_none;
        let left = most.saturating_sub(u64::try_from(planned).unwrap_or_default());
        Ok(Some(usize::try_from(left).unwrap_or(usize::MAX)))
    }

    async fn planning<'a>(
        &self,
        key: CampaignKey,
        content: &'a CampaignContent,
    ) -> Result<Planning<'a>> {
        let zone = self.fetch_value(TIME_ZONE, values![key.account_id]).await?;
        let Parsed(account_zone) =
            zone.ok_or_else(|| Error::broken("a campaign without an account"))?;
        let from = self.now().await? + TimeDelta::minutes(content.delay_minutes.into());
        Ok(Planning {
            key,
            content,
            account_zone,
            from: content.starts_at.map_or(from, |starts| starts.max(from)),
        })
    }

    /// Leaves out people who had their message before they were erased, and whom an import brought back.
    async fn leave_out_erased(
        &self,
        key: CampaignKey,
        recipients: &mut Vec<PlannedRecipient>,
        pepper: &Pepper,
    ) -> Result<()> {
        let any: Option<i32> = self.fetch_value(ANY_ERASED, values![key]).await?;
        if any.is_none() {
            return Ok(());
        }
        let docid_key = self.docid_key().await?;
        let stand_ins = |recipient: &PlannedRecipient| {
            let own = docid_key.erased_docid(key.account_id, &recipient.docid);
            let others = pepper.erased_docids(key.account_id, &recipient.docid);
            others.chain([own]).collect::<Vec<_>>()
        };
        let all = recipients.iter().flat_map(stand_ins);
        let known = self.with_message(key, all).await?;
        recipients.retain(|recipient| {
            let mut stand_ins = stand_ins(recipient).into_iter();
            !stand_ins.any(|stand_in| known.contains(&stand_in))
        });
        Ok(())
    }

    /// Which of these docids have their first message.
    async fn with_message<D: Into<String>>(
        &self,
        key: CampaignKey,
        docids: impl Iterator<Item = D>,
    ) -> Result<HashSet<String>> {
        let docids = docids.map(|docid| CampaignDocid {
            campaign: key,
            docid: docid.into(),
        });
        let known = self.fetch_batch_values(WITH_MESSAGE, docids.collect());
        let known: Vec<Option<String>> = known.await?;
        Ok(known.into_iter().flatten().collect())
    }
}
