//! One step of whoever drives a sender, in one transaction: the results of messages that were handed over are recorded, and due
//! messages are claimed for the places that are free then. So a message costs no commit of its own.
//!
//! - `results`: what became of messages. `claims`: which are handed over next.

mod claims;
mod results;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use domain::campaign::{CampaignContent, CampaignStatus, MessageKind};
use domain::form::{FormContent, FormStatus};
use domain::pepper::Pepper;
use domain::sms::{Country, Parts};
use uuid::Uuid;

use super::CampaignKey;
use super::lease::Lease;
use super::tally::Changes;
use crate::tx::{Sql, get, json, parsed, values};
use crate::{Committed, Error, Store, Tx};

/// A message whose result becomes known.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub claimed: ClaimedKey,
    pub result: HandedResult,
}

/// What came of handing a message over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HandedResult {
    Accepted {
        provider_ids: Vec<String>,
    },
    /// Refused for good.
    Refused {
        code: String,
    },
    /// Certainly not sent. The fifth time the message fails.
    NotSent {
        code: String,
        retry_at: DateTime<Utc>,
    },
    /// Certainly not sent, through no fault of the message.
    Waits {
        retry_at: DateTime<Utc>,
    },
    /// It may have been sent.
    Unknown {
        code: String,
    },
    /// Never handed over: claimed in a step whose end was not known.
    Unsent,
}

/// Certain failures after which a message fails.
const MAX_FAILURES: i64 = 5;

/// The row that holds a claimed message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClaimedKey {
    pub campaign: CampaignKey,
    pub due_at: DateTime<Utc>,
    pub message_id: Uuid,
}

/// A message to be handed over now. Its `Debug` shows neither phone nor text.
#[derive(Clone)]
pub struct Claimed {
    pub key: ClaimedKey,
    pub account_number: i32,
    pub phone: String,
    pub text: String,
    pub parts: Parts,
    pub validity: Duration,
}

impl std::fmt::Debug for Claimed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Claimed")
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
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
        /// Campaigns that had fewer messages due than were wanted.
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
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn campaigns_with_due(&self, sender: &str) -> Result<Vec<CampaignKey>, Error> {
        let now = self.now().await?;
        let due: Vec<(Uuid, Uuid)> = self
            .all(
                "SELECT c.account_id, c.campaign_id FROM campaign c
                  WHERE c.sender = $1 AND c.status = 'RUNNING'
                    AND EXISTS (SELECT 1 FROM message_due d WHERE d.account_id = c.account_id
                                   AND d.campaign_id = c.campaign_id AND d.due_at <= $2 AND d.fence = 0)
                  UNION
                 SELECT account_id, campaign_id FROM message_due
                  WHERE sender = $1 AND phone IS NOT NULL AND due_at <= $2 AND fence = 0
                  ORDER BY account_id, campaign_id",
                values![sender, now],
            )
            .await?;
        let keys = due.into_iter();
        Ok(keys
            .map(|(account, id)| CampaignKey::new(account, id))
            .collect())
    }

    /// The messages that are claimed under a lease, or under an older one of the same name.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn claimed_under(&self, lease: &Lease) -> Result<Vec<(ClaimedKey, i64)>, Error> {
        let tx = self.begin().await?;
        // Waits for a step whose end is not known.
        let lock = tx.locking("SELECT fence FROM lease WHERE name = $1", "FOR UPDATE");
        tx.rows(lock, values![lease.name.as_str()]).await?;
        let rows = tx
            .rows(
                "SELECT account_id, campaign_id, due_at, message_id, fence FROM message_due
                  WHERE sender = $1 AND fence > 0 AND fence <= $2",
                values![lease.name.as_str(), lease.fence],
            )
            .await?;
        let claimed = rows.iter().map(|row| {
            let key = ClaimedKey {
                campaign: CampaignKey::new(get(row, "account_id")?, get(row, "campaign_id")?),
                due_at: get(row, "due_at")?,
                message_id: get(row, "message_id")?,
            };
            Ok((key, get(row, "fence")?))
        });
        claimed.collect()
    }

    /// Records results, and claims due messages of the campaigns wanted. Results that are recorded already change nothing.
    ///
    /// # Errors
    /// See [`Error`]: nothing was changed.
    pub async fn drive(
        &self,
        driver: &Driver<'_>,
        outcomes: &[Outcome],
        wanted: &[Wanted],
    ) -> Result<Step, Error> {
        let tx = self.begin_by_key().await?;
        if !tx.holds(driver.lease).await? {
            return Ok(Step::LeaseLost);
        }
        let now = tx.now().await?;
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
        let mut changes = Changes::default();
        tx.record_results(driver, outcomes, &campaigns, now, &mut changes)
            .await?;
        let (mut claimed, mut drained) = (Vec::new(), Vec::new());
        for wanted in wanted {
            let Some(campaign) = campaigns.get(&wanted.campaign) else {
                drained.push(wanted.campaign);
                continue;
            };
            let found = if campaign.status == CampaignStatus::Cancelled {
                0
            } else {
                tx.claim_due_messages(driver, wanted, campaign, now, &mut changes, &mut claimed)
                    .await?
            };
            if found < wanted.messages {
                drained.push(wanted.campaign);
            }
        }
        tx.append_counts(changes).await?;
        Ok(match tx.commit().await? {
            Committed::Done => Step::Done { claimed, drained },
            Committed::Unknown(error) => Step::Unknown(error),
        })
    }
}

impl Tx {
    /// A campaign as it stands. Its row is locked against changes of its status.
    async fn load(&self, key: CampaignKey) -> Result<Option<Loaded>, Error> {
        let campaign = "SELECT status, content, form_id FROM campaign WHERE account_id = $1 AND campaign_id = $2";
        let campaign = self.locking(campaign, "FOR SHARE");
        let Some(row) = self.row(campaign, values![key]).await? else {
            return Ok(None);
        };
        let account = "SELECT time_zone, number FROM account WHERE account_id = $1";
        let account = self.row(account, values![key.account_id]).await?;
        let account = account.ok_or_else(|| Error::broken("a campaign without an account"))?;
        let form_id: Uuid = get(&row, "form_id")?;
        let form =
            "SELECT content FROM form WHERE account_id = $1 AND form_id = $2 AND status <> $3";
        let deleted = FormStatus::Deleted.as_str();
        let form = self
            .row(form, values![key.account_id, form_id, deleted])
            .await?;
        Ok(Some(Loaded {
            status: parsed(&row, "status")?,
            content: json(&row, "content")?,
            account_zone: parsed(&account, "time_zone")?,
            account_number: get(&account, "number")?,
            form: form.as_ref().map(|row| json(row, "content")).transpose()?,
        }))
    }
}

/// The kind that a row names.
fn kind(row: &sea_orm::QueryResult) -> Result<MessageKind, Error> {
    parsed(row, "kind")
}
