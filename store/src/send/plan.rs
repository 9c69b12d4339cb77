//! Planning: from recipients to messages that are due. Each docid and each phone gets one message of a campaign; what else may keep
//! it from being sent is judged when it is taken to be sent.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use domain::campaign::{Audience, CampaignContent, Count, MessageKind, MessageStatus, SkipReason};
use domain::pepper::Pepper;
use domain::sms;
use entity::recipient;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect, Value,
};
use uuid::Uuid;

use super::tally::Changes;
use super::{Campaign, CampaignKey};
use crate::erasure::DocIdKeys;
use crate::import::{Claim, RecipientQuery};
use crate::tx::{Sql, parsed, read, tuples, values};
use crate::{Error, Result, Store, Tx};

/// Which docids have their message. The index is without tests; SQLite takes it only if the statement says so too.
const KNOWN: &str = "WITH g(a, c, d) AS (ROWS) SELECT (SELECT docid FROM message
      WHERE account_id = g.a AND campaign_id = g.c AND kind = 'first' AND kind <> 'test' AND docid = g.d) AS docid FROM g";

/// Whether people were erased who had their message: their stand-ins begin with [`ERASED`](domain::docid::ERASED).
const ANY_ERASED: &str = "SELECT 1 FROM message
      WHERE account_id = $1 AND campaign_id = $2 AND kind = 'first' AND kind <> 'test'
        AND docid >= '\u{1}' AND docid < '\u{2}' LIMIT 1";

/// What is in the way is left out: a message of the docid, or, of one that is not skipped for it, of the phone. (To look first which
/// phones have one would be a plan of PostgreSQL's choice: without statistics it read the whole campaign for each.)
const INSERT: &str = "WITH g(a, c, m, d, p, t, s, r) AS (ROWS) INSERT INTO message
            (account_id, campaign_id, message_id, link_id, docid, kind, phone_mac, scheduled_at, status, reason)
     SELECT g.a, g.c, g.m, g.m, g.d, 'first', g.p, g.t, g.s, g.r FROM g WHERE true ON CONFLICT DO NOTHING RETURNING message_id";

/// Phones that have a message under an older pepper.
const OLDER: &str = "WITH g(a, c, m, p) AS (ROWS) SELECT g.m FROM g
       JOIN message o ON o.account_id = g.a AND o.campaign_id = g.c AND o.kind = 'first' AND o.phone_mac = g.p
      WHERE o.kind <> 'test' AND o.reason IS DISTINCT FROM 'duplicate_phone'";

const DUE: &str = "WITH g(a, c, m, t, s) AS (ROWS)
     INSERT INTO message_due (account_id, campaign_id, message_id, due_at, sender) SELECT * FROM g";

const IMPORTED: &str =
    "WITH g(a, d) AS (ROWS) SELECT r.docid, r.phone, r.fields ->> 'time_zone' AS more
       FROM g JOIN recipient r ON r.account_id = g.a AND r.docid = g.d WHERE r.phone IS NOT NULL";

/// Whom a batch names and who was erased after it was accepted. The rows are there while a batch of before is open.
const ERASED_SINCE: &str = "SELECT docid FROM erasure WHERE account_id = $1 AND seq > $2";

/// A recipient of an account.
#[derive(FromQueryResult)]
pub(super) struct Recipient {
    pub(super) docid: String,
    /// `None`: it is not of the audience.
    pub(super) phone: Option<String>,
    /// One more column: the time zone, or all fields as JSON.
    pub(super) more: Option<String>,
}

impl Store {
    /// Campaigns whose audience is not planned yet.
    pub async fn campaigns_to_plan(&self) -> Result<Vec<CampaignKey>> {
        let open = "SELECT account_id, campaign_id FROM campaign
                     WHERE status IN ('RUNNING', 'PAUSED') AND NOT planned ORDER BY account_id, campaign_id";
        read(&self.rows(open, vec![]).await?)
    }

    /// Plans the next slice of a campaign's audience. How many recipients were looked at; `None`: nothing is left to plan.
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
        let is_open = campaign.is_open() && !row.planned;
        let Some(started_at) = campaign.started_at.filter(|_| is_open) else {
            return Ok(None);
        };
        let slice = AudienceSlice {
            account_id: key.account_id,
            after: &row.planned_to,
            limit: if self.is_sqlite() { 1_000 } else { 5_000 },
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
        tx.update_campaign(row).await?;
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
) -> Result<Vec<Recipient>> {
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
            batch_ids: None,
            created_from,
            created_to,
            fields,
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
        if !campaign.is_open() {
            return Ok(());
        }
        // An import of later may have brought them back: not for this one's campaign.
        let erased = values![key.account_id, claim.seq];
        let erased: HashSet<String> = self.all(ERASED_SINCE, erased).await?.into_iter().collect();
        let docids = docids.into_iter().filter(|docid| !erased.contains(*docid));
        let docids = docids.map(|docid| values![key.account_id, docid]);
        let rows = self.for_rows(IMPORTED, docids.collect()).await?;
        self.plan(key, &campaign.content, read(&rows)?, pepper)
            .await
    }

