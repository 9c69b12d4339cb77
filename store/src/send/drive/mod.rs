//! One step of whoever drives a sender, in one transaction: the results of messages that were handed over are recorded, and due
//! messages are claimed for the places that are free then. So a message costs no commit of its own.
//!
//! - `results`: what became of messages. `claims`: which are handed over next. `quota`: what an account may send a day; `charge`: what
//!   messages cost; `budget`: what may still be spent; `per_day`: how many a campaign asks of a store, say. `phones`: recipients who have
//!   another phone by now. `routes`: messages that are another sender's by now.

mod budget;
mod charge;
pub(super) mod claims;
mod per_day;
mod phones;
mod quota;
mod results;
mod routes;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicU16;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use domain::campaign::{CampaignContent, CampaignStatus, Count, MessageKind, MessageStatus};
use domain::form::{FormContent, FormStatus};
use domain::pepper::Pepper;
use domain::price::Prices;
use domain::sms::{Country, NumberType, Parts, SendSetting};
use entity::lease;
use sea_orm::sea_query::LockType;
use sea_orm::{EntityTrait, FromQueryResult, QuerySelect};
use uuid::Uuid;

use self::charge::Charges;
use super::lease::Lease;
use super::tally::Changes;
use super::{CampaignKey, MessageKey};
use crate::tx::{
    BatchStatement, BatchWrites, JsonText, Parsed, Sql, Statement, batch_row, statement, values,
};
use crate::{Committed, Error, Result, Store, Tx};

/// What came of handing a message over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub claimed: DueKey,
    /// Accepted, failed or unknown; scheduled if it was certainly not sent.
    pub status: MessageStatus,
    /// With one, what was certainly not sent has failed: the fifth time for good.
    pub code: Option<String>,
    pub provider_ids: Vec<String>,
    /// After how long what was certainly not sent, or is taken once however often it is sent, is due again, by the database's clock.
    pub retry_after: Option<TimeDelta>,
    /// It may have been sent, so no other sender takes it.
    pub stays: bool,
}

batch_row! {
    /// The key of a row of `message_due`, which a message keeps while it is claimed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, FromQueryResult)]
    pub struct DueKey {
        #[sea_orm(nested)]
        campaign: CampaignKey,
        due_at: DateTime<Utc>,
        message_id: Uuid,
    }
}

impl DueKey {
    pub(super) fn campaign(self) -> CampaignKey {
        self.campaign
    }

    pub(super) fn message(self) -> MessageKey {
        MessageKey {
            account_id: self.campaign.account_id,
            message_id: self.message_id,
        }
    }
}

batch_row! {
    /// A due message that is claimed, or due again later: then its fence is 0.
    pub(super) struct DueChange {
        key: DueKey,
        fence: i64,
        next_due_at: DateTime<Utc>,
        failures: i64,
        echo: Option<String>,
        /// Its sender and its list from now on, if these are others.
        sender: Option<String>,
        sender_list: Option<String>,
        charge: Option<String>,
    }
}

pub(super) const CHANGE_DUE: &BatchStatement<DueChange> = statement!(DueChange:
    "UPDATE message_due AS d SET fence = batch.fence, due_at = batch.next_due_at, failures = batch.failures, echo = batch.echo,
            sender = coalesce(batch.sender, d.sender), sender_list = coalesce(batch.sender_list, d.sender_list), charge = batch.charge
       FROM batch WHERE d.account_id = batch.account_id AND d.campaign_id = batch.campaign_id AND d.due_at = batch.due_at
        AND d.message_id = batch.message_id"
);

/// Of messages of which nothing is to be done any more.
pub(super) const DELETE_DUE: &BatchStatement<DueKey> = statement!(DueKey:
    "DELETE FROM message_due WHERE ({columns}) IN (SELECT {columns} FROM batch)"
);

