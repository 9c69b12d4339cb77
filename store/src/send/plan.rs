//! Planning: from recipients to messages that are due. Each docid and each phone gets one message of a campaign; what else may keep
//! it from being sent is judged when it is taken to be sent.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{DateTime, Utc};
use domain::campaign::{Count, MessageKind, MessageStatus, SkipReason};
use domain::pepper::Pepper;
use uuid::Uuid;

use super::audience::{AudienceSlice, PlannedRecipient, audience};
use super::due::{MAKE_DUE, Routes};
use super::tally::Changes;
use super::{Campaign, CampaignKey, REASONS};
use crate::erasure::DocIdKeys;
use crate::import::Claim;
use crate::tx::{BatchStatement, Sql, Statement, batch_row, statement, values};
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
        sender: Option<String>,
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
    "INSERT INTO message (account_id, campaign_id, message_id, link_id, docid, kind, phone_mac, sender, scheduled_at, status, reason)
     SELECT account_id, campaign_id, message_id, message_id, docid, 'first', phone_mac, sender, scheduled_at, status, reason
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
    struct ImportedDocid {
        account_id: Uuid,
        docid: String,
    }
}

const IMPORTED: &BatchStatement<ImportedDocid> = statement!(ImportedDocid:
    "SELECT r.docid, r.phone, r.fields ->> 'time_zone' AS more
       FROM batch JOIN recipient r ON r.account_id = batch.account_id AND r.docid = batch.docid WHERE r.phone IS NOT NULL"
);

/// Whom a batch names and who was erased after it was accepted. The rows are there while a batch of before is open.
const ERASED_SINCE: &Statement =
    statement!("SELECT docid FROM erasure WHERE account_id = $1 AND seq > $2");

const TO_PLAN: &Statement = statement!(accounts "account_id = ANY($1)":
    "SELECT account_id, campaign_id FROM campaign WHERE status IN ('RUNNING', 'PAUSED') AND (NOT planned OR moved_to IS NOT NULL)";
    "ORDER BY account_id, campaign_id"
);

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
        let readmitted = tx.readmit(key, &campaign, limit).await?;
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
        tx.plan(key, &campaign, recipients, pepper).await?;
        tx.update(row).await?;
        tx.commit_surely().await?;
        Ok((looked_at > 0).then_some(looked_at))
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
        self.plan(key, &campaign, recipients, pepper).await
    }

    /// Plans messages of a campaign, whose row this transaction holds, to recipients of whom some may have theirs.
    async fn plan(
        &self,
        key: CampaignKey,
        campaign: &Campaign,
        mut recipients: Vec<PlannedRecipient>,
        pepper: &Pepper,
    ) -> Result<()> {
        let content = &campaign.content;
        let planning = self.planning(key, Routes::of(campaign)).await?;
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
                let sender = planning.carrier(&phone);
                messages.insert(message_id, (reason, phone, recipient.more));
                let mut row = FirstMessage {
                    campaign: key,
                    message_id,
                    docid: recipient.docid,
                    // Who is not asked takes nobody's place.
                    phone_mac: mac.filter(|_| reason != Some(SkipReason::NotSampled)),
                    sender,
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