    /// Plans messages of a campaign, whose row this transaction holds, to recipients of whom some may have theirs.
    async fn plan(
        &self,
        key: CampaignKey,
        content: &CampaignContent,
        mut recipients: Vec<Recipient>,
        pepper: &Pepper,
    ) -> Result<()> {
        let zone = "SELECT time_zone FROM account WHERE account_id = $1";
        let zone = self.row(zone, values![key.account_id]).await?;
        let zone = zone.ok_or_else(|| Error::broken("a campaign without an account"))?;
        let account_zone: Tz = parsed(&zone, "time_zone")?;
        // Messages are scheduled from this moment on.
        let from = self.now().await? + TimeDelta::minutes(content.delay_minutes.into());
        let from = content.starts_at.map_or(from, |starts| starts.max(from));
        recipients.retain(|recipient| recipient.phone.is_some());
        self.leave_out_erased(key, &mut recipients, pepper).await?;
        if let Some(most) = content.max_messages {
            let docids = recipients.iter().map(|recipient| recipient.docid.as_str());
            let known = self.with_message(key, docids).await?;
            recipients.retain(|recipient| !known.contains(&recipient.docid));
            let planned = self.counts(key).await?.first.get(Count::Recipients);
            let left = most.saturating_sub(u64::try_from(planned).unwrap_or_default());
            recipients.truncate(usize::try_from(left).unwrap_or(usize::MAX));
        }
        let mut messages = HashMap::with_capacity(recipients.len());
        let mut older = Vec::new();
        let rows = recipients.into_iter().filter_map(|recipient| {
            let (message_id, phone) = (Uuid::now_v7(), recipient.phone?);
            let mac = pepper.phone_mac(key.account_id, &phone).to_vec();
            let macs = pepper.phone_macs(key.account_id, &phone).skip(1);
            older.extend(macs.map(|mac| values![key, message_id, mac.to_vec()]));
            messages.insert(message_id, (phone, recipient.more));
            let row = values![key, message_id, recipient.docid, mac, from];
            Some((message_id, row))
        });
        let mut rows: Vec<(Uuid, Vec<Value>)> = rows.collect();
        let mut changes = Changes::default();
        let delta = changes.of(key, MessageKind::First);
        let mut due = Vec::new();
        let older = self.for_rows(OLDER, older).await?;
        let older: HashSet<Uuid> = tuples(&older)?.into_iter().collect();
        let first = rows.iter().filter(|(id, _)| !older.contains(id));
        for message_id in self.insert(first, None).await? {
            let Some((phone, zone)) = messages.remove(&message_id) else {
                continue;
            };
            let zones = sms::zones_for(zone.as_deref(), &phone);
            let window = content.send_window.as_ref();
            let slot = sms::slot(window, &zones, account_zone, from);
            let sender = content.sender.as_str();
            due.push(values![key, message_id, slot.opens_at, sender]);
        }
        // Of the others some have the phone of a message.
        rows.retain(|(message_id, _)| messages.contains_key(message_id));
        let twice = SkipReason::DuplicatePhone;
        let skipped = self.insert(rows.iter(), Some(twice)).await?;
        for (count, messages) in [
            (Count::Status(MessageStatus::Scheduled), due.len()),
            (Count::Skipped(twice), skipped.len()),
            (Count::Recipients, due.len() + skipped.len()),
        ] {
            delta.add(count, i64::try_from(messages).map_err(Error::broken)?);
        }
        self.make_due(due).await?;
        self.append_counts(changes).await
    }

    /// Leaves out people who had their message before they were erased, and whom an import brought back.
    async fn leave_out_erased(
        &self,
        key: CampaignKey,
        recipients: &mut Vec<Recipient>,
        pepper: &Pepper,
    ) -> Result<()> {
        let any: Option<i32> = self.one(ANY_ERASED, values![key]).await?;
        if any.is_none() {
            return Ok(());
        }
        let docid_key = self.docid_key().await?;
        let stand_ins = |recipient: &Recipient| {
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
        let docids = docids.map(|docid| values![key, docid.into()]);
        let known = self.for_rows(KNOWN, docids.collect()).await?;
        let known: Vec<Option<String>> = tuples(&known)?;
        Ok(known.into_iter().flatten().collect())
    }

    /// Makes messages that are scheduled, or skipped for a reason, and gives the ids of those that nothing was in the way of.
    async fn insert(
        &self,
        rows: impl Iterator<Item = &(Uuid, Vec<Value>)>,
        reason: Option<SkipReason>,
    ) -> Result<Vec<Uuid>> {
        let status = reason.map_or(MessageStatus::Scheduled, |_| MessageStatus::Skipped);
        let end = values![status.into_str(), reason.map(|reason| reason.into_str())];
        let rows = rows.map(|(_, row)| [&row[..], &end[..]].concat());
        tuples(&self.for_rows(INSERT, rows.collect()).await?)
    }

    /// Lets messages be due: account, campaign, message, moment and sender of each.
    pub(super) async fn make_due(&self, due: Vec<Vec<Value>>) -> Result<()> {
        self.for_rows(DUE, due).await?;
        Ok(())
    }
}
