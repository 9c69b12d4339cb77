//! One step of whoever drives a sender, in one transaction: the results of messages that were handed over are recorded, and due
//! messages are claimed for the places that are free then. So a message costs no commit of its own.
//!
//! - `results`: what became of messages. `claims`: which are handed over next. `quota`: what an account may send a day.

pub(super) mod claims;
mod quota;
mod results;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use domain::campaign::{CampaignContent, CampaignStatus, Count, MessageKind, MessageStatus};
use domain::form::{FormContent, FormStatus};
use domain::pepper::Pepper;
use domain::sms::{Country, Parts};
use indexmap::IndexMap;
use sea_orm::{FromQueryResult, Value};
use uuid::Uuid;

use super::CampaignKey;
use super::lease::Lease;
use super::tally::Changes;
use crate::tx::{Sql, get, json, parsed, read, values};
use crate::{Committed, Error, Result, Store, Tx};

/// What came of handing a message over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub claimed: ClaimedKey,
    /// Accepted, failed or unknown; scheduled if it was certainly not sent.
    pub status: MessageStatus,
    /// With one, what was certainly not sent has failed: the fifth time for good.
    pub code: Option<String>,
    pub provider_ids: Vec<String>,
    /// When what was certainly not sent is due again.
    pub retry_at: Option<DateTime<Utc>>,
}

/// Messages that are claimed, or due again later.
const SET_DUE: &str = "WITH g(a, c, t, m, fence, due_at, failures) AS (ROWS)
     UPDATE message_due AS d SET fence = g.fence, due_at = g.due_at, failures = g.failures
       FROM g WHERE d.account_id = g.a AND d.campaign_id = g.c AND d.due_at = g.t AND d.message_id = g.m";

/// Messages of which nothing is to be done any more.
const DELETE_DUE: &str = "WITH g(a, c, t, m) AS (ROWS) DELETE FROM message_due
      WHERE (account_id, campaign_id, due_at, message_id) IN (SELECT a, c, t, m FROM g)";

/// The row that holds a claimed message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, FromQueryResult)]
pub struct ClaimedKey {
    #[sea_orm(nested)]
    pub campaign: CampaignKey,
    pub due_at: DateTime<Utc>,
    pub message_id: Uuid,
}

impl ClaimedKey {
    fn of_due(&self) -> Vec<Value> {
        values![self.campaign, self.due_at, self.message_id]
    }

    fn of_message(&self) -> Vec<Value> {
        values![self.campaign.account_id, self.message_id]
    }
}

/// A message to be handed over now. Its `Debug` shows neither phone nor text.
#[derive(Clone, derive_more::Debug)]
#[debug("Claimed({key:?})")]
pub struct Claimed {
    pub key: ClaimedKey,
    pub account_number: i32,
    pub phone: String,
    pub text: String,
    pub parts: Parts,
    pub validity: Duration,
}

/// What a driver is and may do.
#[derive(Debug)]
pub struct Driver<'a> {
    pub lease: &'a Lease,
    pub pepper: &'a Pepper,
    /// The countries that the sender serves; `None`: all.
    pub countries: Option<&'a [Country]>,
    /// What comes before a link's token.
    pub link_prefix: &'a str,
    /// The provider's receipts carry its own ids alone.
    pub keeps_ids: bool,
    /// The provider sends receipts.
    pub has_receipts: bool,
    /// What one account may send a day; `None`: no limit.
    pub parts_per_day: Option<u64>,
}

/// How many messages of a campaign may be claimed.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    pub campaign: CampaignKey,
    pub messages: usize,
}

/// What a step came to.
#[derive(Debug)]
pub enum Step {
    Done {
        claimed: Vec<Claimed>,
        /// What the results came to.
        recorded: Vec<MessageStatus>,
        /// Campaigns that have no more messages that may be sent now.
        drained: Vec<CampaignKey>,
    },
    /// Another process has the lease. Nothing was changed.
    LeaseLost,
    /// The COMMIT got no answer. Whether it happened is in the rows: see [`Store::claimed_under`].
    Unknown(Error),
}

/// A campaign with what judging its messages needs.
struct Loaded {
    status: CampaignStatus,
    content: CampaignContent,
    account_zone: Tz,
    account_number: i32,
    /// None of a form that was deleted.
    form: Option<FormContent>,
}

impl Store {
    /// The campaigns that may have messages due now, of a sender. Of one that does not run these are tests.
    pub async fn campaigns_with_due(&self, sender: &str) -> Result<Vec<CampaignKey>> {
        let now = self.now().await?;
        let due = "SELECT c.account_id, c.campaign_id FROM campaign c
                  WHERE c.sender = $1 AND c.status = 'RUNNING'
                    AND EXISTS (SELECT 1 FROM message_due d WHERE d.account_id = c.account_id
                                   AND d.campaign_id = c.campaign_id AND d.due_at <= $2 AND d.fence = 0)
                  UNION
                 SELECT account_id, campaign_id FROM message_due
                  WHERE sender = $1 AND phone IS NOT NULL AND due_at <= $2 AND fence = 0
                  ORDER BY account_id, campaign_id";
        let due = self.rows(due, values![sender, now]).await?;
        read(&due)
    }

