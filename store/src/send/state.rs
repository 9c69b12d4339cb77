//! How senders are: as their drivers saw them last, and what waits for them.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, TimeDelta, Utc};
use domain::campaign::{CampaignStatus, Counts, MessageStatus};
use domain::sms::SenderState;
use entity::{account, sender_state};
use sea_orm::{EntityTrait, FromQueryResult, QueryOrder, QuerySelect};
use uuid::Uuid;

use super::MessageKey;
use crate::tx::{Accounts, Parsed, Sql, Statement, statement, values};
use crate::{Result, Store, Tx};

/// A sender whose driver said nothing for so long has none. Another process takes its lease over sooner.
const UNATTENDED_AFTER: TimeDelta = TimeDelta::seconds(15);
/// The reason of a sender that a person paused.
pub const PAUSED_BY_HAND: &str = "by_hand";

/// How a sender is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSender {
    pub name: String,
    pub state: SenderState,
    /// A code, never a provider's text.
    pub reason: Option<String>,
    /// Since when it is so.
    pub since: Option<DateTime<Utc>>,
    pub last_accepted_at: Option<DateTime<Utc>>,
}

impl StoredSender {
    /// How a sender is at a moment, by what was noted of it.
    fn at(now: DateTime<Utc>, noted: sender_state::Model) -> Self {
        let is_silent = noted
            .seen_at
            .is_none_or(|seen_at| now - seen_at > UNATTENDED_AFTER);
        let (state, reason, since) = if let Some(paused_at) = noted.paused_at {
            let reason = PAUSED_BY_HAND.to_owned();
            (SenderState::Paused, Some(reason), Some(paused_at))
        } else if is_silent {
            (SenderState::Unattended, None, noted.seen_at)
        } else {
            let state = noted.state.parse().unwrap_or(SenderState::Error);
            (state, noted.reason, noted.since)
        };
        Self {
            name: noted.name,
            state,
            reason,
            since,
            last_accepted_at: noted.last_accepted_at,
        }
    }
}

/// What a driver says of its sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SenderNote {
    /// Never [`SenderState::Unattended`].
    pub state: SenderState,
    pub reason: Option<String>,
}

/// What an account has with a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderFigures {
    /// Messages that are scheduled.
    pub waiting: i64,
    /// When the first of those that may be sent by now was due.
    pub oldest_at: Option<DateTime<Utc>>,
    /// Messages that may have been sent, of campaigns that go on or ended within a week.
    pub unknown: i64,
}

const NOTE: &Statement = statement!(
    "INSERT INTO sender_state AS s (name, state, reason, since, seen_at, last_accepted_at) VALUES ($1, $2, $3, $4, $4, $5)
         ON CONFLICT (name) DO UPDATE SET
            since = CASE WHEN s.state = excluded.state AND coalesce(s.reason, '') = coalesce(excluded.reason, '')
                         THEN coalesce(s.since, excluded.since) ELSE excluded.since END,
            state = excluded.state, reason = excluded.reason, seen_at = excluded.seen_at,
            last_accepted_at = coalesce(excluded.last_accepted_at, s.last_accepted_at)
     RETURNING paused_at"
);

/// The sender need not have been driven yet.
const PAUSE: &Statement = statement!(
    "INSERT INTO sender_state AS s (name, state, paused_at) VALUES ($1, $2, $3)
         ON CONFLICT (name) DO UPDATE SET paused_at = coalesce(s.paused_at, excluded.paused_at)"
);

const RESUME: &Statement = statement!(
    "UPDATE sender_state SET paused_at = NULL WHERE name = $1 AND paused_at IS NOT NULL"
);

/// How long after its end a campaign's messages of an unknown result are told: whoever cares has looked by then.
const TOLD_FOR: TimeDelta = TimeDelta::days(7);

/// The counts of an account's campaigns that go on or ended since a moment, tests excepted, by their senders.
const COUNTS: &Statement = statement!(
    "SELECT c.sender, c.status, t.counts FROM campaign c
       JOIN (SELECT account_id, campaign_id, kind, counts FROM campaign_tally WHERE account_id = $1
              UNION ALL
             SELECT account_id, campaign_id, kind, counts FROM campaign_delta WHERE account_id = $1) t
         ON t.account_id = c.account_id AND t.campaign_id = c.campaign_id
      WHERE c.account_id = $1 AND t.kind <> 'test'
        AND (c.status IN ('RUNNING', 'PAUSED') OR c.status = 'FINISHED' AND c.finished_at > $2)"
);

