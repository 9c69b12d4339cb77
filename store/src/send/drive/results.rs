//! What became of messages that were handed over.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, NaiveDate, Utc};
use domain::campaign::{CampaignStatus, MessageKind, MessageStatus};
use domain::date_range::day_of;
use sea_orm::FromQueryResult;
use uuid::Uuid;

use super::charge::Charge;
use super::routes::Again;
use super::{DELETE_DUE, DueKey, LockedCampaign, Outcome, StepTx};
use crate::send::due::OWN_SENDER;
use crate::send::provider_id::{self, Echo};
use crate::send::receipt::ALL_PARTS;
use crate::send::tally::Counted;
use crate::send::{CampaignKey, MessageKey};
use crate::tx::{BatchStatement, JsonText, Parsed, batch_row, statement};
use crate::{Error, Result};

/// Certain failures after which a message fails.
const MAX_FAILURES: i64 = 5;

/// Messages that are not recorded, in the order of their ids, as receipts lock them. A condition on the fence would make PostgreSQL
/// read all that is claimed, and what was: it has an index.
const CLAIMED: &BatchStatement<DueKey> = statement!(DueKey lock "FOR UPDATE OF d, m":
    "SELECT d.account_id, d.message_id, d.fence, d.failures, d.sender_list, d.echo, d.charge, m.kind, m.status, m.parts, m.answered_at IS NOT NULL AS is_answered,
            l.form_id, l.bus_prop_ids
       FROM batch
       JOIN message_due d ON d.account_id = batch.account_id AND d.campaign_id = batch.campaign_id AND d.due_at = batch.due_at
        AND d.message_id = batch.message_id
       JOIN message m ON m.account_id = batch.account_id AND m.message_id = batch.message_id
       LEFT JOIN link l ON l.account_id = m.account_id AND l.link_id = m.link_id
      ORDER BY m.account_id, m.message_id"
);

#[derive(FromQueryResult)]
struct ClaimedMessage {
    message_id: Uuid,
    fence: i64,
    failures: i64,
    sender_list: Option<String>,
    echo: Option<Parsed<Echo>>,
    /// `None`: a program of before claimed it.
    charge: Option<JsonText<Charge>>,
    #[sea_orm(nested)]
    counted: Counted,
}

impl ClaimedMessage {
    /// Whether an earlier try may have sent it.
    fn may_be_sent(&self) -> bool {
        let is_own = self.sender_list.as_deref() == Some(OWN_SENDER);
        is_own && self.counted.kind.0 != MessageKind::Test
    }

    /// What receipts may name it by after such an outcome, and the part that each is of.
    fn names(&self, outcome: &Outcome, status: MessageStatus) -> Result<Vec<(String, i64)>> {
        let parts = self.counted.parts;
        // One id of several parts is that of all.
        let first = match outcome.provider_ids.len() {
            1 if parts > 1 => ALL_PARTS,
            _ => 0,
        };
        let ids = outcome.provider_ids.iter().map(|id| provider_id::key(id));
        let mut names: Vec<_> = ids.zip(first..).collect();
        // The process that knows its number may end before the receipt comes.
        if let (MessageStatus::Unknown, Some(Parsed(echo))) = (status, &self.echo) {
            for part in 0..parts {
                let number = u16::try_from(part).map_err(Error::broken)?;
                names.push((echo.key_of_part(number), part));
            }
        }
        Ok(names)
    }
}

batch_row! {
    /// What became of a message.
    struct MessageResult {
        message: MessageKey,
        status: &'static str,
        code: Option<String>,
        provider_ids: String,
        accepted_at: Option<DateTime<Utc>>,
        accepted_day: Option<NaiveDate>,
        taken_back: i64,
    }
}

/// Where a receipt came before the result its code stands.
const RECORD: &BatchStatement<MessageResult> = statement!(MessageResult:
    "UPDATE message AS m SET status = batch.status, code = CASE WHEN m.status = 'sending' THEN batch.code ELSE m.code END,
            provider_ids = batch.provider_ids, cost = m.cost - batch.taken_back,
            accepted_at = coalesce(m.accepted_at, batch.accepted_at), accepted_day = coalesce(m.accepted_day, batch.accepted_day)
       FROM batch WHERE m.account_id = batch.account_id AND m.message_id = batch.message_id"
);

batch_row! {
    /// The message that a provider means by an id.
    struct ProviderRef {
        sender: String,
        provider_id: String,
        message: MessageKey,
        part: i64,
        created_at: DateTime<Utc>,
    }
}

/// A provider that gives an id again means the newer message.
const NEW_REF: &BatchStatement<ProviderRef> = statement!(ProviderRef:
    "INSERT INTO provider_ref ({columns}) SELECT {columns} FROM batch WHERE true
         ON CONFLICT (sender, provider_id) DO UPDATE SET account_id = excluded.account_id, message_id = excluded.message_id,
            part = excluded.part, created_at = excluded.created_at"
);

