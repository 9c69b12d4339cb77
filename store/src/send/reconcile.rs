//! What is kept of messages, compared with the messages: a campaign's counts, its due rows, and an account's contacts.

use std::collections::BTreeMap;

use domain::campaign::{CampaignStatus, Count, Counts, MessageKind, MessageStatus, SkipReason};
use entity::campaign;
use sea_orm::{EntityTrait, FromQueryResult};
use uuid::Uuid;

use super::CampaignKey;
use super::tally::Changes;
use crate::report::Drift;
use crate::retention::Sealed;
use crate::tx::{Parsed, Sql, Statement, statement, values};
use crate::{Error, Result, Store, Tx};

/// Tally, pending counts, and the messages by what is alike. One statement, so one snapshot.
const COUNTS: &Statement = statement!(
    "SELECT kind, counts, NULL AS status, NULL AS reason, CAST(0 AS bigint) AS messages,
            CAST(0 AS bigint) AS parts, CAST(0 AS bigint) AS viewed, CAST(0 AS bigint) AS answered
       FROM campaign_tally WHERE account_id = $1 AND campaign_id = $2
      UNION ALL
     SELECT kind, counts, NULL, NULL, 0, 0, 0, 0 FROM campaign_delta WHERE account_id = $1 AND campaign_id = $2
      UNION ALL
     SELECT kind, NULL, status, reason, count(*), CAST(sum(parts) AS bigint), count(viewed_at), count(answered_at)
       FROM message WHERE account_id = $1 AND campaign_id = $2 GROUP BY kind, status, reason"
);

/// Of a tally or pending counts, `counts`; of messages that are alike, the others.
#[derive(FromQueryResult)]
struct StoredOrCounted {
    kind: Parsed<MessageKind>,
    counts: Option<Parsed<Counts>>,
    status: Option<Parsed<MessageStatus>>,
    reason: Option<Parsed<SkipReason>>,
    messages: i64,
    parts: i64,
    viewed: i64,
    answered: i64,
}

/// The messages that do not have the due rows of their status: one that waits if scheduled, one that is claimed while sending
/// and, where a receipt came first, until the result; and none otherwise.
const DUE: &Statement = statement!(
    "SELECT message_id, CAST(sum(waits) AS bigint) AS waits, max(wanted) AS wanted, CAST(sum(claimed) AS bigint) AS claimed,
            max(least) AS least FROM (
            SELECT message_id, CAST(0 AS bigint) AS waits, CAST(0 AS bigint) AS claimed,
                   CAST(CASE status WHEN 'scheduled' THEN 1 ELSE 0 END AS bigint) AS wanted,
                   CAST(CASE status WHEN 'sending' THEN 1 ELSE 0 END AS bigint) AS least,
                   CASE WHEN accepted_day IS NOT NULL OR status = 'sending' THEN 1 ELSE 0 END AS most
              FROM message WHERE account_id = $1 AND campaign_id = $2
             UNION ALL
            SELECT message_id, CASE WHEN fence = 0 THEN 1 ELSE 0 END, CASE WHEN fence > 0 THEN 1 ELSE 0 END, 0, 0, 0
              FROM message_due WHERE account_id = $1 AND campaign_id = $2) d
      GROUP BY message_id
     HAVING sum(waits) <> max(wanted) OR sum(claimed) < max(least) OR sum(claimed) > max(most)
      ORDER BY message_id"
);

#[derive(FromQueryResult)]
struct DueDrift {
    message_id: Uuid,
    waits: i64,
    wanted: i64,
    claimed: i64,
    least: i64,
}

/// What a campaign has spent, by day and by message.
const COST: &Statement = statement!(
    "SELECT CAST(coalesce(sum(stored), 0) AS bigint) AS stored, CAST(coalesce(sum(recomputed), 0) AS bigint) AS recomputed FROM (
            SELECT cost AS stored, CAST(0 AS bigint) AS recomputed FROM send_usage WHERE account_id = $1 AND campaign_id = $2
             UNION ALL
            SELECT 0, cost FROM message WHERE account_id = $1 AND campaign_id = $2) c"
);

#[derive(FromQueryResult)]
struct ComparedCost {
    stored: i64,
    recomputed: i64,
}

/// Rows that break what must hold for each, by its name.
const RULES: [(&str, &Statement); 3] = [
    (
        "opted_out_at",
        statement!(
            "SELECT count(*) FROM contact WHERE account_id = $1 AND (opted_out_at IS NULL) <> (source IS NULL)"
        ),
    ),
    (
        "last_sent_at",
        statement!(
            "SELECT count(*) FROM message m LEFT JOIN contact c ON c.account_id = m.account_id AND c.phone_mac = m.sent_mac
              WHERE m.account_id = $1 AND m.kind <> 'test' AND m.sent_mac IS NOT NULL AND c.last_sent_at IS NULL"
        ),
    ),
    (
        "accepted_day",
        statement!(
            "SELECT count(*) FROM message
              WHERE account_id = $1 AND ((accepted_at IS NULL) <> (accepted_day IS NULL)
                 OR (accepted_at IS NULL) = (status IN ('accepted', 'delivered', 'undelivered', 'expired')))"
        ),
    ),
];

/// The counts of a campaign as they are stored, and as counting gives them.
#[derive(Default)]
struct ComparedCounts {
    stored: Counts,
    recomputed: Counts,
}

