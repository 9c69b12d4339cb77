//! What is kept of messages, compared with the messages: a campaign's counts, its due rows, and an account's contacts.

use std::collections::BTreeMap;

use domain::campaign::{CampaignStatus, Count, Counts, MessageKind, MessageStatus};
use uuid::Uuid;

use super::CampaignKey;
use super::tally::Changes;
use crate::report::Drift;
use crate::tx::{Sql, get, parsed, read, values};
use crate::{Error, Result, Store, Tx};

/// Tally, pending counts, and the messages by what is alike. One statement, so one snapshot.
const COUNTS: &str = "SELECT kind, counts, NULL AS status, NULL AS reason, CAST(0 AS bigint) AS messages,
            CAST(0 AS bigint) AS parts, CAST(0 AS bigint) AS viewed, CAST(0 AS bigint) AS answered
       FROM campaign_tally WHERE account_id = $1 AND campaign_id = $2
      UNION ALL
     SELECT kind, counts, NULL, NULL, 0, 0, 0, 0 FROM campaign_delta WHERE account_id = $1 AND campaign_id = $2
      UNION ALL
     SELECT kind, NULL, status, reason, count(*), CAST(sum(parts) AS bigint), count(viewed_at), count(answered_at)
       FROM message WHERE account_id = $1 AND campaign_id = $2 GROUP BY kind, status, reason";

/// The messages that do not have the due rows of their status: one that waits if scheduled, one that is claimed while sending
/// and, where a receipt came first, until the result; and none otherwise.
const DUE: &str = "SELECT message_id, CAST(sum(waits) AS bigint), max(wanted), CAST(sum(claimed) AS bigint), max(least) FROM (
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
      ORDER BY message_id";

/// Rows that break what must hold for each, by its name.
const RULES: [(&str, &str); 3] = [
    (
        "opted_out_at",
        "SELECT count(*) FROM contact WHERE account_id = $1 AND (opted_out_at IS NULL) <> (source IS NULL)",
    ),
    (
        "last_sent_at",
        "SELECT count(*) FROM message m LEFT JOIN contact c ON c.account_id = m.account_id AND c.phone_mac = m.sent_mac
          WHERE m.account_id = $1 AND m.kind <> 'test' AND m.sent_mac IS NOT NULL AND c.last_sent_at IS NULL",
    ),
    (
        "accepted_day",
        "SELECT count(*) FROM message
          WHERE account_id = $1 AND ((accepted_at IS NULL) <> (accepted_day IS NULL)
             OR (accepted_at IS NULL) = (status IN ('accepted', 'delivered', 'undelivered', 'expired')))",
    ),
];

/// The counts of a campaign as they are stored, and as counting gives them.
#[derive(Default)]
struct Compared {
    stored: Counts,
    recomputed: Counts,
}

impl Compared {
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
        let campaigns =
            "SELECT account_id, campaign_id FROM campaign ORDER BY account_id, campaign_id";
        read(&self.rows(campaigns, vec![]).await?)
    }

    /// The counts of a campaign that its messages do not give, and the messages that do not have the due rows of their status.
    pub async fn check_campaign(&self, key: CampaignKey) -> Result<Vec<Drift>> {
        let tx = self.snapshot().await?;
        let mut drifts = Vec::new();
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
        let messages: Vec<(Uuid, i64, i64, i64, i64)> = tx.all(DUE, values![key]).await?;
        for (id, waits, wanted, claimed, least) in messages {
            drifts.push(if waits == wanted {
                Drift::new("message", id, "claimed", (claimed, least))
            } else {
                Drift::new("message", id, "due", (waits, wanted))
            });
        }
        Ok(drifts)
    }

    /// How many of an account's contacts and messages break a rule: whoever is on the suppression list is there for a reason,
    /// a phone that was sent to is a contact, and a message has a day of acceptance exactly if it was accepted.
    pub async fn check_contacts(&self, account_id: Uuid) -> Result<Vec<Drift>> {
        let mut drifts = Vec::new();
        for (counter, rule) in RULES {
            let broken: Option<i64> = self.one(rule, values![account_id]).await?;
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
    async fn compare_counts(&self, key: CampaignKey) -> Result<BTreeMap<MessageKind, Compared>> {
        let status = "SELECT status FROM campaign WHERE account_id = $1 AND campaign_id = $2";
        let status: Option<String> = self.one(status, values![key]).await?;
        let is_cancelled = status.as_deref() == Some(CampaignStatus::Cancelled.into_str());
        let mut compared: BTreeMap<MessageKind, Compared> = BTreeMap::new();
        for row in self.rows(COUNTS, values![key]).await? {
            let kind: MessageKind = parsed(&row, "kind")?;
            let of_kind = compared.entry(kind).or_default();
            if get::<Option<String>>(&row, "counts")?.is_some() {
                of_kind.stored.merge(&parsed(&row, "counts")?);
                continue;
            }
            let messages: i64 = get(&row, "messages")?;
            let count = match parsed(&row, "status")? {
                MessageStatus::Skipped => Count::Skipped(parsed(&row, "reason")?),
                // Their rows follow.
                MessageStatus::Scheduled if is_cancelled => Count::Status(MessageStatus::Cancelled),
                status => Count::Status(status),
            };
            let counts = &mut of_kind.recomputed;
            counts.add(Count::Recipients, messages);
            counts.add(count, messages);
            counts.add(Count::Viewed, get(&row, "viewed")?);
            counts.add(Count::Answered, get(&row, "answered")?);
            // What waits was not handed over, or is to be again.
            if let Count::Status(status) = count
                && !matches!(status, MessageStatus::Scheduled | MessageStatus::Cancelled)
            {
                counts.add(Count::Parts, get(&row, "parts")?);
            }
        }
        compared.remove(&MessageKind::Test);
        Ok(compared)
    }
}