    /// The messages that are claimed under a lease, or under an older one of the same name.
    pub async fn claimed_under(&self, lease: &Lease) -> Result<Vec<(ClaimedKey, i64)>> {
        let tx = self.begin().await?;
        // Waits for a step whose end is not known.
        let lock = tx.locking("SELECT fence FROM lease WHERE name = $1", "FOR UPDATE");
        tx.rows(lock, values![lease.name.as_str()]).await?;
        let rows = "SELECT account_id, campaign_id, due_at, message_id, fence FROM message_due
                  WHERE sender = $1 AND fence > 0 AND fence <= $2";
        let rows = tx
            .rows(rows, values![lease.name.as_str(), lease.fence])
            .await?;
        let claimed = rows.iter().map(|row| {
            let key = ClaimedKey::from_query_result(row, "")?;
            Ok((key, get(row, "fence")?))
        });
        claimed.collect()
    }

    /// Records results, and claims due messages of the campaigns wanted. Results that are recorded already change nothing.
    ///
    /// # Errors
    /// Nothing was changed then.
    pub async fn drive(
        &self,
        driver: &Driver<'_>,
        outcomes: &[Outcome],
        wanted: &[Wanted],
    ) -> Result<Step> {
        self.retry(|| async move {
            let tx = self.begin_by_keys().await?;
            if !tx.holds(driver.lease).await? {
                return Ok(Step::LeaseLost);
            }
            let of_outcomes = outcomes.iter().map(|outcome| outcome.claimed.campaign);
            let keys: BTreeSet<CampaignKey> = of_outcomes
                .chain(wanted.iter().map(|wanted| wanted.campaign))
                .collect();
            let mut campaigns = BTreeMap::new();
            for key in keys {
                if let Some(campaign) = tx.load(key).await? {
                    campaigns.insert(key, campaign);
                }
            }
            let mut step = StepTx {
                driver,
                now: tx.now().await?,
                tx,
                changes: Changes::default(),
                parts: BTreeMap::new(),
                claimed: Vec::new(),
                writes: IndexMap::new(),
            };
            let recorded = step.record_results(outcomes, &campaigns).await?;
            let mut drained = Vec::new();
            for wanted in wanted {
                let has_more = match campaigns.get(&wanted.campaign) {
                    Some(campaign) if campaign.status != CampaignStatus::Cancelled => {
                        step.claim(wanted, campaign).await?
                    }
                    _ => false,
                };
                if !has_more {
                    drained.push(wanted.campaign);
                }
            }
            step.keep_parts(&campaigns);
            for (sql, rows) in step.writes {
                step.tx.for_rows(sql, rows).await?;
            }
            step.tx.append_counts(step.changes).await?;
            Ok(match step.tx.commit().await? {
                Committed::Done => Step::Done {
                    claimed: step.claimed,
                    recorded,
                    drained,
                },
                Committed::Unknown(error) => Step::Unknown(error),
            })
        })
        .await
    }
}

/// A step under way.
struct StepTx<'a> {
    driver: &'a Driver<'a>,
    tx: Tx,
    now: DateTime<Utc>,
    changes: Changes,
    /// Parts that were handed over less those that were not sent after all, by account.
    parts: BTreeMap<Uuid, i64>,
    claimed: Vec<Claimed>,
    /// The statements that follow, with their rows.
    writes: IndexMap<&'static str, Vec<Vec<Value>>>,
}

impl StepTx<'_> {
    /// Leaves a row to a statement at the end of the step: parts of a key and other values.
    fn write(&mut self, sql: &'static str, mut key: Vec<Value>, values: Vec<Value>) {
        key.extend(values);
        self.writes.entry(sql).or_default().push(key);
    }

    /// Counts parts that are handed over, or, below zero, were not sent after all.
    fn add_parts(&mut self, key: CampaignKey, kind: MessageKind, parts: i64) {
        self.changes.of(key, kind).add(Count::Parts, parts);
        *self.parts.entry(key.account_id).or_default() += parts;
    }
}

impl Tx {
    /// A campaign as it stands. Its row is locked against changes of its status.
    async fn load(&self, key: CampaignKey) -> Result<Option<Loaded>> {
        let campaign = "SELECT c.status, c.content, a.time_zone, a.number, coalesce(f.content, 'null') AS form
               FROM campaign c JOIN account a ON a.account_id = c.account_id
               LEFT JOIN form f ON f.account_id = c.account_id AND f.form_id = c.form_id AND f.status <> $3
              WHERE c.account_id = $1 AND c.campaign_id = $2";
        let campaign = self.locking(campaign, "FOR SHARE OF c");
        let values = values![key, FormStatus::Deleted.as_str()];
        let Some(row) = self.row(campaign, values).await? else {
            return Ok(None);
        };
        Ok(Some(Loaded {
            status: parsed(&row, "status")?,
            content: json(&row, "content")?,
            account_zone: parsed(&row, "time_zone")?,
            account_number: get(&row, "number")?,
            form: json(&row, "form")?,
        }))
    }
}
