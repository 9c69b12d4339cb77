//! How senders are, as their drivers saw them last.

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use domain::campaign::CampaignContent;
use domain::sms::SenderState;
use entity::{account, sender_state};
use parking_lot::Mutex;
use sea_orm::{EntityTrait, FromQueryResult, QueryOrder, QuerySelect};
use uuid::Uuid;

use super::MessageKey;
use super::lease::timeline;
use crate::tx::{Accounts, JsonText, Sql, Statement, statement, values};
use crate::{Result, Store, Tx};

/// A sender whose driver said nothing for so long has none. Another process takes its lease over sooner.
const UNATTENDED_AFTER: TimeDelta = TimeDelta::seconds(15);
/// So many messages are enough to say that a provider refuses what it gets, or reports nothing. [`NOTE`] counts no further.
const ENOUGH: i64 = 10;
/// How long it is told that a provider refused messages, if none follow.
const REFUSED_LATELY: TimeDelta = TimeDelta::days(1);
/// How long receipts may take.
const REPORTED_WITHIN: TimeDelta = TimeDelta::hours(2);
/// How long it is told that none came, if nothing more is sent.
const UNREPORTED_LATELY: TimeDelta = TimeDelta::days(7);
/// While receipts came so lately, what is accepted is not waited for: they may come before it is noted.
const RECEIPTS_CAME: TimeDelta = TimeDelta::minutes(1);
/// How often a process notes that receipts come.
const RECEIPTS_NOTED: Duration = Duration::from_secs(10);
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
    /// The last code with which its provider refused a message, while it refuses more than it takes.
    pub refused_code: Option<String>,
    /// Since when messages were accepted and not one receipt came, if that is long.
    pub unreported_since: Option<DateTime<Utc>>,
    /// Since when it takes nothing although nobody paused it: it is in error, for whatever reasons, or unattended.
    away_since: Option<DateTime<Utc>>,
}

impl StoredSender {
    /// Whether it has taken nothing since a moment although nobody paused it.
    pub fn is_away_since(&self, moment: DateTime<Utc>) -> bool {
        self.away_since.is_some_and(|since| since <= moment)
    }

    /// Whether a driver ever said how it is, so that it is known since when none does.
    pub(super) fn was_driven(&self) -> bool {
        self.state != SenderState::Unattended || self.since.is_some()
    }

    #[cfg(test)]
    pub(super) fn of_state(name: &str, state: SenderState, since: DateTime<Utc>) -> Self {
        let is_away = matches!(state, SenderState::Error | SenderState::Unattended);
        Self {
            name: name.to_owned(),
            state,
            reason: None,
            since: Some(since),
            last_accepted_at: None,
            refused_code: None,
            unreported_since: None,
            away_since: is_away.then_some(since),
        }
    }

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
            // Each may be later than the other: by a new code, or by a person who had it tried again.
            let error_since = noted.error_since.filter(|_| state == SenderState::Error);
            let since = error_since.into_iter().chain(noted.since).min();
            (state, noted.reason, since)
        };
        let is_refused = noted.refusals >= ENOUGH
            && noted.refused_at.is_some_and(|at| now - at < REFUSED_LATELY);
        let is_unreported = noted.unreported >= ENOUGH
            && noted
                .last_accepted_at
                .is_some_and(|at| now - at < UNREPORTED_LATELY);
        let unreported_since = noted.unreported_since.filter(|_| is_unreported);
        let away_since = match state {
            SenderState::Error => noted.error_since,
            SenderState::Unattended => noted.error_since.or(noted.seen_at),
            SenderState::Ok | SenderState::Paused => None,
        };
        Self {
            away_since,
            name: noted.name,
            state,
            reason,
            since,
            last_accepted_at: noted.last_accepted_at,
            refused_code: noted.refused_code.filter(|_| is_refused),
            unreported_since: unreported_since.filter(|since| now - *since > REPORTED_WITHIN),
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

/// What came of messages since a driver's last note.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SenderResults {
    pub accepted: i64,
    /// Those of them that receipts are asked for.
    pub unreported: i64,
    pub refused: i64,
    /// Of the last that was refused.
    pub refused_code: Option<String>,
}

/// When a process last noted that receipts of a sender come.
#[derive(Debug, Default)]
pub struct ReceiptNote(Mutex<Option<Instant>>);

impl ReceiptNote {
    /// Whether it is time to note it again; then it counts as noted.
    fn is_due(&self) -> bool {
        let mut noted = self.0.lock();
        let is_due = noted.is_none_or(|at| at.elapsed() >= RECEIPTS_NOTED);
        if is_due {
            *noted = Some(Instant::now());
        }
        is_due
    }
}