impl ComparedCounts {
    /// What is to be added to what is stored.
    fn missing(&self) -> Counts {
        let mut missing = self.recomputed.clone();
        for (count, stored) in self.stored.iter() {
            missing.add(*count, -stored);
        }
        missing
    }
}

impl Store {
    /// Every campaign of every account.
    pub async fn all_campaigns(&self) -> Result<Vec<CampaignKey>> {
        let campaigns = statement!(
            "SELECT account_id, campaign_id FROM campaign ORDER BY account_id, campaign_id"
        );
        self.fetch_all(campaigns, vec![]).await
    }

    /// The counts and the cost of a campaign that its messages do not give, and the messages that do not have the due rows of their status.
    pub async fn check_campaign(&self, key: CampaignKey) -> Result<Vec<Drift>> {
        let tx = self.snapshot().await?;
        let mut drifts = Vec::new();
        if tx.is_campaign_sealed(key).await? {
            return Ok(drifts);
        }
        for (kind, compared) in tx.compare_counts(key).await? {
            for (count, _) in compared.missing().iter() {
                let name = serde_json::to_string(count).map_err(Error::broken)?;
                let found = (compared.stored.get(*count), compared.recomputed.get(*count));
                drifts.push(Drift {
                    part: Some(kind.into_str().to_owned()),
                    ..Drift::new("campaign", key.campaign_id, name.trim_matches('"'), found)
                });
            }
        }
        let cost: Option<ComparedCost> = tx.fetch_one(COST, values![key]).await?;
        let cost = cost.filter(|cost| cost.stored != cost.recomputed);
        drifts.extend(cost.map(|cost| {
            let found = (cost.stored, cost.recomputed);
            Drift::new("campaign", key.campaign_id, "cost", found)
        }));
        let messages: Vec<DueDrift> = tx.fetch_all(DUE, values![key]).await?;
        drifts.extend(messages.into_iter().map(|message| {
            let (counter, found) = if message.waits == message.wanted {
                ("claimed", (message.claimed, message.least))
            } else {
                ("due", (message.waits, message.wanted))
            };
            Drift::new("message", message.message_id, counter, found)
        }));
        Ok(drifts)
    }

    /// How many of an account's contacts and messages break a rule: whoever is on the suppression list is there for a reason,
    /// a phone that was sent to is a contact, and a message has a day of acceptance exactly if it was accepted.
    pub async fn check_contacts(&self, account_id: Uuid) -> Result<Vec<Drift>> {
        let mut drifts = Vec::new();
        for (counter, rule) in RULES {
            let broken: Option<i64> = self.fetch_value(rule, values![account_id]).await?;
            let broken = broken.filter(|broken| *broken > 0);
            drifts.extend(broken.map(|rows| Drift::new("contact", account_id, counter, (rows, 0))));
        }
        Ok(drifts)
    }

    /// Makes the counts of a campaign what its messages give. Whether anything changed.
    ///
    /// # Errors
    /// Doing it again is safe.
    pub async fn rebuild_campaign(&self, key: CampaignKey) -> Result<bool> {
        let mut tx = self.begin().await?;
        // Two rebuilds come one after the other. Whoever moves messages meanwhile is seen with what it counts, or not at all.
        tx.lock_campaign(key).await?;
        if tx.is_campaign_sealed(key).await? {
            return Ok(false);
        }
        let mut changes = Changes::default();
        for (kind, compared) in tx.compare_counts(key).await? {
            changes.of(key, kind).merge(&compared.missing());
        }
        let is_drifted = changes.counts.values().any(|missing| !missing.is_empty());
        tx.append_counts(changes).await?;
        tx.commit_surely().await?;
        Ok(is_drifted)
    }
}

impl Tx {
    async fn compare_counts(
        &self,
        key: CampaignKey,
    ) -> Result<BTreeMap<MessageKind, ComparedCounts>> {
        let campaign = campaign::Entity::find_by_id((key.account_id, key.campaign_id));
        let campaign = campaign.one(self).await?;
        let is_cancelled =
            campaign.is_some_and(|row| row.status == CampaignStatus::Cancelled.into_str());
        let rows: Vec<StoredOrCounted> = self.fetch_all(COUNTS, values![key]).await?;
        let mut compared: BTreeMap<MessageKind, ComparedCounts> = BTreeMap::new();
        for row in rows {
            let of_kind = compared.entry(row.kind.0).or_default();
            if let Some(Parsed(counts)) = row.counts {
                of_kind.stored.merge(&counts);
                continue;
            }
            let count = match (row.status, row.reason) {
                (Some(Parsed(MessageStatus::Skipped)), Some(Parsed(reason))) => {
                    Count::Skipped(reason)
                }
                // Their rows follow.
                (Some(Parsed(MessageStatus::Scheduled)), _) if is_cancelled => {
                    Count::Status(MessageStatus::Cancelled)
                }
                (Some(Parsed(status)), _) if status != MessageStatus::Skipped => {
                    Count::Status(status)
                }
                _ => return Err(Error::broken("a message that is skipped for no reason")),
            };
            let counts = &mut of_kind.recomputed;
            counts.add(Count::Recipients, row.messages);
            counts.add(count, row.messages);
            counts.add(Count::Viewed, row.viewed);
            counts.add(Count::Answered, row.answered);
            // What waits was not handed over, or is to be again.
            if let Count::Status(status) = count
                && !matches!(status, MessageStatus::Scheduled | MessageStatus::Cancelled)
            {
                counts.add(Count::Parts, row.parts);
            }
        }
        compared.remove(&MessageKind::Test);
        Ok(compared)
    }
}
