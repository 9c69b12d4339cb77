//! The counts of a campaign's messages. Every transaction that changes a message appends what it changed, also what reports count
//! of it; a worker adds it to the tally. Whoever reads adds both, so the counts are exact at every moment, and reading them costs the same for any campaign.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use domain::campaign::{CampaignCounts, Count, Counts, MessageKind, MessageStatus};
use domain::rollup::DayCounts;
use sea_orm::QueryResult;
use uuid::Uuid;

use super::CampaignKey;
use crate::collect::PendingDeltas;
use crate::form::FormKey;
use crate::tx::{Sql, get, parsed, read, values};
use crate::{Error, Result, Store, Tx};

/// Pending rows that one transaction adds to a tally at most.
const MAX_ROLLED_UP: i64 = 10_000;

const APPEND: &str = "WITH g(a, c, k, n) AS (ROWS)
     INSERT INTO campaign_delta (account_id, campaign_id, kind, counts) SELECT * FROM g";

const REPLACE: &str = "WITH g(a, c, k, n) AS (ROWS)
     INSERT INTO campaign_tally (account_id, campaign_id, kind, counts) SELECT * FROM g WHERE true
         ON CONFLICT (account_id, campaign_id, kind) DO UPDATE SET counts = excluded.counts";

/// What a transaction changes in the counts: of campaigns by their kinds of messages, and of reports.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(super) counts: BTreeMap<(CampaignKey, MessageKind), Counts>,
    pub(super) reported: PendingDeltas,
}

/// A locked message, as far as it counts.
pub(super) struct Counted {
    pub(super) kind: MessageKind,
    pub(super) before: MessageStatus,
    pub(super) parts: i64,
    is_answered: bool,
    /// Where reports count it: in the form and the business properties of its link; `None`: it has no link yet.
    place: Option<(FormKey, String)>,
}

impl Counted {
    /// Of a row that also has the columns of its link.
    pub(super) fn read(row: &QueryResult) -> Result<Self> {
        let account_id = get(row, "account_id")?;
        let form_id: Option<Uuid> = get(row, "form_id")?;
        let place = form_id
            .map(|id| Ok::<_, Error>((FormKey::new(account_id, id), get(row, "bus_prop_ids")?)));
        Ok(Self {
            kind: parsed(row, "kind")?,
            before: parsed(row, "status")?,
            parts: get(row, "parts")?,
            is_answered: get(row, "is_answered")?,
            place: place.transpose()?,
        })
    }

    /// What reports count of it in a status.
    fn reported(&self, status: MessageStatus) -> DayCounts {
        if status.is_accepted() && self.kind != MessageKind::Test {
            DayCounts::message(status == MessageStatus::Delivered, self.is_answered)
        } else {
            DayCounts::default()
        }
    }
}

impl Changes {
    pub(crate) fn of(&mut self, key: CampaignKey, kind: MessageKind) -> &mut Counts {
        self.counts.entry((key, kind)).or_default()
    }

    /// A message of a campaign and a kind goes from a status to where it counts now.
    pub(super) fn moved(
        &mut self,
        (key, kind): (CampaignKey, MessageKind),
        from: MessageStatus,
        to: Count,
    ) {
        let moved = Counts::moved(Count::Status(from), to);
        self.of(key, kind).merge(&moved);
    }

    /// A locked message of a campaign gets another status. Reports count it on the day on which it was accepted.
    pub(super) fn count_change(
        &mut self,
        campaign: CampaignKey,
        message: &Counted,
        after: MessageStatus,
        accepted_day: Option<NaiveDate>,
    ) {
        let to = Count::Status(after);
        self.moved((campaign, message.kind), message.before, to);
        if let (Some(day), Some((form, ids))) = (accepted_day, &message.place) {
            let counts = message.reported(after) + -message.reported(message.before);
            self.reported.add_messages(*form, day, ids, counts);
        }
    }
}