macro_rules! note {
    () => {
    "INSERT INTO sender_state AS s (name, state, reason, since, seen_at, last_accepted_at) VALUES ($1, $2, $3, $4, $4, $5)
         ON CONFLICT (name) DO UPDATE SET
            since = CASE WHEN s.state = excluded.state AND coalesce(s.reason, '') = coalesce(excluded.reason, '')
                         THEN coalesce(s.since, excluded.since) ELSE excluded.since END,
            error_since = CASE WHEN excluded.state = 'error' THEN coalesce(s.error_since, excluded.seen_at) END,
            state = excluded.state, reason = excluded.reason, seen_at = excluded.seen_at,
            last_accepted_at = coalesce(excluded.last_accepted_at, s.last_accepted_at),
            refusals = CASE WHEN s.refusals + $6 < 0 THEN 0 WHEN s.refusals + $6 > 10 THEN 10 ELSE s.refusals + $6 END,
            refused_code = coalesce($7, s.refused_code), refused_at = CASE WHEN $7 IS NULL THEN s.refused_at ELSE excluded.seen_at END,
            unreported = CASE WHEN s.receipt_at > $9 THEN 0 ELSE s.unreported + $8 END,
            unreported_since = CASE WHEN s.receipt_at > $9 THEN NULL WHEN $8 > 0 THEN coalesce(s.unreported_since, excluded.seen_at)
                                    ELSE s.unreported_since END
     RETURNING paused_at, resumed_at, "
    };
}
const NOTE: &Statement =
    statement!(postgres: note!(), timeline!(); sqlite: note!(), "0 AS timeline");

/// What persons want of a sender, and where the database is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromQueryResult)]
pub struct SenderWish {
    pub paused_at: Option<DateTime<Utc>>,
    /// When one last let it go on, or tried it again.
    pub resumed_at: Option<DateTime<Utc>>,
    /// The database's, when it was noted.
    pub timeline: i64,
}

/// The sender need not have been driven yet.
const PAUSE: &Statement = statement!(
    "INSERT INTO sender_state AS s (name, state, paused_at) VALUES ($1, $2, $3)
         ON CONFLICT (name) DO UPDATE SET paused_at = coalesce(s.paused_at, excluded.paused_at)"
);

const RECEIVED: &Statement = statement!(
    "UPDATE sender_state SET receipt_at = $2, unreported = 0, unreported_since = NULL WHERE name = $1"
);

const RESUME: &Statement = statement!(
    "UPDATE sender_state SET paused_at = NULL, resumed_at = $2, error_since = NULL WHERE name = $1"
);

/// Which senders campaigns that go on have.
const NEEDED: &Statement = statement!(accounts "account_id = ANY($1)":
    "SELECT DISTINCT sender, CASE WHEN senders IS NULL THEN NULL ELSE content END AS content
       FROM campaign WHERE status IN ('RUNNING', 'PAUSED')"; ""
);

#[derive(FromQueryResult)]
struct NeededRow {
    sender: String,
    /// Of a campaign that names several.
    content: Option<JsonText<CampaignContent>>,
}

/// A message that a sender accepted.
#[derive(Clone, Copy, Debug)]
pub struct AcceptedMessage {
    /// The account's.
    pub account_number: i32,
    pub message_id: Uuid,
}

impl Store {
    /// Notes how a sender is, and what came of messages since the last note. What persons want of it.
    ///
    /// # Errors
    /// Doing it again is safe.
    pub async fn note_sender(
        &self,
        name: &str,
        note: &SenderNote,
        results: &SenderResults,
    ) -> Result<SenderWish> {
        let now = self.now().await?;
        let (state, reason) = (note.state.into_str(), note.reason.as_deref());
        let tx = self.begin().await?;
        let values = values![
            name,
            state,
            reason,
            now,
            (results.accepted > 0).then_some(now),
            results.refused - results.accepted,
            results.refused_code.as_deref(),
            results.unreported,
            now - RECEIPTS_CAME
        ];
        let wish: Option<SenderWish> = tx.fetch_one(NOTE, values).await?;
        tx.commit_surely().await?;
        Ok(wish.unwrap_or_default())
    }

    /// Notes that a receipt of a sender came, unless this process did so lately. One that cannot be noted is left out: others follow.
    pub async fn note_receipt(&self, name: &str, note: &ReceiptNote) {
        if !note.is_due() {
            return;
        }
        let noted = async {
            let now = self.now().await?;
            self.execute(RECEIVED, values![name, now]).await
        };
        if let Err(error) = noted.await {
            tracing::debug!(%error, sender.name = %name, "a receipt was not noted");
        }
    }

