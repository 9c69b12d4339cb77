//! The counts of a campaign's messages. Every transaction that changes a message appends what it changed, also what reports count
//! of it; a worker adds it to the tally. Whoever reads adds both, so the counts are exact at every moment, and reading them costs the same for any campaign.

use std::collections::BTreeMap;

use domain::campaign::{CampaignCounts, Count, Counts, MessageKind, MessageStatus};
use sea_orm::QueryResult;
use uuid::Uuid;

use super::CampaignKey;
use crate::collect::PendingDeltas;
use crate::form::FormKey;
use crate::tx::{Sql, get, parsed, read, values};
use crate::{Error, Store, Tx};

/// Pending rows that one transaction adds to a tally at most.
const MAX_ROLLED_UP: i64 = 10_000;

const APPEND: &str = "WITH g(a, c, k, n) AS (ROWS)
     INSERT INTO campaign_delta (account_id, campaign_id, kind, counts) SELECT * FROM g";

const REPLACE: &str = "WITH g(a, c, k, n) AS (ROWS)
     INSERT INTO campaign_tally (account_id, campaign_id, kind, counts) SELECT * FROM g WHERE true
         ON CONFLICT (account_id, campaign_id, kind) DO UPDATE SET counts = excluded.counts";

/// What a transaction changes in the counts: of campaigns by their kinds of messages, and of reports.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub(super) counts: BTreeMap<(CampaignKey, MessageKind), Counts>,
    pub(super) reported: PendingDeltas,
}

/// Where reports count a message: in the form and the business properties of its link.
pub(super) type ReportPlace = (FormKey, String);

/// The place in a row of a message that has the columns of its link; `None`: it has no link yet.
pub(super) fn report_place(row: &QueryResult) -> Result<Option<ReportPlace>, Error> {
    let (account_id, form_id) = (
        get(row, "account_id")?,
        get::<Option<Uuid>>(row, "form_id")?,
    );
    let place = form_id.map(|id| Ok((FormKey::new(account_id, id), get(row, "bus_prop_ids")?)));
    place.transpose()
}

impl Changes {
    pub(super) fn of(&mut self, key: CampaignKey, kind: MessageKind) -> &mut Counts {
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
}

impl Store {
    /// The counts of campaigns, as of one moment, in their order.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn campaign_counts(
        &self,
        account_id: Uuid,
        campaign_ids: &[Uuid],
    ) -> Result<Vec<CampaignCounts>, Error> {
        let tx = self.snapshot().await?;
        let mut counts = Vec::with_capacity(campaign_ids.len());
        for campaign_id in campaign_ids {
            counts.push(
                tx.counts(CampaignKey::new(account_id, *campaign_id))
                    .await?,
            );
        }
        Ok(counts)
    }

    /// Adds pending counts to the tallies of the campaigns that have some. How many rows were added.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn roll_up_campaign_counts(&self) -> Result<u64, Error> {
        let campaigns = "SELECT DISTINCT account_id, campaign_id FROM campaign_delta ORDER BY account_id, campaign_id LIMIT 1000";
        let campaigns = self.rows(campaigns, vec![]).await?;
        let mut rolled_up = 0;
        for key in read::<CampaignKey>(&campaigns)? {
            rolled_up += self.retry(|| self.roll_up_campaign(key)).await?;
        }
        Ok(rolled_up)
    }

    async fn roll_up_campaign(&self, key: CampaignKey) -> Result<u64, Error> {
        let tx = self.begin_by_key().await?;
        let tallies = "SELECT kind, counts FROM campaign_tally WHERE account_id = $1 AND campaign_id = $2 ORDER BY kind";
        let mut sums: BTreeMap<MessageKind, Counts> = BTreeMap::new();
        for row in tx
            .rows(tx.locking(tallies, "FOR UPDATE"), values![key])
            .await?
        {
            sums.insert(parsed(&row, "kind")?, parsed(&row, "counts")?);
        }
        let pending = "DELETE FROM campaign_delta WHERE account_id = $1 AND campaign_id = $2 AND id IN (
                        SELECT id FROM campaign_delta WHERE account_id = $1 AND campaign_id = $2 ORDER BY id LIMIT $3)
                 RETURNING kind, counts";
        let pending = tx.rows(pending, values![key, MAX_ROLLED_UP]).await?;
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
    pub(super) async fn counts(&self, key: CampaignKey) -> Result<CampaignCounts, Error> {
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

    pub(super) async fn append_counts(&self, changes: Changes) -> Result<(), Error> {
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