/// The counts that have messages of an unknown result, of the campaigns of all accounts that go on or ended since a moment.
const UNKNOWN: &Statement = statement!(accounts "c.account_id = ANY($2) AND t.account_id = ANY($2)":
    "SELECT c.sender, c.status, t.counts FROM campaign c
       JOIN campaign_tally t ON t.account_id = c.account_id AND t.campaign_id = c.campaign_id
      WHERE t.kind <> 'test' AND t.counts LIKE '%\"unknown\"%'
        AND (c.status IN ('RUNNING', 'PAUSED') OR c.status = 'FINISHED' AND c.finished_at > $1)"; ""
);

/// Each campaign looks up its first by the key.
const OLDEST_DUE: &Statement = statement!(
    "SELECT sender, min(oldest) AS oldest FROM (
        SELECT c.sender, (
               SELECT d.due_at FROM message_due d
                WHERE d.account_id = $1 AND d.campaign_id = c.campaign_id AND d.due_at <= $2 AND d.fence = 0 AND d.phone IS NULL
                ORDER BY d.due_at LIMIT 1) AS oldest
          FROM campaign c WHERE c.account_id = $1 AND c.status = 'RUNNING') o
      WHERE oldest IS NOT NULL GROUP BY sender"
);

#[derive(FromQueryResult)]
struct SenderCounts {
    sender: String,
    status: Parsed<CampaignStatus>,
    counts: Parsed<Counts>,
}

#[derive(FromQueryResult)]
struct SenderOldest {
    sender: String,
    oldest: DateTime<Utc>,
}

/// A message that a sender accepted.
#[derive(Clone, Copy, Debug)]
pub struct AcceptedMessage {
    /// The account's.
    pub account_number: i32,
    pub message_id: Uuid,
}

impl Store {
    /// Notes how a sender is, and whether it accepted messages since the last note. Whether a person paused it.
    ///
    /// # Errors
    /// Doing it again is safe.
    pub async fn note_sender(&self, name: &str, note: &SenderNote, accepted: bool) -> Result<bool> {
        let now = self.now().await?;
        let (state, reason) = (note.state.into_str(), note.reason.as_deref());
        let tx = self.begin().await?;
        let values = values![name, state, reason, now, accepted.then_some(now)];
        let paused_at: Option<Option<DateTime<Utc>>> = tx.fetch_value(NOTE, values).await?;
        tx.commit_surely().await?;
        Ok(paused_at.flatten().is_some())
    }

    /// The senders of which something was noted, as they are now.
    pub async fn senders(&self) -> Result<Vec<StoredSender>> {
        let now = self.now().await?;
        let noted = sender_state::Entity::find().order_by_asc(sender_state::Column::Name);
        let noted = noted.all(self).await?.into_iter();
        Ok(noted.map(|noted| StoredSender::at(now, noted)).collect())
    }

    /// Lets a sender take nothing until a person lets it go on: its driver learns of it within two seconds.
    ///
    /// # Errors
    /// Doing it again is safe.
    pub async fn pause_sender(&self, name: &str) -> Result<()> {
        let now = self.now().await?;
        let values = values![name, SenderState::Ok.into_str(), now];
        self.execute(PAUSE, values).await.map(drop)
    }

    /// Lets a sender that a person paused go on.
    ///
    /// # Errors
    /// Doing it again is safe.
    pub async fn resume_sender(&self, name: &str) -> Result<()> {
        self.execute(RESUME, values![name]).await.map(drop)
    }

