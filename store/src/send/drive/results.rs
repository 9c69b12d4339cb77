//! What became of messages that were handed over.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use domain::campaign::{CampaignStatus, Count, CountsDelta, MessageKind, MessageStatus};
use domain::date_range::day_of;
use domain::rollup::DayCounts;
use sea_orm::Value;
use uuid::Uuid;

use super::{Driver, HandedResult, Loaded, MAX_FAILURES, Outcome, kind};
use crate::send::CampaignKey;
use crate::send::tally::{Changes, ReportPlace, report_place};
use crate::tx::{get, parsed, values};
use crate::{Error, Tx};

const LOCK_DUE_POSTGRES: &str = "SELECT d.due_at, d.message_id, d.failures
       FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::uuid[]) AS g(a, c, t, m)
      CROSS JOIN LATERAL (
            SELECT d.due_at, d.message_id, d.failures FROM message_due d
             WHERE d.account_id = g.a AND d.campaign_id = g.c AND d.due_at = g.t AND d.message_id = g.m AND d.fence > 0
               FOR UPDATE) d";
const LOCK_DUE_SQLITE: &str = "SELECT due_at, message_id, failures FROM message_due
      WHERE account_id = $1 AND campaign_id = $2 AND due_at = $3 AND message_id = $4 AND fence > 0";

const LOCK_MESSAGES_POSTGRES: &str = "SELECT m.account_id, m.message_id, m.kind, m.status, m.parts,
            m.answered_at IS NOT NULL AS is_answered, l.form_id, l.bus_prop_ids
       FROM unnest($1::uuid[], $2::uuid[]) AS g(a, m)
      CROSS JOIN LATERAL (
            SELECT * FROM message m WHERE m.account_id = g.a AND m.message_id = g.m FOR NO KEY UPDATE) m
       LEFT JOIN link l ON l.account_id = g.a AND l.link_id = m.link_id";
const LOCK_MESSAGES_SQLITE: &str = "SELECT m.account_id, m.message_id, m.kind, m.status, m.parts,
            m.answered_at IS NOT NULL AS is_answered, l.form_id, l.bus_prop_ids
       FROM message m LEFT JOIN link l ON l.account_id = m.account_id AND l.link_id = m.link_id
      WHERE m.account_id = $1 AND m.message_id = $2";

const DELETE_DUE_POSTGRES: &str = "DELETE FROM message_due d
      USING unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::uuid[]) AS g(a, c, t, m)
      WHERE d.account_id = g.a AND d.campaign_id = g.c AND d.due_at = g.t AND d.message_id = g.m";
const DELETE_DUE_SQLITE: &str = "DELETE FROM message_due
      WHERE account_id = $1 AND campaign_id = $2 AND due_at = $3 AND message_id = $4";

const PUT_OFF_POSTGRES: &str = "UPDATE message_due d SET fence = 0, due_at = g.later, failures = g.failures
       FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::uuid[], $5::timestamptz[], $6::bigint[])
            AS g(a, c, t, m, later, failures)
      WHERE d.account_id = g.a AND d.campaign_id = g.c AND d.due_at = g.t AND d.message_id = g.m";
const PUT_OFF_SQLITE: &str = "UPDATE message_due SET fence = 0, due_at = $5, failures = $6
      WHERE account_id = $1 AND campaign_id = $2 AND due_at = $3 AND message_id = $4";

const UPDATE_POSTGRES: &str = "UPDATE message m
        SET status = g.s, code = coalesce(g.code, m.code), provider_ids = g.ids,
            accepted_at = coalesce(m.accepted_at, g.at), accepted_day = coalesce(m.accepted_day, g.day)
       FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::date[])
            AS g(a, m, s, code, ids, at, day)
      WHERE m.account_id = g.a AND m.message_id = g.m";
const UPDATE_SQLITE: &str = "UPDATE message
        SET status = $3, code = coalesce($4, code), provider_ids = $5,
            accepted_at = coalesce(accepted_at, $6), accepted_day = coalesce(accepted_day, $7)
      WHERE account_id = $1 AND message_id = $2";

const REF_POSTGRES: &str = "INSERT INTO provider_ref (sender, provider_id, account_id, message_id, part, created_at)
     SELECT * FROM unnest($1::text[], $2::text[], $3::uuid[], $4::uuid[], $5::bigint[], $6::timestamptz[])
         ON CONFLICT DO NOTHING";
