//! What waits for senders, and what may have been sent through them. A campaign's counts are those of its sender; of one that names
//! several its messages are looked at.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use domain::campaign::{CampaignStatus, Counts, MessageStatus};
use sea_orm::FromQueryResult;
use uuid::Uuid;

use super::CampaignKey;
use crate::tx::{Accounts, Parsed, Sql, Statement, statement, values};
use crate::{Result, Store, Tx};

/// What an account has with a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderFigures {
    /// Messages that are scheduled.
    pub waiting: i64,
    /// When the first of those that may be sent by now was due.
    pub oldest_at: Option<DateTime<Utc>>,
    /// Messages that may have been sent, of campaigns that go on or ended within a week.
    pub unknown: i64,
}

/// How long after its end a campaign's messages of an unknown result are told: whoever cares has looked by then.
const TOLD_FOR: TimeDelta = TimeDelta::days(7);

/// Of a campaign that names several senders so many messages are counted that wait for one of them, and so many of its newest are
/// looked at for their results.
const LOOKED_AT: i64 = 20_000;

/// The counts of an account's campaigns that go on or ended since a moment, tests excepted.
const COUNTS: &Statement = statement!(
    "SELECT c.account_id, c.campaign_id, c.sender, c.senders, c.status, t.counts FROM campaign c
       JOIN (SELECT account_id, campaign_id, kind, counts FROM campaign_tally WHERE account_id = $1
              UNION ALL
             SELECT account_id, campaign_id, kind, counts FROM campaign_delta WHERE account_id = $1) t
         ON t.account_id = c.account_id AND t.campaign_id = c.campaign_id
      WHERE c.account_id = $1 AND t.kind <> 'test'
        AND (c.status IN ('RUNNING', 'PAUSED') OR c.status = 'FINISHED' AND c.finished_at > $2)"
);

/// The counts that have messages of an unknown result, of the campaigns of all accounts that go on or ended since a moment.
const UNKNOWN: &Statement = statement!(accounts "c.account_id = ANY($2) AND t.account_id = ANY($2)":
    "SELECT c.account_id, c.campaign_id, c.sender, c.senders, c.status, t.counts FROM campaign c
       JOIN campaign_tally t ON t.account_id = c.account_id AND t.campaign_id = c.campaign_id
      WHERE t.kind <> 'test' AND t.counts LIKE '%\"unknown\"%'
        AND (c.status IN ('RUNNING', 'PAUSED') OR c.status = 'FINISHED' AND c.finished_at > $1)"; ""
);

/// Each campaign of one sender looks up its first by the key.
const OLDEST_DUE: &Statement = statement!(
    "SELECT sender, min(oldest) AS oldest FROM (
        SELECT c.sender, (
               SELECT d.due_at FROM message_due d
                WHERE d.account_id = $1 AND d.campaign_id = c.campaign_id AND d.due_at <= $2 AND d.fence = 0 AND d.phone IS NULL
                ORDER BY d.due_at LIMIT 1) AS oldest
          FROM campaign c WHERE c.account_id = $1 AND c.status = 'RUNNING' AND c.senders IS NULL) o
      WHERE oldest IS NOT NULL GROUP BY sender"
);

macro_rules! waits_for {
    () => {
        "account_id = $1 AND campaign_id = $2 AND sender = $3 AND sender_list IS NOT NULL AND fence = 0 AND phone IS NULL"
    };
}
const WAITING_OF_SENDER: &Statement = statement!(
    "SELECT count(*) FROM (SELECT 1 FROM message_due WHERE ",
    waits_for!(),
    " LIMIT $4) n"
);
const OLDEST_OF_SENDER: &Statement = statement!(
    "SELECT due_at FROM message_due WHERE ",
    waits_for!(),
    " AND due_at <= $4 ORDER BY due_at LIMIT 1"
);
const UNKNOWN_OF_CAMPAIGN: &Statement = statement!(
    "SELECT sender, count(*) AS messages FROM (
        SELECT coalesce(sender, $3) AS sender, status, kind FROM message
         WHERE account_id = $1 AND campaign_id = $2 ORDER BY message_id DESC LIMIT $4) AS newest
      WHERE status = 'unknown' AND kind <> 'test' GROUP BY sender"
);

#[derive(FromQueryResult)]
struct CountsRow {
    #[sea_orm(nested)]
    key: CampaignKey,
    sender: String,
    senders: Option<String>,
    status: Parsed<CampaignStatus>,
    counts: Parsed<Counts>,
}

#[derive(FromQueryResult)]
struct SenderOldest {
    sender: String,
    oldest: DateTime<Utc>,
}

#[derive(FromQueryResult)]
struct SenderUnknown {
    sender: String,
    messages: i64,
}

/// A campaign with all its counts.
struct CountedCampaign {
    key: CampaignKey,
    sender: String,
    /// Of one that names several, between spaces.
    senders: Option<String>,
    status: CampaignStatus,
    counts: Counts,
}

impl CountedCampaign {
    fn all(rows: Vec<CountsRow>) -> impl Iterator<Item = Self> {
        let mut campaigns: BTreeMap<CampaignKey, Self> = BTreeMap::new();
        for row in rows {
            let campaign = campaigns.entry(row.key).or_insert_with(|| Self {
                key: row.key,
                sender: row.sender,
                senders: row.senders,
                status: row.status.0,
                counts: Counts::default(),
            });
            campaign.counts.merge(&row.counts.0);
        }
        campaigns.into_values()
    }

