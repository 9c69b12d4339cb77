//! How much work waits, and for how long: what operators see in metrics. Each statement reads a bounded number of rows by an index,
//! so that a large backlog costs no more to look at than a small one. (Measured on PostgreSQL 15 and two cores: 8 ms where 2,500 of
//! 500,000 imports are open, 0.1 ms of 200,000 pending counts, and for a sender with 500 running campaigns and two million due messages
//! 20 and 4 ms.)

use chrono::{DateTime, TimeDelta, Utc};
use domain::message::Lane;
use sea_orm::FromQueryResult;

use crate::tx::{Parsed, Sql, Statement, statement, values};
use crate::{Result, Store, Tx};

/// Imports of which chunks are not stored, by lane. Stalled ones have no chunks but parked ones.
const OPEN_IMPORTS: &Statement = statement!(accounts "account_id = ANY($1)":
    "SELECT lane, CAST(sum(open_chunks) AS bigint) AS chunks, CAST(sum(parked_chunks) AS bigint) AS parked,
            min(CASE WHEN open_chunks > 0 THEN queued_at END) AS oldest
       FROM (SELECT lane, open_chunks, parked_chunks, queued_at FROM import_batch
              WHERE status IN ('queued', 'processing', 'stalled')"; "ORDER BY account_id, seq LIMIT 10000) b
      GROUP BY lane"
);

const OLDEST_PENDING: &Statement = statement!(accounts "account_id = ANY($1)":
    "SELECT created_at FROM pending_delta WHERE true"; "ORDER BY id LIMIT 1"
);

/// The running campaigns of a sender alone. SQLite finds its index by the first term of the status.
macro_rules! running {
    () => {
        "c.sender = $1 AND c.senders IS NULL AND c.status IN ('RUNNING', 'PAUSED') AND c.status = 'RUNNING'"
    };
}

/// The running campaigns that name it and others.
macro_rules! running_with_others {
    () => {
        "c.senders IS NOT NULL AND c.senders LIKE '% ' || $1 || ' %' AND c.status IN ('RUNNING', 'PAUSED') AND c.status = 'RUNNING'"
    };
}

/// The messages of a campaign that are due and not handed over.
macro_rules! due {
    () => {
        "d.account_id = c.account_id AND d.campaign_id = c.campaign_id AND d.due_at <= $2 AND d.fence = 0"
    };
}

/// Those of one that names several senders.
macro_rules! due_of_sender {
    () => {
        concat!("d.sender = $1 AND d.sender_list IS NOT NULL AND ", due!())
    };
}

/// The inner limit keeps PostgreSQL from any plan but a look-up for each campaign, and the order from reading all of a campaign's
/// before the first; CROSS JOIN does so on SQLite.
const DUE: &Statement = statement!(
    postgres: "SELECT count(*) FROM (SELECT 1 FROM campaign c
                CROSS JOIN LATERAL (SELECT 1 FROM message_due d WHERE ", due!(), " ORDER BY d.due_at LIMIT 10000) d
                WHERE ", running!(), "
                UNION ALL
               SELECT 1 FROM campaign c
                CROSS JOIN LATERAL (SELECT 1 FROM message_due d WHERE ", due_of_sender!(), " ORDER BY d.due_at LIMIT 10000) d
                WHERE ", running_with_others!(), " LIMIT 10000) n";
    citus: "";
    sqlite: "SELECT count(*) FROM (SELECT 1 FROM campaign c CROSS JOIN message_due d
              WHERE ", running!(), " AND ", due!(), "
              UNION ALL
             SELECT 1 FROM campaign c CROSS JOIN message_due d
              WHERE ", running_with_others!(), " AND ", due_of_sender!(), " LIMIT 10000) n"
);

macro_rules! oldest_due {
    () => {
        concat!(
            "SELECT min(oldest) FROM (
                SELECT (SELECT d.due_at FROM message_due d WHERE ",
            due!(),
            " ORDER BY d.due_at LIMIT 1) AS oldest
                  FROM campaign c WHERE ",
            running!(),
            "
                 UNION ALL
                SELECT (SELECT d.due_at FROM message_due d WHERE ",
            due_of_sender!(),
            " ORDER BY d.due_at LIMIT 1) AS oldest
                  FROM campaign c WHERE ",
            running_with_others!(),
            " LIMIT 10000) o"
        )
    };
}
const OLDEST_DUE: &Statement =
    statement!(postgres: oldest_due!(); citus: ""; sqlite: oldest_due!());

/// Of a campaign, because such limits within a statement of several accounts are asked of all nodes.
const DUE_OF_CAMPAIGN: &Statement = statement!(citus:
    "SELECT count(*) AS due, min(due_at) AS oldest FROM (
        SELECT due_at FROM message_due WHERE account_id = $1 AND campaign_id = $2 AND due_at <= $3 AND fence = 0 AND sender = $4
         ORDER BY due_at LIMIT 10000) d"
);

/// What waits for workers. Ages are zero where nothing waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backlog {
    pub lanes: Vec<LaneBacklog>,
    /// The age of the oldest counts that no rollup has.
    pub roll_up_lag: TimeDelta,
    /// In the order of the senders asked for.
    pub senders: Vec<SenderBacklog>,
}

