//! Planning: from recipients to messages that are due. Each docid and each phone gets one message of a campaign; what else may keep
//! it from being sent is judged when it is taken to be sent.

use std::collections::HashSet;
use std::hash::Hash;

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use domain::campaign::{
    Audience, CampaignContent, CampaignStatus, Count, MessageKind, MessageStatus, SkipReason,
};
use domain::pepper::Pepper;
use domain::sms;
use entity::campaign;
use sea_orm::{ActiveModelTrait, EntityTrait, IntoActiveModel, QueryResult, TryGetable, Value};
use uuid::Uuid;

use super::CampaignKey;
use super::tally::Changes;
use crate::import::{Claim, RecipientQuery};
use crate::tx::{Sql, get, parsed, read, values};
use crate::{Error, Store, Tx};

// Both indexes are without tests; SQLite takes one only if the statement says so too. One look-up by key each: of a table without
// statistics PostgreSQL would read all of the campaign for a join.
const DOCIDS: &str = "WITH g(a, c, d) AS (ROWS) SELECT (SELECT docid FROM message
      WHERE account_id = g.a AND campaign_id = g.c AND kind = 'first' AND kind <> 'test' AND docid = g.d) AS known FROM g";
const PHONES: &str = "WITH g(a, c, p) AS (ROWS) SELECT (SELECT phone_mac FROM message
      WHERE account_id = g.a AND campaign_id = g.c AND kind = 'first' AND kind <> 'test'
        AND reason IS DISTINCT FROM 'duplicate_phone' AND phone_mac = g.p) AS known FROM g";

const INSERT: &str = "WITH g(a, c, m, d, s, r, p, t) AS (ROWS) INSERT INTO message
            (account_id, campaign_id, message_id, link_id, docid, kind, status, reason, phone_mac, scheduled_at)
     SELECT g.a, g.c, g.m, g.m, g.d, 'first', g.s, g.r, g.p, g.t FROM g";

const DUE: &str = "WITH g(a, c, m, t, s) AS (ROWS)
     INSERT INTO message_due (account_id, campaign_id, message_id, due_at, sender) SELECT * FROM g";

const IMPORTED: &str =
    "WITH g(a, d) AS (ROWS) SELECT r.docid, r.phone, r.fields ->> 'time_zone' AS time_zone
       FROM g JOIN recipient r ON r.account_id = g.a AND r.docid = g.d WHERE r.phone IS NOT NULL";

/// A recipient as planning needs it.
struct Recipient {
    docid: String,
    phone: String,
    time_zone: Option<String>,
}

impl Recipient {
    fn read(row: &QueryResult) -> Result<Self, Error> {
        Ok(Self {
            docid: get(row, "docid")?,
            phone: get(row, "phone")?,
            time_zone: get(row, "time_zone")?,
        })
    }
}

/// The campaign for which a transaction plans, whose row it holds.
struct Target<'a> {
    key: CampaignKey,
    content: &'a CampaignContent,
    account_zone: Tz,
    /// Messages are scheduled from this moment on.
    from: DateTime<Utc>,
}

impl Store {
    /// How many recipients are planned in one transaction.
    pub fn plan_slice(&self) -> i64 {
        if self.is_sqlite() { 1_000 } else { 5_000 }
    }

    /// Campaigns whose audience is not planned yet.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn campaigns_to_plan(&self) -> Result<Vec<CampaignKey>, Error> {
        let open = "SELECT account_id, campaign_id FROM campaign
                     WHERE status IN ('RUNNING', 'PAUSED') AND NOT planned ORDER BY account_id, campaign_id";
        read(&self.rows(open, vec![]).await?)
    }

    /// Plans the next slice of a campaign's audience. How many recipients were looked at; `None`: nothing is left to plan.
    ///
    /// # Errors
    /// See [`Error`]. Doing it again is safe.
    pub async fn plan_audience(
        &self,
        key: CampaignKey,
        pepper: &Pepper,
    ) -> Result<Option<u64>, Error> {
        self.retry(|| self.try_plan(key, pepper)).await
    }

    async fn try_plan(&self, key: CampaignKey, pepper: &Pepper) -> Result<Option<u64>, Error> {
        let mut tx = self.begin_by_key().await?;
        let Some(mut row) = tx.lock_campaign(key).await? else {
            return Ok(None);
        };
        let (Some(started_at), false, true) = (row.started_at, row.planned, is_open(&row)?) else {
            return Ok(None);
        };
        let content: CampaignContent = serde_json::from_str(&row.content).map_err(Error::broken)?;
        let (matches, mut values) = audience(&content.audience, tx.is_sqlite());
        let mut given = values![
            key.account_id,
            row.planned_to.as_str(),
            self.plan_slice(),
            started_at
        ];
        given.append(&mut values);
        let slice = format!(
            "SELECT docid, CASE WHEN phone IS NOT NULL AND created_at <= $4 {matches} THEN phone END AS phone,
                    fields ->> 'time_zone' AS time_zone
               FROM recipient WHERE account_id = $1 AND docid > $2 ORDER BY docid LIMIT $3"
        );
        let rows = tx.rows(slice, given).await?;
        let mut recipients = Vec::new();
        for row in &rows {
            if get::<Option<String>>(row, "phone")?.is_some() {
                recipients.push(Recipient::read(row)?);
            }
        }
        match rows.last() {
            Some(last) => row.planned_to = get(last, "docid")?,
            None => row.planned = true,
        }
        let target = tx.target(key, &content).await?;
        tx.plan(&target, recipients, pepper).await?;
        let active = row.into_active_model().reset_all();
        campaign::Entity::update(active)
            .exec_without_returning(&tx)
            .await?;
        tx.commit_surely().await?;
        Ok((!rows.is_empty()).then_some(rows.len() as u64))
    }
}

