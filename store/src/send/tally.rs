//! The counts of a campaign's messages. Every transaction that changes a message appends what it changed, also what reports count
//! of it; a worker adds it to the tally. Whoever reads adds both, so the counts are exact at every moment, and reading them costs the same for any campaign.

use std::collections::BTreeMap;

use domain::campaign::{Counts, CountsDelta, MessageKind};
use sea_orm::QueryResult;
use uuid::Uuid;

use super::CampaignKey;
use crate::collect::PendingDeltas;
use crate::form::FormKey;
use crate::tx::{Patience, Sql, get, parsed, values};
use crate::{Error, Store, Tx};

/// Pending rows that one transaction adds to a tally at most.
const FOLDED: i64 = 10_000;

const APPEND_POSTGRES: &str = "INSERT INTO campaign_delta (account_id, campaign_id, kind, counts)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[])";
const APPEND_SQLITE: &str =
    "INSERT INTO campaign_delta (account_id, campaign_id, kind, counts) VALUES ($1, $2, $3, $4)";

/// What a transaction changes in the counts: of campaigns by their kinds of messages, and of reports.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub(super) counts: BTreeMap<(CampaignKey, MessageKind), CountsDelta>,
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
    pub(super) fn of(&mut self, key: CampaignKey, kind: MessageKind) -> &mut CountsDelta {
        self.counts.entry((key, kind)).or_default()
    }
}

/// The counts of a campaign's messages of each kind; of tests there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CampaignCounts {
    pub first: Counts,
    pub reminder: Counts,
}

impl CampaignCounts {
    fn add(&mut self, kind: MessageKind, delta: &CountsDelta) {
        match kind {
            MessageKind::First => self.first.add(delta),
            MessageKind::Reminder => self.reminder.add(delta),
            MessageKind::Test => {}
        }
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
        let tx = self.snapshot(Patience::Request).await?;
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
    pub async fn fold_campaign_counts(&self) -> Result<u64, Error> {
        let campaigns: Vec<(Uuid, Uuid)> = self
            .all(
                "SELECT DISTINCT account_id, campaign_id FROM campaign_delta ORDER BY account_id, campaign_id LIMIT 1000",
                vec![],
            )
            .await?;
        let mut folded = 0;
        for (account_id, campaign_id) in campaigns {
            let key = CampaignKey::new(account_id, campaign_id);
            folded += self.retry(|| self.fold(key)).await?;
        }
        Ok(folded)
    }

    async fn fold(&self, key: CampaignKey) -> Result<u64, Error> {
        let tx = self.begin_by_key().await?;
        let tallies = "SELECT kind, counts FROM campaign_tally WHERE account_id = $1 AND campaign_id = $2 ORDER BY kind";
        let mut sums: BTreeMap<MessageKind, CountsDelta> = BTreeMap::new();
        for row in tx
            .rows(tx.locking(tallies, "FOR UPDATE"), values![key])
            .await?
        {
            sums.insert(parsed(&row, "kind")?, parsed(&row, "counts")?);
        }
        let pending = tx
            .rows(
                "DELETE FROM campaign_delta WHERE account_id = $1 AND campaign_id = $2 AND id IN (
                        SELECT id FROM campaign_delta WHERE account_id = $1 AND campaign_id = $2 ORDER BY id LIMIT $3)
                 RETURNING kind, counts",
                values![key, FOLDED],
            )
            .await?;
        if pending.is_empty() {
            return Ok(0);
        }
        for row in &pending {
            let delta: CountsDelta = parsed(row, "counts")?;
            sums.entry(parsed(row, "kind")?).or_default().merge(&delta);
        }
        for (kind, sum) in sums {
            tx.execute(
                "INSERT INTO campaign_tally (account_id, campaign_id, kind, counts) VALUES ($1, $2, $3, $4)
                     ON CONFLICT (account_id, campaign_id, kind) DO UPDATE SET counts = excluded.counts",
                values![key, kind.as_str(), sum.to_string()],
            )
            .await?;
        }
        tx.commit_surely().await?;
        Ok(pending.len() as u64)
    }
}

impl Tx {
    /// A campaign's counts: of its tally and of what is pending.
    pub(super) async fn counts(&self, key: CampaignKey) -> Result<CampaignCounts, Error> {
        let mut counts = CampaignCounts::default();
        let rows = self
            .rows(
                "SELECT kind, counts FROM campaign_tally WHERE account_id = $1 AND campaign_id = $2
                  UNION ALL
                 SELECT kind, counts FROM campaign_delta WHERE account_id = $1 AND campaign_id = $2",
                values![key],
            )
            .await?;
        for row in rows {
            let kind = get::<String>(&row, "kind")?;
            counts.add(
                kind.parse().map_err(Error::broken)?,
                &parsed(&row, "counts")?,
            );
        }
        Ok(counts)
    }

    pub(super) async fn append_counts(&self, changes: Changes) -> Result<(), Error> {
        self.append_pending(changes.reported).await?;
        let rows = changes
            .counts
            .into_iter()
            .filter(|(_, delta)| !delta.is_empty());
        let rows = rows.map(|((key, kind), delta)| values![key, kind.as_str(), delta.to_string()]);
        self.each(APPEND_POSTGRES, APPEND_SQLITE, rows.collect())
            .await?;
        Ok(())
    }
}