    /// Its messages of an unknown result, all of its sender.
    fn unknown_of_one(&self) -> BTreeMap<String, i64> {
        let unknown = self.counts.status(MessageStatus::Unknown);
        let unknown = (unknown > 0).then(|| (self.sender.clone(), unknown));
        unknown.into_iter().collect()
    }
}

impl Store {
    /// Messages of an unknown result by sender, of the campaigns of all accounts that go on or ended within a week. Those on nodes that
    /// are away are missing.
    pub async fn unknown_by_sender(&self) -> Result<BTreeMap<String, i64>> {
        let since = self.now().await? - TOLD_FOR;
        let mut unknown = BTreeMap::new();
        for part in self.parts(Accounts::All).await?.there {
            let of_part = self.scan_part(&part, UNKNOWN, values![since]).await?;
            for campaign in CountedCampaign::all(of_part.unwrap_or_default()) {
                let of_campaign = async {
                    match campaign.senders {
                        Some(_) => self.snapshot().await?.unknown_of(&campaign).await,
                        None => Ok(campaign.unknown_of_one()),
                    }
                };
                let of_campaign = self.unless_away(campaign.key.account_id, of_campaign.await)?;
                for (sender, messages) in of_campaign {
                    *unknown.entry(sender).or_default() += messages;
                }
            }
        }
        Ok(unknown)
    }

    /// What an account has with the senders of its campaigns, by their names. Of a campaign for several of whose senders more than 20,000
    /// messages wait each, so many are counted but for the first of them.
    pub async fn figures_by_sender(
        &self,
        account_id: Uuid,
    ) -> Result<BTreeMap<String, SenderFigures>> {
        let tx = self.snapshot().await?;
        let now = tx.now().await?;
        let mut figures: BTreeMap<String, SenderFigures> = BTreeMap::new();
        let counts = values![account_id, now - TOLD_FOR];
        let counts: Vec<CountsRow> = tx.fetch_all(COUNTS, counts).await?;
        for campaign in CountedCampaign::all(counts) {
            for (sender, messages) in tx.unknown_of(&campaign).await? {
                figures.entry(sender).or_default().unknown += messages;
            }
            if !campaign.status.is_open() {
                continue;
            }
            let scheduled = campaign.counts.status(MessageStatus::Scheduled);
            if campaign.senders.is_some() {
                tx.add_waiting(&campaign, now, &mut figures).await?;
            } else {
                figures.entry(campaign.sender).or_default().waiting += scheduled;
            }
        }
        let oldest: Vec<SenderOldest> = tx.fetch_all(OLDEST_DUE, values![account_id, now]).await?;
        for row in oldest {
            let of_sender = figures.entry(row.sender).or_default();
            of_sender.oldest_at = min_of(of_sender.oldest_at, Some(row.oldest));
        }
        Ok(figures)
    }
}

fn min_of(one: Option<DateTime<Utc>>, other: Option<DateTime<Utc>>) -> Option<DateTime<Utc>> {
    [one, other].into_iter().flatten().min()
}

impl Tx {
    /// The messages of a campaign of an unknown result, by sender. Older ones than were looked at are told of the first.
    async fn unknown_of(&self, campaign: &CountedCampaign) -> Result<BTreeMap<String, i64>> {
        let all = campaign.counts.status(MessageStatus::Unknown);
        let mut unknown = BTreeMap::new();
        if all > 0 && campaign.senders.is_some() {
            let of = values![campaign.key, campaign.sender.as_str(), LOOKED_AT];
            let rows: Vec<SenderUnknown> = self.fetch_all(UNKNOWN_OF_CAMPAIGN, of).await?;
            unknown.extend(rows.into_iter().map(|row| (row.sender, row.messages)));
        }
        let rest = all - unknown.values().sum::<i64>();
        if rest > 0 {
            *unknown.entry(campaign.sender.clone()).or_default() += rest;
        }
        Ok(unknown)
    }

    /// Adds what waits of a campaign that names several senders.
    async fn add_waiting(
        &self,
        campaign: &CountedCampaign,
        now: DateTime<Utc>,
        figures: &mut BTreeMap<String, SenderFigures>,
    ) -> Result<()> {
        let mut rest = campaign.counts.status(MessageStatus::Scheduled);
        let mut has_more = None;
        for sender in campaign
            .senders
            .iter()
            .flat_map(|all| all.split_whitespace())
        {
            let waiting = values![campaign.key, sender, LOOKED_AT];
            let waiting: Option<i64> = self.fetch_value(WAITING_OF_SENDER, waiting).await?;
            let waiting = waiting.unwrap_or_default();
            rest -= waiting;
            if waiting == LOOKED_AT {
                has_more = has_more.or(Some(sender));
            }
            let of_sender = figures.entry(sender.to_owned()).or_default();
            of_sender.waiting += waiting;
            if campaign.status == CampaignStatus::Running {
                let oldest = values![campaign.key, sender, now];
                let oldest = self.fetch_value(OLDEST_OF_SENDER, oldest).await?;
                of_sender.oldest_at = min_of(of_sender.oldest_at, oldest);
            }
        }
        if let Some(sender) = has_more {
            figures.entry(sender.to_owned()).or_default().waiting += rest.max(0);
        }
        Ok(())
    }
}