macro_rules! with_due {
    ($of_campaigns:literal, $of_messages:literal) => {
        concat!(
            "SELECT c.account_id, c.campaign_id FROM campaign c
              WHERE c.sender = $1 AND c.senders IS NULL AND c.status = 'RUNNING' ", $of_campaigns, "
                AND EXISTS (SELECT 1 FROM message_due d WHERE d.account_id = c.account_id
                               AND d.campaign_id = c.campaign_id AND d.due_at <= $2 AND d.fence = 0 ", $of_messages, ")
              UNION
             SELECT c.account_id, c.campaign_id FROM campaign c
              WHERE c.senders IS NOT NULL AND c.senders LIKE '% ' || $1 || ' %'
                AND c.status IN ('RUNNING', 'PAUSED') AND c.status = 'RUNNING' ", $of_campaigns, "
                AND EXISTS (SELECT 1 FROM message_due d WHERE d.account_id = c.account_id AND d.campaign_id = c.campaign_id
                               AND d.sender = $1 AND d.sender_list IS NOT NULL AND d.due_at <= $2 AND d.fence = 0 ", $of_messages, ")
              UNION
             SELECT d.account_id, d.campaign_id FROM message_due d
              WHERE d.sender = $1 AND d.phone IS NOT NULL AND d.due_at <= $2 AND d.fence = 0 ", $of_messages, "
              ORDER BY account_id, campaign_id"
        )
    };
}
/// Campaigns of which messages are due; of those that do not run, tests.
const CAMPAIGNS_WITH_DUE: &Statement = statement!(
    postgres: with_due!("", "");
    citus: with_due!("AND c.account_id = ANY($3)", "AND d.account_id = ANY($3)");
    sqlite: with_due!("", "")
);

const CLAIMED_UNDER: &Statement = statement!(accounts "account_id = ANY($3)":
    "SELECT account_id, campaign_id, due_at, message_id, fence FROM message_due WHERE sender = $1 AND fence > 0 AND fence <= $2"; ""
);

#[derive(FromQueryResult)]
struct ClaimedRow {
    #[sea_orm(nested)]
    key: DueKey,
    fence: i64,
}

const CAMPAIGN: &Statement = statement!(lock "FOR SHARE OF c":
    "SELECT c.status, c.content, c.senders IS NOT NULL AS names_several, a.time_zone, a.number, coalesce(f.content, 'null') AS form, coalesce(s.content, '{}') AS setting
       FROM campaign c JOIN account a ON a.account_id = c.account_id
       LEFT JOIN send_setting s ON s.account_id = c.account_id
       LEFT JOIN form f ON f.account_id = c.account_id AND f.form_id = c.form_id AND f.status <> $3
      WHERE c.account_id = $1 AND c.campaign_id = $2"
);

/// A campaign with what judging its messages needs.
#[derive(FromQueryResult)]
struct LockedCampaign {
    status: Parsed<CampaignStatus>,
    content: JsonText<CampaignContent>,
    /// Its messages have senders of their own.
    names_several: bool,
    time_zone: Parsed<Tz>,
    /// The account's.
    number: i32,
    /// None of a form that was deleted.
    form: JsonText<Option<FormContent>>,
    /// The account's.
    setting: JsonText<SendSetting>,
}

/// A message to be handed over now. Its `Debug` shows neither phone nor text.
#[derive(Clone, derive_more::Debug)]
#[debug("Claimed({key:?})")]
pub struct Claimed {
    pub key: DueKey,
    /// When a person last asked for it, or when it was planned, in microseconds since 1970: what tells its receipts from those of before.
    pub attempt: i64,
    /// None of a reply.
    pub kind: Option<MessageKind>,
    /// The database's, under which it was claimed; 0 of an embedded one.
    pub timeline: i64,
    pub account_number: i32,
    pub phone: String,
    pub text: String,
    pub parts: Parts,
    /// Of its first part, for receipts that echo it.
    pub number: u16,
    pub validity: Duration,
}

/// What a driver is and may do.
#[derive(Debug)]
pub struct Driver<'a> {
    pub lease: &'a Lease,
    pub pepper: &'a Pepper,
    /// The countries that the sender serves; `None`: all.
    pub countries: Option<&'a [Country]>,
    /// The types of numbers that the sender serves; `None`: those that are usual.
    pub types: Option<&'a [NumberType]>,
    /// What comes before a link's token.
    pub link_prefix: &'a str,
    /// The provider's receipts carry its own ids, and numbers of ours that some echo.
    pub keeps_ids: bool,
    /// The number of the next part that is handed over.
    pub numbers: &'a AtomicU16,
    /// The provider sends receipts.
    pub has_receipts: bool,
    /// What one account may send a day; `None`: no limit.
    pub parts_per_day: Option<u64>,
    /// What a part costs; `None`: nobody says.
    pub prices: Option<&'a Prices>,
}

/// How many messages of a campaign may be claimed.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    pub campaign: CampaignKey,
    pub messages: usize,
}