const REF_SQLITE: &str =
    "INSERT INTO provider_ref (sender, provider_id, account_id, message_id, part, created_at)
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";

/// What is written of a result.
struct Written<'a> {
    status: MessageStatus,
    code: Option<&'a str>,
    provider_ids: &'a [String],
    accepted_at: Option<DateTime<Utc>>,
    /// When the message is due again, and its failures then.
    due_again: Option<(DateTime<Utc>, i64)>,
}

impl<'a> Written<'a> {
    fn ended(status: MessageStatus, code: Option<&'a str>) -> Self {
        Self {
            status,
            code,
            provider_ids: &[],
            accepted_at: None,
            due_again: None,
        }
    }

    fn again(at: DateTime<Utc>, failures: i64, code: Option<&'a str>) -> Self {
        let again = Self::ended(MessageStatus::Scheduled, code);
        Self {
            due_again: Some((at, failures)),
            ..again
        }
    }

    /// What a result comes to for a message that is being sent.
    fn of(result: &'a HandedResult, failures: i64, now: DateTime<Utc>) -> Self {
        match result {
            HandedResult::Accepted { provider_ids } => Self {
                provider_ids,
                accepted_at: Some(now),
                ..Self::ended(MessageStatus::Accepted, None)
            },
            HandedResult::Refused { code } => Self::ended(MessageStatus::Failed, Some(code)),
            HandedResult::Unknown { code } => Self::ended(MessageStatus::Unknown, Some(code)),
            HandedResult::NotSent { code, .. } if failures + 1 >= MAX_FAILURES => {
                Self::ended(MessageStatus::Failed, Some(code))
            }
            HandedResult::NotSent { code, retry_at } => {
                Self::again(*retry_at, failures + 1, Some(code))
            }
            HandedResult::Waits { retry_at } => Self::again(*retry_at, failures, None),
            HandedResult::Unsent => Self::again(now, failures, None),
        }
    }
}

/// A message that is claimed.
struct Sending {
    kind: MessageKind,
    before: MessageStatus,
    parts: i64,
    is_answered: bool,
    place: Option<ReportPlace>,
}

/// When a message was due, and its id.
type DueOf = (DateTime<Utc>, Uuid);

fn due_of(outcome: &Outcome) -> DueOf {
    (outcome.claimed.due_at, outcome.claimed.message_id)
}

/// The key of an outcome's row in `message_due`.
fn due_key(outcome: &Outcome) -> Vec<Value> {
    let key = outcome.claimed;
    values![key.campaign, key.due_at, key.message_id]
}

/// The key of an outcome's row in `message`.
fn message_key(outcome: &Outcome) -> Vec<Value> {
    let key = outcome.claimed;
    values![key.campaign.account_id, key.message_id]
}