fn is_open(row: &campaign::Model) -> Result<bool, Error> {
    let status: CampaignStatus = row.status.parse().map_err(Error::broken)?;
    Ok(matches!(
        status,
        CampaignStatus::Running | CampaignStatus::Paused
    ))
}

/// The condition that an audience is, with parameters from $5 on, and their values.
pub(super) fn audience(audience: &Audience, is_sqlite: bool) -> (String, Vec<Value>) {
    let query = match audience.clone() {
        // Its recipients come with imports.
        Audience::OnImport { .. } => return (" AND false".to_owned(), vec![]),
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
    query.condition(is_sqlite)
}

impl Tx {
    /// Plans the messages of a stored chunk's recipients for the campaign of its import, if there is one.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn plan_chunk(
        &mut self,
        claim: &Claim,
        docids: Vec<&str>,
        pepper: &Pepper,
    ) -> Result<(), Error> {
        let Some(campaign_id) = claim.campaign_id else {
            return Ok(());
        };
        let key = CampaignKey::new(claim.id.account_id, campaign_id);
        let Some(row) = self.lock_campaign(key).await? else {
            return Ok(());
        };
        if !is_open(&row)? {
            return Ok(());
        }
        let docids = docids.into_iter();
        let docids = docids.map(|docid| values![key.account_id, docid]);
        let rows = self.for_rows(IMPORTED, docids.collect()).await?;
        let recipients = rows.iter().map(Recipient::read).collect::<Result<_, _>>()?;
        let content: CampaignContent = serde_json::from_str(&row.content).map_err(Error::broken)?;
        let target = self.target(key, &content).await?;
        self.plan(&target, recipients, pepper).await
    }

    async fn target<'a>(
        &self,
        key: CampaignKey,
        content: &'a CampaignContent,
    ) -> Result<Target<'a>, Error> {
        let zone = "SELECT time_zone FROM account WHERE account_id = $1";
        let zone = self.row(zone, values![key.account_id]).await?;
        let zone = zone.ok_or_else(|| Error::broken("a campaign without an account"))?;
        let delay = TimeDelta::minutes(content.delay_minutes.into());
        let from = self.now().await? + delay;
        Ok(Target {
            key,
            content,
            account_zone: parsed(&zone, "time_zone")?,
            from: content.starts_at.map_or(from, |starts| starts.max(from)),
        })
    }

    /// Plans messages to recipients, of whom some may have theirs.
    async fn plan(
        &self,
        target: &Target<'_>,
        mut recipients: Vec<Recipient>,
        pepper: &Pepper,
    ) -> Result<(), Error> {
        let key = target.key;
        let docids = recipients.iter();
        let docids = docids.map(|recipient| values![key, recipient.docid.as_str()]);
        let known: HashSet<String> = self.planned(DOCIDS, docids.collect()).await?;
        recipients.retain(|recipient| !known.contains(&recipient.docid));
        if recipients.is_empty() {
            return Ok(());
        }
        let macs: Vec<[u8; 32]> = recipients
            .iter()
            .map(|recipient| pepper.phone_mac(key.account_id, &recipient.phone))
            .collect();
        let phones = macs.iter().map(|mac| values![key, mac.to_vec()]);
        let mut taken: HashSet<Vec<u8>> = self.planned(PHONES, phones.collect()).await?;
        let mut left = match target.content.max_messages {
            Some(most) => {
                let planned = self.counts(key).await?.first.get(Count::Recipients);
                usize::try_from(most)
                    .unwrap_or(usize::MAX)
                    .saturating_sub(usize::try_from(planned).unwrap_or(0))
            }
            None => usize::MAX,
        };
        let mut changes = Changes::default();
        let delta = changes.of(key, MessageKind::First);
        let (mut messages, mut due) = (Vec::new(), Vec::new());
        for (recipient, mac) in recipients.iter().zip(macs) {
            if left == 0 {
                break;
            }
            left -= 1;
            let message_id = Uuid::now_v7();
            let is_first = taken.insert(mac.to_vec());
            let (status, reason) = if is_first {
                delta.add(Count::Status(MessageStatus::Scheduled), 1);
                let zones = sms::zones_for(recipient.time_zone.as_deref(), &recipient.phone);
                let window = target.content.send_window.as_ref();
                let slot = sms::slot(window, &zones, target.account_zone, target.from);
                due.push(values![
                    key,
                    message_id,
                    slot.opens_at,
                    target.content.sender.as_str()
                ]);
                (MessageStatus::Scheduled, None)
            } else {
                delta.add(Count::Skipped(SkipReason::DuplicatePhone), 1);
                (
                    MessageStatus::Skipped,
                    Some(SkipReason::DuplicatePhone.as_str()),
                )
            };
            delta.add(Count::Recipients, 1);
            messages.push(values![
                key,
                message_id,
                recipient.docid.as_str(),
                status.as_str(),
                reason,
                mac.to_vec(),
                target.from
            ]);
        }
        self.for_rows(INSERT, messages).await?;
        self.make_due(due).await?;
        self.append_counts(changes).await
    }

    /// Lets messages be due: account, campaign, message, moment and sender of each.
    pub(super) async fn make_due(&self, due: Vec<Vec<Value>>) -> Result<(), Error> {
        self.for_rows(DUE, due).await?;
        Ok(())
    }

    /// Which docids, or phones, have a message of the campaign.
    async fn planned<T: TryGetable + Hash + Eq>(
        &self,
        known: &str,
        rows: Vec<Vec<Value>>,
    ) -> Result<HashSet<T>, Error> {
        let rows = self.for_rows(known, rows).await?;
        let known = rows.iter().map(|row| get::<Option<T>>(row, "known"));
        known.filter_map(Result::transpose).collect()
    }
}
