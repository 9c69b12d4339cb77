//! The counts of a campaign's messages. Every transaction that changes a message appends what it changed, also what reports count
//! of it; a worker adds it to the tally. Whoever reads adds both, so the counts are exact at every moment, and reading them costs the same for any campaign.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use domain::campaign::{CampaignCounts, Count, Counts, MessageKind, MessageStatus};
use domain::rollup::DayCounts;
use sea_orm::FromQueryResult;
use uuid::Uuid;

use super::CampaignKey;
use crate::collect::PendingDeltas;
use crate::form::FormKey;
use crate::tx::{BatchStatement, Parsed, Sql, Statement, batch_row, statement, values};
use crate::{Result, Store, Tx};

/// Pending rows that one transaction adds to a tally at most.
const MAX_ROLLED_UP: i64 = 10_000;

batch_row! {
    /// Counts of a campaign's messages of a kind.
    struct KindCounts {
        campaign: CampaignKey,
        kind: &'static str,
        counts: String,
    }
}

impl KindCounts {
    fn new(campaign: CampaignKey, kind: MessageKind, counts: &Counts) -> Self {
        Self {
            campaign,
            kind: kind.into_str(),
            counts: counts.to_string(),
        }
    }
}

const APPEND: &BatchStatement<KindCounts> = statement!(KindCounts:
    "INSERT INTO campaign_delta ({columns}) SELECT {columns} FROM batch"
);

const REPLACE: &BatchStatement<KindCounts> = statement!(KindCounts:
    "INSERT INTO campaign_tally ({columns}) SELECT {columns} FROM batch WHERE true
         ON CONFLICT (account_id, campaign_id, kind) DO UPDATE SET counts = excluded.counts"
);

const CAMPAIGNS: &Statement = statement!(accounts "account_id = ANY($1)":
    "SELECT DISTINCT account_id, campaign_id FROM campaign_delta WHERE true"; "ORDER BY account_id, campaign_id LIMIT 1000"
);

const TALLIES: &Statement = statement!(lock "FOR UPDATE":
    "SELECT kind, counts FROM campaign_tally WHERE account_id = $1 AND campaign_id = $2 ORDER BY kind"
);

const COUNTS: &Statement = statement!(
    "SELECT kind, counts FROM campaign_tally WHERE account_id = $1 AND campaign_id = $2
      UNION ALL
     SELECT kind, counts FROM campaign_delta WHERE account_id = $1 AND campaign_id = $2"
);

#[derive(FromQueryResult)]
struct CountsRow {
    kind: Parsed<MessageKind>,
    counts: Parsed<Counts>,
}

/// Found apart from taking them, as in `end_cancelled_messages`.
const PENDING: &Statement = statement!(
    "SELECT account_id, campaign_id, id FROM campaign_delta WHERE account_id = $1 AND campaign_id = $2 ORDER BY id LIMIT $3"
);

batch_row! {
    #[derive(FromQueryResult)]
    struct DeltaKey {
        #[sea_orm(nested)]
        campaign: CampaignKey,
        id: i64,
    }
}

const TAKE: &BatchStatement<DeltaKey> = statement!(DeltaKey:
    "DELETE FROM campaign_delta
      WHERE ({columns}) IN (SELECT {columns} FROM batch) RETURNING kind, counts"
);

/// What a transaction changes in the counts: of campaigns by their kinds of messages, and of reports.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(super) counts: BTreeMap<(CampaignKey, MessageKind), Counts>,
    pub(super) reported: PendingDeltas,
}

/// A locked message, as far as it counts.
#[derive(FromQueryResult)]
pub(super) struct Counted {
    pub(super) kind: Parsed<MessageKind>,
    #[sea_orm(from_alias = "status")]
    pub(super) before: Parsed<MessageStatus>,
    pub(super) parts: i64,
    is_answered: bool,
    account_id: Uuid,
    /// The form and the business properties of its link, where reports count it; `None`: it has no link yet.
    form_id: Option<Uuid>,
    bus_prop_ids: Option<String>,
}

impl Counted {
    pub(super) fn has_link(&self) -> bool {
        self.form_id.is_some()
    }

    /// What reports count of it in a status.
    fn reported(&self, status: MessageStatus) -> DayCounts {
        if status.is_accepted() && self.kind.0 != MessageKind::Test {
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
        self.moved((campaign, message.kind.0), message.before.0, to);
        if let (Some(day), Some(form_id), Some(ids)) =
            (accepted_day, message.form_id, &message.bus_prop_ids)
        {
            let form = FormKey::new(message.account_id, form_id);
            let counts = message.reported(after) + -message.reported(message.before.0);
            self.reported.add_messages(form, day, ids, counts);
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
        let campaigns: Vec<CampaignKey> = self.scan(CAMPAIGNS, vec![]).await?;
        let mut rolled_up = 0;
        for key in campaigns {
            let of_campaign = self.retry(|| self.roll_up_campaign(key)).await;
            rolled_up += self.unless_away(key.account_id, of_campaign)?;
        }
        Ok(rolled_up)
    }

    async fn roll_up_campaign(&self, key: CampaignKey) -> Result<u64> {
        let tx = self.begin_by_key().await?;
        let tallies: Vec<CountsRow> = tx.fetch_all(TALLIES, values![key]).await?;
        let pending = tx.fetch_all(PENDING, values![key, MAX_ROLLED_UP]).await?;
        let pending: Vec<CountsRow> = tx.fetch_batch(TAKE, pending).await?;
        if pending.is_empty() {
            return Ok(0);
        }
        let rolled_up = pending.len() as u64;
        let mut sums: BTreeMap<MessageKind, Counts> = BTreeMap::new();
        for row in tallies.into_iter().chain(pending) {
            sums.entry(row.kind.0).or_default().merge(&row.counts.0);
        }
        let sums = sums.iter();
        let sums = sums.map(|(kind, sum)| KindCounts::new(key, *kind, sum));
        tx.execute_batch(REPLACE, sums.collect()).await?;
        tx.commit_surely().await?;
        Ok(rolled_up)
    }
}

impl Tx {
    /// A campaign's counts: of its tally and of what is pending.
    pub(super) async fn counts(&self, key: CampaignKey) -> Result<CampaignCounts> {
        let mut counts = CampaignCounts::default();
        let rows: Vec<CountsRow> = self.fetch_all(COUNTS, values![key]).await?;
        for row in rows {
            counts.merge(row.kind.0, &row.counts.0);
        }
        Ok(counts)
    }

    pub(crate) async fn append_counts(&self, changes: Changes) -> Result<()> {
        self.append_pending(changes.reported).await?;
        let accounts = changes.counts.keys().map(|(key, _)| key.account_id);
        self.note_work_of(accounts).await?;
        let deltas = changes.counts.iter();
        let deltas = deltas.filter(|(_, delta)| !delta.is_empty());
        let deltas = deltas.map(|((key, kind), delta)| KindCounts::new(*key, *kind, delta));
        self.execute_batch(APPEND, deltas.collect()).await
    }
}