impl Tx {
    /// Records results of messages that are claimed. One whose claim is gone is recorded already.
    pub(super) async fn record_results(
        &self,
        driver: &Driver<'_>,
        outcomes: &[Outcome],
        campaigns: &BTreeMap<CampaignKey, Loaded>,
        now: DateTime<Utc>,
        changes: &mut Changes,
    ) -> Result<(), Error> {
        if outcomes.is_empty() {
            return Ok(());
        }
        let (outcomes, failures) = self.lock_due(outcomes).await?;
        let messages = self.lock_claimed(&outcomes).await?;
        let (mut updated, mut deleted, mut put_off) = (Vec::new(), Vec::new(), Vec::new());
        let mut refs = Vec::new();
        for outcome in outcomes {
            let key = outcome.claimed;
            let Some(message) = messages.get(&key.message_id) else {
                deleted.push(due_key(outcome));
                continue;
            };
            let (kind, before) = (message.kind, message.before);
            let failures = failures.get(&due_of(outcome)).copied().unwrap_or_default();
            let mut written = Written::of(&outcome.result, failures, now);
            let campaign = campaigns.get(&key.campaign);
            let is_over =
                campaign.is_none_or(|campaign| campaign.status == CampaignStatus::Cancelled);
            if written.due_again.is_some() && is_over {
                written = Written::ended(MessageStatus::Cancelled, written.code);
            }
            if before != MessageStatus::Sending {
                // A receipt came before the result, and says more.
                written.status = before;
                written.accepted_at = None;
                written.due_again = None;
            }
            let zone = campaign.map_or(Tz::UTC, |campaign| campaign.account_zone);
            let accepted_day = written.accepted_at.map(|at| day_of(at, zone));
            if let (Some(day), Some((form, ids))) = (accepted_day, &message.place)
                && kind != MessageKind::Test
            {
                let counts = DayCounts::message(false, message.is_answered);
                changes.reported.add_messages(*form, day, ids, counts);
            }
            let moved = CountsDelta::moved(Count::Status(before), Count::Status(written.status));
            let delta = changes.of(key.campaign, kind);
            delta.merge(&moved);
            if matches!(
                written.status,
                MessageStatus::Scheduled | MessageStatus::Cancelled
            ) {
                // They were counted when it was claimed.
                delta.add(Count::Parts, -message.parts);
            }
            if driver.keeps_ids {
                let ids = (0_i64..).zip(written.provider_ids);
                refs.extend(ids.map(|(part, id)| {
                    let name = driver.lease.name.as_str();
                    values![
                        name,
                        id.as_str(),
                        key.campaign.account_id,
                        key.message_id,
                        part,
                        now
                    ]
                }));
            }
            let ids = serde_json::to_string(written.provider_ids).map_err(Error::broken)?;
            let mut row = message_key(outcome);
            row.extend(values![
                written.status.as_str(),
                written.code,
                ids,
                written.accepted_at,
                accepted_day
            ]);
            updated.push(row);
            let mut row = due_key(outcome);
            match written.due_again {
                Some((at, failures)) => {
                    row.extend(values![at, failures]);
                    put_off.push(row);
                }
                None => deleted.push(row),
            }
        }
        self.each(UPDATE_POSTGRES, UPDATE_SQLITE, updated).await?;
        self.each(DELETE_DUE_POSTGRES, DELETE_DUE_SQLITE, deleted)
            .await?;
        self.each(PUT_OFF_POSTGRES, PUT_OFF_SQLITE, put_off).await?;
        self.each(REF_POSTGRES, REF_SQLITE, refs).await?;
        Ok(())
    }

    /// The outcomes of messages that are still claimed, in the order of the messages; and how often each failed.
    async fn lock_due<'a>(
        &self,
        outcomes: &'a [Outcome],
    ) -> Result<(Vec<&'a Outcome>, HashMap<DueOf, i64>), Error> {
        let mut outcomes: Vec<&Outcome> = outcomes.iter().collect();
        outcomes.sort_unstable_by_key(|outcome| outcome.claimed);
        let rows = outcomes.iter().map(|outcome| due_key(outcome)).collect();
        let mut failures = HashMap::new();
        for row in self.each(LOCK_DUE_POSTGRES, LOCK_DUE_SQLITE, rows).await? {
            let key = (get(&row, "due_at")?, get(&row, "message_id")?);
            failures.insert(key, get(&row, "failures")?);
        }
        outcomes.retain(|outcome| failures.contains_key(&due_of(outcome)));
        outcomes.sort_unstable_by_key(|outcome| {
            let key = outcome.claimed;
            (key.campaign.account_id, key.message_id)
        });
        Ok((outcomes, failures))
    }

    /// The messages of these outcomes, by their ids.
    async fn lock_claimed(&self, outcomes: &[&Outcome]) -> Result<HashMap<Uuid, Sending>, Error> {
        let rows = outcomes.iter().map(|outcome| message_key(outcome));
        let locked = self.each(LOCK_MESSAGES_POSTGRES, LOCK_MESSAGES_SQLITE, rows.collect());
        let mut messages = HashMap::new();
        for row in locked.await? {
            let message = Sending {
                kind: kind(&row)?,
                before: parsed(&row, "status")?,
                parts: get(&row, "parts")?,
                is_answered: get(&row, "is_answered")?,
                place: report_place(&row)?,
            };
            messages.insert(get(&row, "message_id")?, message);
        }
        Ok(messages)
    }

    /// Takes messages out of the due ones.
    pub(in crate::send) async fn delete_due(&self, due: Vec<Vec<Value>>) -> Result<(), Error> {
        self.each(DELETE_DUE_POSTGRES, DELETE_DUE_SQLITE, due)
            .await?;
        Ok(())
    }
}