impl StepTx<'_> {
    /// Records results of messages that are still claimed, and gives what they came to.
    pub(super) async fn record_results(
        &mut self,
        outcomes: &[Outcome],
        campaigns: &BTreeMap<CampaignKey, LockedCampaign>,
    ) -> Result<Vec<MessageStatus>> {
        let keys = outcomes.iter().map(|outcome| outcome.claimed);
        let claimed: Vec<ClaimedMessage> = self.tx.fetch_batch(CLAIMED, keys.collect()).await?;
        let claimed = claimed.into_iter().filter(|message| message.fence > 0);
        let claimed: HashMap<Uuid, ClaimedMessage> = claimed
            .map(|message| (message.message_id, message))
            .collect();
        let (mut recorded, mut reminders, mut again) = (vec![], vec![], vec![]);
        let mut references = BTreeMap::new();
        for outcome in outcomes {
            let key = outcome.claimed;
            let Some(claimed) = claimed.get(&key.message_id) else {
                continue;
            };
            let message = &claimed.counted;
            let open = campaigns.get(&key.campaign);
            let open = open.filter(|campaign| campaign.status.0 != CampaignStatus::Cancelled);
            let failures = claimed.failures + i64::from(outcome.code.is_some());
            let mut status = match outcome.retry_after {
                Some(_) if outcome.code.is_some() && failures >= MAX_FAILURES => {
                    if outcome.stays || claimed.may_be_sent() {
                        MessageStatus::Unknown
                    } else {
                        MessageStatus::Failed
                    }
                }
                Some(_) if open.is_none() => MessageStatus::Cancelled,
                _ => outcome.status,
            };
            recorded.push(status);
            let mut accepted = campaigns.get(&key.campaign);
            accepted = accepted.filter(|_| status == MessageStatus::Accepted);
            if message.before.0 != MessageStatus::Sending {
                // A receipt came before the result, and says more.
                status = message.before.0;
                accepted = None;
            }
            let day = accepted.map(|campaign| day_of(self.now, campaign.time_zone.0));
            self.changes
                .count_change(key.campaign, message, status, day);
            let taken_back = self.uncount(key.campaign, claimed, status);
            if let (MessageKind::First, MessageStatus::Accepted, Some(campaign), false) =
                (message.kind.0, status, open, self.driver.has_receipts)
            {
                reminders.push((key.campaign, key.message_id, campaign.routes()));
            }
            let result = MessageResult {
                message: key.message(),
                status: status.into_str(),
                code: outcome.code.clone(),
                provider_ids: serde_json::to_string(&outcome.provider_ids)
                    .map_err(Error::broken)?,
                accepted_at: day.map(|_| self.now),
                accepted_day: day,
                taken_back,
            };
            self.writes.add(RECORD, result);
            match outcome.retry_after {
                Some(wait) if status == MessageStatus::Scheduled => again.push(Again {
                    key,
                    until: self.now + wait,
                    failures,
                    stays: outcome.stays || claimed.sender_list.as_deref() == Some(OWN_SENDER),
                }),
                _ => self.writes.add(DELETE_DUE, key),
            }
            for (id, part) in claimed.names(outcome, status)? {
                references.entry(id).or_insert((key, part));
            }
        }
        if self.driver.keeps_ids {
            for (id, (key, part)) in references {
                let reference = ProviderRef {
                    sender: self.driver.lease.name.clone(),
                    provider_id: id,
                    message: key.message(),
                    part,
                    created_at: self.now,
                };
                self.writes.add(NEW_REF, reference);
            }
        }
        self.put_off_by_routes(again, campaigns).await?;
        let (now, changes) = (self.now, &mut self.changes);
        self.tx.plan_reminders(&reminders, now, changes).await?;
        Ok(recorded)
    }

    /// Takes back what was counted of a message when it was claimed, if it was certainly not sent: what it was to cost, in millionths.
    fn uncount(
        &mut self,
        campaign: CampaignKey,
        claimed: &ClaimedMessage,
        status: MessageStatus,
    ) -> i64 {
        let message = &claimed.counted;
        let is_refused = status == MessageStatus::Failed;
        let is_unsent = matches!(status, MessageStatus::Scheduled | MessageStatus::Cancelled);
        if is_unsent {
            self.add_parts(campaign, message.kind.0, -message.parts);
        }
        let charge = claimed.charge.as_ref();
        let charge = charge.filter(|_| is_unsent || is_refused);
        charge.map_or(0, |JsonText(charge)| {
            self.take_back(campaign, charge);
            charge.millionths().unwrap_or_default()
        })
    }
}