    /// The senders of which something was noted, as they are now.
    pub async fn senders(&self) -> Result<Vec<StoredSender>> {
        let now = self.now().await?;
        let noted = sender_state::Entity::find().order_by_asc(sender_state::Column::Name);
        let noted = noted.all(self).await?.into_iter();
        Ok(noted.map(|noted| StoredSender::at(now, noted)).collect())
    }

    /// The names of the senders that campaigns of all accounts have which go on. Those on nodes that are away are missing.
    pub async fn needed_senders(&self) -> Result<BTreeSet<String>> {
        let rows: Vec<NeededRow> = self.scan(NEEDED, vec![]).await?;
        let mut needed = BTreeSet::new();
        for row in rows {
            match row.content {
                Some(JsonText(content)) => {
                    needed.extend(content.sender.names().into_iter().map(str::to_owned));
                }
                None => drop(needed.insert(row.sender)),
            }
        }
        Ok(needed)
    }

    /// Lets a sender take nothing until a person lets it go on, from this commit on.
    ///
    /// # Errors
    /// Doing it again is safe.
    pub async fn pause_sender(&self, name: &str) -> Result<()> {
        let now = self.now().await?;
        let values = values![name, SenderState::Ok.into_str(), now];
        self.execute(PAUSE, values).await.map(drop)
    }

    /// Lets a sender that a person paused go on, or one that is in error try again; false: nothing was noted of it.
    ///
    /// # Errors
    /// Doing it again is safe.
    pub async fn resume_sender(&self, name: &str) -> Result<bool> {
        let now = self.now().await?;
        Ok(self.execute(RESUME, values![name, now]).await? > 0)
    }

    /// The messages that a sender accepted and has not reported. Those on nodes that are away are missing.
    pub async fn accepted_messages(&self, sender: &str) -> Result<Vec<AcceptedMessage>> {
        let accepted = statement!(accounts "c.account_id = ANY($2) AND m.account_id = ANY($2)":
            "SELECT c.account_id, m.message_id FROM campaign c
               JOIN message m ON m.account_id = c.account_id AND m.campaign_id = c.campaign_id
              WHERE (c.sender = $1 OR c.senders LIKE '% ' || $1 || ' %') AND coalesce(m.sender, c.sender) = $1
                AND m.status = 'accepted'"; ""
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
            error_since: ago(700),
            seen_at,
            last_accepted_at: None,
            paused_at,
            resumed_at: None,
            refusals: 0,
            refused_code: None,
            refused_at: None,
            unreported: 0,
            unreported_since: None,
            receipt_at: None,
        };
        let at = |seen_at, paused_at| {
            let sender = StoredSender::at(now, noted(seen_at, paused_at));
            (sender.state, sender.reason, sender.since)
        };
        let code = |code: &str| Some(code.to_owned());
        for (seen_at, paused_at, expected) in [
            (ago(15), None, (SenderState::Error, code("401"), ago(700))),
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
        // It has been away since before the reason was another, but not by a person's will.
        for (seen_at, paused_at, is_away) in [
            (ago(1), None, true),
            (ago(100), None, true),
            (ago(1), ago(700), false),
        ] {
            let sender = StoredSender::at(now, noted(seen_at, paused_at));
            assert_eq!(sender.is_away_since(now - TimeDelta::seconds(700)), is_away);
            assert!(!sender.is_away_since(now - TimeDelta::seconds(701)));
        }
    }

    #[test]
    fn what_is_refused_and_what_is_not_reported_is_told_once_it_is_much_and_while_it_is_new() {
        let now = DateTime::UNIX_EPOCH + TimeDelta::days(30);
        let ago = |hours| Some(now - TimeDelta::hours(hours));
        let noted = |(refusals, refused_at), (unreported, since, accepted_at)| {
            let noted = sender_state::Model {
                name: "main".to_owned(),
                state: "ok".to_owned(),
                reason: None,
                since: ago(1),
                error_since: None,
                seen_at: ago(0),
                last_accepted_at: accepted_at,
                paused_at: None,
                resumed_at: None,
                refusals,
                refused_code: Some("1".to_owned()),
                refused_at,
                unreported,
                unreported_since: since,
                receipt_at: None,
            };
            let sender = StoredSender::at(now, noted);
            let is_unreported = sender.unreported_since.is_some();
            (sender.refused_code.is_some(), is_unreported)
        };
        for (refused, unreported, expected) in [
            ((0, None), (0, None, None), (false, false)),
            ((9, ago(0)), (9, ago(3), ago(3)), (false, false)),
            ((10, ago(23)), (10, ago(3), ago(3)), (true, true)),
            ((10, ago(24)), (10, ago(2), ago(1)), (false, false)),
            ((10, None), (10, ago(200), ago(169)), (false, false)),
        ] {
            assert_eq!(noted(refused, unreported), expected, "{refused:?}");
        }
    }
}