/// What waits on a lane of imports. Of more than 10,000 open imports those of the first accounts are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneBacklog {
    pub lane: Lane,
    /// Chunks that are not stored yet, those among them on which workers are.
    pub chunks: i64,
    pub parked: i64,
    /// The time since the import of the oldest chunk was accepted.
    pub oldest: TimeDelta,
}

/// What a sender has to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SenderBacklog {
    /// Messages of running campaigns that may be sent by now, at most 10,000.
    pub due: i64,
    /// The time since the oldest of them was due.
    pub oldest: TimeDelta,
    /// Receipts of the last hour that fit no message, at most 10,000. Those of the last minute may still come to fit one.
    pub unmatched_receipts: i64,
}

#[derive(FromQueryResult)]
struct OpenImports {
    lane: Parsed<Lane>,
    chunks: i64,
    parked: i64,
    oldest: Option<DateTime<Utc>>,
}

#[derive(Default, FromQueryResult)]
struct DueOfCampaign {
    due: i64,
    oldest: Option<DateTime<Utc>>,
}

/// Receipts by ids that no answer gave.
const UNMATCHED: &Statement = statement!(
    "SELECT count(*) FROM (SELECT 1 FROM stray_receipt WHERE sender = $1 AND received_at < $2 LIMIT 10000) s"
);
/// Most answers that a receipt overtakes come much sooner.
const ANSWERED_WITHIN: TimeDelta = TimeDelta::minutes(1);

/// The most due messages that are counted.
const MOST_DUE: i64 = 10_000;

impl Store {
    /// What waits, all of it as of one moment; on several nodes as of one of each, without those that are away.
    pub async fn backlog(&self, senders: &[String]) -> Result<Backlog> {
        let tx = self.snapshot().await?;
        let now = tx.now().await?;
        let age = |since: Vec<Option<DateTime<Utc>>>| {
            let since = since.into_iter().flatten().min();
            since.map_or_else(TimeDelta::zero, |since| {
                (now - since).max(TimeDelta::zero())
            })
        };
        let (open, pending): (Vec<OpenImports>, Vec<DateTime<Utc>>) = if self.is_distributed() {
            let open = self.scan(OPEN_IMPORTS, vec![]).await?;
            (open, self.scan_values(OLDEST_PENDING, vec![]).await?)
        } else {
            let open = tx.fetch_all(OPEN_IMPORTS, vec![]).await?;
            (open, tx.fetch_values(OLDEST_PENDING, vec![]).await?)
        };
        let lanes = Lane::ALL.map(|lane| {
            let open = || open.iter().filter(|open| open.lane.0 == lane);
            LaneBacklog {
                lane,
                chunks: open().map(|open| open.chunks).sum(),
                parked: open().map(|open| open.parked).sum(),
                oldest: age(open().map(|open| open.oldest).collect()),
            }
        });
        let mut backlog = Backlog {
            lanes: lanes.to_vec(),
            roll_up_lag: age(pending.into_iter().map(Some).collect()),
            senders: Vec::new(),
        };
        for sender in senders {
            let (due, oldest) = if self.is_distributed() {
                self.due_by_campaign(sender, now).await?
            } else {
                tx.due_messages(sender, now).await?
            };
            let oldest = age(vec![oldest]);
            backlog.senders.push(SenderBacklog {
                due,
                oldest,
                unmatched_receipts: tx.unmatched_receipts(sender, now).await?,
            });
        }
        Ok(backlog)
    }

    /// Receipts of a sender, of the last hour, that fit no message, at most 10,000. Those of the last minute may still come to fit one.
    pub async fn unmatched_receipts(&self, sender: &str) -> Result<i64> {
        let tx = self.snapshot().await?;
        let now = tx.now().await?;
        tx.unmatched_receipts(sender, now).await
    }

    /// On several nodes.
    async fn due_by_campaign(
        &self,
        sender: &str,
        now: DateTime<Utc>,
    ) -> Result<(i64, Option<DateTime<Utc>>)> {
        let (mut due, mut oldest) = (0, None);
        for key in self.campaigns_with_due(sender).await? {
            let of_campaign = self
                .fetch_one(DUE_OF_CAMPAIGN, values![key, now, sender])
                .await;
            let of_campaign = self.unless_away(key.account_id, of_campaign)?;
            let of_campaign: DueOfCampaign = of_campaign.unwrap_or_default();
            due = MOST_DUE.min(due + of_campaign.due);
            oldest = [oldest, of_campaign.oldest].into_iter().flatten().min();
        }
        Ok((due, oldest))
    }
}

impl Tx {
    async fn unmatched_receipts(&self, sender: &str, now: DateTime<Utc>) -> Result<i64> {
        let unmatched = values![sender, now - ANSWERED_WITHIN];
        let unmatched: Option<i64> = self.fetch_value(UNMATCHED, unmatched).await?;
        Ok(unmatched.unwrap_or_default())
    }

    async fn due_messages(
        &self,
        sender: &str,
        now: DateTime<Utc>,
    ) -> Result<(i64, Option<DateTime<Utc>>)> {
        let due: Option<i64> = self.fetch_value(DUE, values![sender, now]).await?;
        let oldest: Option<Option<DateTime<Utc>>> =
            self.fetch_value(OLDEST_DUE, values![sender, now]).await?;
        Ok((due.unwrap_or_default(), oldest.flatten()))
    }
}