/// What a step came to.
#[derive(Debug)]
pub enum DriveOutcome {
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

impl Store {
    /// The campaigns that may have messages due now, of a sender. Of one that does not run these are tests.
    pub async fn campaigns_with_due(&self, sender: &str) -> Result<Vec<CampaignKey>> {
        let now = self.now().await?;
        self.scan(CAMPAIGNS_WITH_DUE, values![sender, now]).await
    }

    /// The messages that are claimed under a lease, or under an older one of the same name, and whether these are all: those on
    /// nodes that are away are missing.
    pub async fn claimed_under(&self, lease: &Lease) -> Result<(Vec<(DueKey, i64)>, bool)> {
        let tx = self.begin().await?;
        // Waits for a step whose end is not known.
        lease::Entity::find_by_id(lease.name.as_str())
            .lock(LockType::Update)
            .one(&tx)
            .await?;
        let values = values![lease.name.as_str(), lease.fence];
        let (claimed, are_all): (Vec<ClaimedRow>, bool) = if self.is_distributed() {
            // Each node is asked by a connection of the pool.
            tx.rollback().await?;
            self.scan_all(CLAIMED_UNDER, values).await?
        } else {
            (tx.fetch_all(CLAIMED_UNDER, values).await?, true)
        };
        let claimed = claimed.into_iter().map(|row| (row.key, row.fence));
        Ok((claimed.collect(), are_all))
    }

    /// Records results, and claims due messages of the campaigns wanted, unless a person has paused the sender. Results that are recorded
    /// already change nothing.
    ///
    /// # Errors
    /// Nothing was changed then.
    pub async fn drive(
        &self,
        driver: &Driver<'_>,
        outcomes: &[Outcome],
        wanted: &[Wanted],
    ) -> Result<DriveOutcome> {
        self.retry(|| async move {
            let tx = self.begin_driving().await?;
            let Some(held) = tx.holds(driver.lease).await? else {
                return Ok(DriveOutcome::LeaseLost);
            };
            let of_outcomes = outcomes.iter().map(|outcome| outcome.claimed.campaign);
            let keys: BTreeSet<CampaignKey> = of_outcomes
                .chain(wanted.iter().map(|wanted| wanted.campaign))
                .collect();
            let mut campaigns = BTreeMap::new();
            for key in keys {
                // Locked against changes of its status.
                let values = values![key, FormStatus::Deleted.as_str()];
                let campaign: Option<LockedCampaign> = tx.fetch_one(CAMPAIGN, values).await?;
                campaigns.extend(campaign.map(|campaign| (key, campaign)));
            }
            tx.lock_budgets(wanted, &mut campaigns).await?;
            let mut step = StepTx {
                driver,
                timeline: held.timeline,
                now: tx.now().await?,
                tx,
                changes: Changes::default(),
                parts: BTreeMap::new(),
                charges: Charges::new(),
                claimed: Vec::new(),
                writes: BatchWrites::default(),
            };
            let recorded = step.record_results(outcomes, &campaigns).await?;
            let mut drained = Vec::new();
            for wanted in wanted {
                let has_more = match campaigns.get(&wanted.campaign) {
                    _ if held.is_paused => false,
                    Some(campaign) if campaign.status.0 != CampaignStatus::Cancelled => {
                        step.claim(wanted, campaign).await?
                    }
                    _ => false,
                };
                if !has_more {
                    drained.push(wanted.campaign);
                }
            }
            step.keep_parts(&campaigns);
            step.keep_charges();
            step.writes.execute(&step.tx).await?;
            step.tx.append_counts(step.changes).await?;
            Ok(match step.tx.commit().await? {
                Committed::Done => DriveOutcome::Done {
                    claimed: step.claimed,
                    recorded,
                    drained,
                },
                Committed::Unknown(error) => DriveOutcome::Unknown(error),
            })
        })
        .await
    }
}

/// A step under way.
struct StepTx<'a> {
    driver: &'a Driver<'a>,
    timeline: i64,
    tx: Tx,
    now: DateTime<Utc>,
    changes: Changes,
    /// Parts that were handed over less those that were not sent after all, by account.
    parts: BTreeMap<Uuid, i64>,
    /// What was handed over, less what was not sent after all.
    charges: Charges,
    claimed: Vec<Claimed>,
    /// What follows at its end.
    writes: BatchWrites,
}

impl StepTx<'_> {
    /// Counts parts that are handed over, or, below zero, were not sent after all.
    fn add_parts(&mut self, key: CampaignKey, kind: MessageKind, parts: i64) {
        self.changes.of(key, kind).add(Count::Parts, parts);
        *self.parts.entry(key.account_id).or_default() += parts;
    }
}