    /// The messages that a sender accepted and has not reported. Those on nodes that are away are missing.
    pub async fn accepted_messages(&self, sender: &str) -> Result<Vec<AcceptedMessage>> {
        let accepted = statement!(accounts "c.account_id = ANY($2) AND m.account_id = ANY($2)":
            "SELECT c.account_id, m.message_id FROM campaign c
               JOIN message m ON m.account_id = c.account_id AND m.campaign_id = c.campaign_id
              WHERE c.sender = $1 AND m.status = 'accepted'"; ""
        );
        let mut messages: Vec<MessageKey> = Vec::new();
        for part in self.parts(Accounts::All).await?.there {
            let of_part = self.scan_part(&part, accepted, values![sender]).await?;
            messages.extend::<Vec<MessageKey>>(of_part.unwrap_or_default());
        }
        let numbers = account::Entity::find()
            .select_only()
            .columns([account::Column::AccountId, account::Column::Number]);
        let numbers: Vec<(Uuid, i32)> = numbers.into_tuple().all(self).await?;
        let numbers: HashMap<Uuid, i32> = numbers.into_iter().collect();
        let accepted = messages.into_iter().filter_map(|message| {
            Some(AcceptedMessage {
                account_number: *numbers.get(&message.account_id)?,
                message_id: message.message_id,
            })
        });
        Ok(accepted.collect())
    }

    /// Messages of an unknown result by sender, of the campaigns of all accounts that go on or ended within a week. Those on nodes that
    /// are away are missing.
    pub async fn unknown_by_sender(&self) -> Result<BTreeMap<String, i64>> {
        let since = self.now().await? - TOLD_FOR;
        let mut unknown = BTreeMap::new();
        for part in self.parts(Accounts::All).await?.there {
            let of_part = self.scan_part(&part, UNKNOWN, values![since]).await?;
            let of_part: Vec<SenderCounts> = of_part.unwrap_or_default();
            for row in of_part {
                *unknown.entry(row.sender).or_default() +=
                    row.counts.0.status(MessageStatus::Unknown);
            }
        }
        Ok(unknown)
    }

    /// What an account has with the senders of its campaigns, by their names.
    pub async fn figures_by_sender(
        &self,
        account_id: Uuid,
    ) -> Result<BTreeMap<String, SenderFigures>> {
        let tx = self.snapshot().await?;
        let now = tx.now().await?;
        let mut figures: BTreeMap<String, SenderFigures> = BTreeMap::new();
        let counts = values![account_id, now - TOLD_FOR];
        let counts: Vec<SenderCounts> = tx.fetch_all(COUNTS, counts).await?;
        for row in counts {
            let of_sender = figures.entry(row.sender).or_default();
            of_sender.unknown += row.counts.0.status(MessageStatus::Unknown);
            if matches!(
                row.status.0,
                CampaignStatus::Running | CampaignStatus::Paused
            ) {
                of_sender.waiting += row.counts.0.status(MessageStatus::Scheduled);
            }
        }
        let oldest: Vec<SenderOldest> = tx.fetch_all(OLDEST_DUE, values![account_id, now]).await?;
        for row in oldest {
            let of_sender = figures.entry(row.sender).or_default();
            of_sender.oldest_at = Some(row.oldest);
        }
        Ok(figures)
    }
}

impl Tx {
    /// How a sender is now; `None`: it never was driven.
    pub(super) async fn sender(&self, name: &str) -> Result<Option<StoredSender>> {
        let now = self.now().await?;
        let noted = sender_state::Entity::find_by_id(name).one(self).await?;
        Ok(noted.map(|noted| StoredSender::at(now, noted)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sender_is_as_its_driver_says_unless_it_is_silent_or_paused() {
        let now = DateTime::UNIX_EPOCH + TimeDelta::hours(1);
        let ago = |seconds| Some(now - TimeDelta::seconds(seconds));
        let noted = |seen_at, paused_at| sender_state::Model {
            name: "main".to_owned(),
            state: "error".to_owned(),
            reason: Some("401".to_owned()),
            since: ago(600),
            seen_at,
            last_accepted_at: None,
            paused_at,
        };
        let at = |seen_at, paused_at| {
            let sender = StoredSender::at(now, noted(seen_at, paused_at));
            (sender.state, sender.reason, sender.since)
        };
        let code = |code: &str| Some(code.to_owned());
        for (seen_at, paused_at, expected) in [
            (ago(15), None, (SenderState::Error, code("401"), ago(600))),
            (ago(16), None, (SenderState::Unattended, None, ago(16))),
            (None, None, (SenderState::Unattended, None, None)),
            (
                ago(1),
                ago(5),
                (SenderState::Paused, code(PAUSED_BY_HAND), ago(5)),
            ),
        ] {
            assert_eq!(at(seen_at, paused_at), expected);
        }
    }
}
