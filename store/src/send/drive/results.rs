//! What became of messages that were handed over.

use std::collections::{BTreeMap, HashMap};

use domain::campaign::{CampaignStatus, MessageKind, MessageStatus};
use domain::date_range::day_of;
use uuid::Uuid;

use super::{DELETE_DUE, Loaded, Outcome, SET_DUE, StepTx};
use crate::send::CampaignKey;
use crate::send::tally::Counted;
use crate::tx::{Sql, get, values};
use crate::{Error, Result};

/// Certain failures after which a message fails.
const MAX_FAILURES: i64 = 5;

/// Messages that are not recorded, in the order of their ids, as receipts lock them. A condition on the fence would make PostgreSQL
/// read all that is claimed, and what was: it has an index.
const CLAIMED: &str = "WITH g(a, c, t, m) AS (ROWS) SELECT d.account_id, d.message_id, d.fence, d.failures, m.kind,
            m.status, m.parts, m.answered_at IS NOT NULL AS is_answered, l.form_id, l.bus_prop_ids
       FROM g JOIN message_due d ON d.account_id = g.a AND d.campaign_id = g.c AND d.due_at = g.t AND d.message_id = g.m
       JOIN message m ON m.account_id = g.a AND m.message_id = g.m
       LEFT JOIN link l ON l.account_id = m.account_id AND l.link_id = m.link_id
      ORDER BY m.account_id, m.message_id";

const UPDATE: &str = "WITH g(a, m, s, code, ids, at, day) AS (ROWS)
     UPDATE message AS m SET status = g.s, code = coalesce(g.code, m.code), provider_ids = g.ids,
            accepted_at = coalesce(m.accepted_at, g.at), accepted_day = coalesce(m.accepted_day, g.day)
       FROM g WHERE m.account_id = g.a AND m.message_id = g.m";

/// A provider that gives an id again means the newer message.
const REF: &str = "WITH g(a, m, s, i, n, t) AS (ROWS)
     INSERT INTO provider_ref (account_id, message_id, sender, provider_id, part, created_at) SELECT * FROM g WHERE true
         ON CONFLICT (sender, provider_id) DO UPDATE SET account_id = excluded.account_id, message_id = excluded.message_id,
            part = excluded.part, created_at = excluded.created_at";

impl StepTx<'_> {
    /// Records results of messages that are still claimed, and gives what they came to.
    pub(super) async fn record_results(
        &mut self,
        outcomes: &[Outcome],
        campaigns: &BTreeMap<CampaignKey, Loaded>,
    ) -> Result<Vec<MessageStatus>> {
        // The messages that are still claimed, by their ids, and how often each failed.
        let rows = outcomes.iter().map(|outcome| outcome.claimed.of_due());
        let claimed = self.tx.locking(CLAIMED, "FOR UPDATE OF d, m");
        let mut messages: HashMap<Uuid, (Counted, i64)> = HashMap::new();
        for row in self.tx.for_rows(&claimed, rows.collect()).await? {
            if get::<i64>(&row, "fence")? > 0 {
                let message = (Counted::read(&row)?, get(&row, "failures")?);
                messages.insert(get(&row, "message_id")?, message);
            }
        }
        let (mut recorded, mut reminders) = (vec![], vec![]);
        let mut references = BTreeMap::new();
        for outcome in outcomes {
            let key = outcome.claimed;
            let Some((message, failures)) = messages.get(&key.message_id) else {
                continue;
            };
            let open = campaigns.get(&key.campaign);
            let open = open.filter(|campaign| campaign.status != CampaignStatus::Cancelled);
            let failures = failures + i64::from(outcome.code.is_some());
            let mut status = match outcome.retry_at {
                Some(_) if outcome.code.is_some() && failures >= MAX_FAILURES => {
                    MessageStatus::Failed
                }
                Some(_) if open.is_none() => MessageStatus::Cancelled,
                _ => outcome.status,
            };
            recorded.push(status);
            let mut accepted = campaigns.get(&key.campaign);
            accepted = accepted.filter(|_| status == MessageStatus::Accepted);
            if message.before != MessageStatus::Sending {
                // A receipt came before the result, and says more.
                status = message.before;
                accepted = None;
            }
            let day = accepted.map(|campaign| day_of(self.now, campaign.account_zone));
            self.changes
                .count_change(key.campaign, message, status, day);
            if let MessageStatus::Scheduled | MessageStatus::Cancelled = status {
                // They were counted when it was claimed.
                self.add_parts(key.campaign, message.kind, -message.parts);
            }
            if let (MessageKind::First, MessageStatus::Accepted, Some(campaign), false) =
                (message.kind, status, open, self.driver.has_receipts)
            {
                reminders.push((key.campaign, key.message_id, &campaign.content));
            }
            let (code, accepted_at) = (outcome.code.as_deref(), day.map(|_| self.now));
            let ids = serde_json::to_string(&outcome.provider_ids).map_err(Error::broken)?;
            let result = values![status.into_str(), code, ids, accepted_at, day];
            self.write(UPDATE, key.of_message(), result);
            match outcome.retry_at {
                Some(at) if status == MessageStatus::Scheduled => {
                    self.write(SET_DUE, key.of_due(), values![0_i64, at, failures]);
                }
                _ => self.write(DELETE_DUE, key.of_due(), vec![]),
            }
            for (part, id) in (0_i64..).zip(&outcome.provider_ids) {
                references.entry(id).or_insert((key, part));
            }
        }
        if self.driver.keeps_ids {
            for (id, (key, part)) in references {
                let name = self.driver.lease.name.as_str();
                let reference = values![name, id.as_str(), part, self.now];
                self.write(REF, key.of_message(), reference);
            }
        }
        let (now, changes) = (self.now, &mut self.changes);
        self.tx.plan_reminders(&reminders, now, changes).await?;
        Ok(recorded)
    }
}