impl Store {
    /// The counts of campaigns, as of one moment, in their order.
    pub async fn campaign_counts(
        &self,
        account_id: Uuid,
        campaign_ids: &[Uuid],
    ) -> Result<Vec<CampaignCounts>> {
        let tx = self.snapshot().await?;
        let mut counts = Vec::with_capacity(campaign_ids.len());
        for campaign_id in campaign_ids {
            let key = CampaignKey::new(account_id, *campaign_id);
            counts.push(tx.counts(key).await?);
        }
        Ok(counts)
    }

    /// Adds pending counts to the tallies of the campaigns that have some. How many rows were added.
    pub async fn roll_up_campaign_counts(&self) -> Result<u64> {
        let campaigns = "SELECT DISTINCT account_id, campaign_id FROM campaign_delta ORDER BY account_id, campaign_id LIMIT 1000";
        let campaigns = self.rows(campaigns, vec![]).await?;
        let mut rolled_up = 0;
        for key in read::<CampaignKey>(&campaigns)? {
            rolled_up += self.retry(|| self.roll_up_campaign(key)).await?;
        }
        Ok(rolled_up)
    }

    async fn roll_up_campaign(&self, key: CampaignKey) -> Result<u64> {
        let tx = self.begin_by_key().await?;
        let tallies = "SELECT kind, counts FROM campaign_tally WHERE account_id = $1 AND campaign_id = $2 ORDER BY kind";
        let mut sums: BTreeMap<MessageKind, Counts> = BTreeMap::new();
        let tallies = tx.locking(tallies, "FOR UPDATE");
        for row in tx.rows(tallies, values![key]).await? {
            sums.insert(parsed(&row, "kind")?, parsed(&row, "counts")?);
        }
        // Found apart, as in `end_cancelled_messages`.
        let pending = "SELECT id FROM campaign_delta WHERE account_id = $1 AND campaign_id = $2 ORDER BY id LIMIT $3";
        let pending: Vec<i64> = tx.all(pending, values![key, MAX_ROLLED_UP]).await?;
        let pending = pending.into_iter().map(|id| values![key, id]);
        let taken = "WITH g(a, c, i) AS (ROWS) DELETE FROM campaign_delta
              WHERE (account_id, campaign_id, id) IN (SELECT a, c, i FROM g) RETURNING kind, counts";
        let pending = tx.for_rows(taken, pending.collect()).await?;
        if pending.is_empty() {
            return Ok(0);
        }
        for row in &pending {
            let delta: Counts = parsed(row, "counts")?;
            sums.entry(parsed(row, "kind")?).or_default().merge(&delta);
        }
        let rows = sums.into_iter();
        let rows = rows.map(|(kind, sum)| values![key, kind.into_str(), sum.to_string()]);
        tx.for_rows(REPLACE, rows.collect()).await?;
        tx.commit_surely().await?;
        Ok(pending.len() as u64)
    }
}

impl Tx {
    /// A campaign's counts: of its tally and of what is pending.
    pub(super) async fn counts(&self, key: CampaignKey) -> Result<CampaignCounts> {
        let mut counts = CampaignCounts::default();
        let rows = "SELECT kind, counts FROM campaign_tally WHERE account_id = $1 AND campaign_id = $2
                  UNION ALL
                 SELECT kind, counts FROM campaign_delta WHERE account_id = $1 AND campaign_id = $2";
        let rows = self.rows(rows, values![key]).await?;
        for row in rows {
            counts.merge(parsed(&row, "kind")?, &parsed(&row, "counts")?);
        }
        Ok(counts)
    }

    pub(crate) async fn append_counts(&self, changes: Changes) -> Result<()> {
        self.append_pending(changes.reported).await?;
        let rows = changes
            .counts
            .into_iter()
            .filter(|(_, delta)| !delta.is_empty());
        let rows =
            rows.map(|((key, kind), delta)| values![key, kind.into_str(), delta.to_string()]);
        self.for_rows(APPEND, rows.collect()).await?;
        Ok(())
    }
}
