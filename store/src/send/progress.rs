//! Where a campaign stands: the counts of its messages, why those that are scheduled wait, and which business properties are missing.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::campaign::{
    BusPropsCheck, CampaignCounts, CampaignStatus, MessageStatus, UnknownBusProps, WaitReason,
    Waiting,
};
use domain::form::FormContent;
use domain::sms::SenderState;
use sea_orm::FromQueryResult;

use super::{Campaign, CampaignKey};
use crate::tx::{Sql, Statement, statement, values};
use crate::{Result, Store, Tx};

/// Of what is due and of what is due later so many messages are looked at: what a campaign costs to show does not grow with it.
const LOOKED_AT: i64 = 5_000;

macro_rules! waits {
    ($when:literal, $sender:literal) => {
        concat!(
            "SELECT wait, sender, count(*) AS messages, min(due_at) AS until FROM (
                SELECT d.due_at, ", $sender, " AS sender, (
                       SELECT CASE WHEN m.kind = 'reminder' THEN CASE WHEN (
                                     SELECT f.answered_at FROM message f WHERE f.account_id = $1 AND f.message_id = m.link_id
                                   ) IS NULL THEN 'reminder' ELSE 'answered' END
                                   WHEN m.scheduled_at > $3 THEN 'planned' ELSE 'first' END
                         FROM message m WHERE m.account_id = $1 AND m.message_id = d.message_id) AS wait
                  FROM message_due d
                 WHERE d.account_id = $1 AND d.campaign_id = $2 AND d.fence = 0 AND d.phone IS NULL AND d.due_at ", $when, " $3
                 ORDER BY d.due_at LIMIT $4) AS next
              GROUP BY wait, sender ORDER BY until"
        )
    };
}
const DUE: &Statement = statement!(waits!("<=", "d.sender"));
const LATER: &Statement = statement!(waits!(">", "''"));

/// The newest messages by what their recipients have in a tracking field.
const VALUES: &Statement = statement!(
    "SELECT value, count(*) AS messages FROM (
        SELECT newest.kind, (
               SELECT r.fields ->> CAST($3 AS text) FROM recipient r WHERE r.account_id = $1 AND r.docid = newest.docid) AS value
          FROM (SELECT m.kind, m.docid FROM message m WHERE m.account_id = $1 AND m.campaign_id = $2
                 ORDER BY m.message_id DESC LIMIT $4) AS newest) AS of_message
      WHERE kind = 'first' AND value IS NOT NULL GROUP BY value"
);

#[derive(FromQueryResult)]
struct ValueRow {
    value: String,
    messages: i64,
}

#[derive(FromQueryResult)]
struct WaitRow {
    /// `first` or `reminder`; `planned` is a first message whose own time has not come, `answered` a reminder that will be skipped.
    wait: String,
    /// Of what is due by now.
    sender: String,
    messages: i64,
    until: DateTime<Utc>,
}

impl WaitRow {
    fn is_answered(&self) -> bool {
        self.wait == "answered"
    }

    fn is_reminder(&self) -> bool {
        self.wait == "reminder" || self.is_answered()
    }
}

/// The messages of those rows that are meant.
fn number<'r>(rows: &'r [WaitRow], is_meant: impl Fn(&'r WaitRow) -> bool) -> i64 {
    let rows = rows.iter().filter(|row| is_meant(row));
    rows.map(|row| row.messages).sum()
}

impl Store {
    /// The counts of a campaign, and why what is scheduled waits; reminders to those who have answered do not. Where more than
    /// 5,000 messages are due and as many are due later, so many of each are told.
    pub async fn campaign_progress(
        &self,
        key: CampaignKey,
        campaign: &Campaign,
    ) -> Result<(CampaignCounts, Vec<Waiting>)> {
        let tx = self.snapshot().await?;
        let counts = tx.counts(key).await?;
        let scheduled = [&counts.first, &counts.reminder];
        let scheduled = scheduled.map(|of| of.status(MessageStatus::Scheduled));
        let waiting = match campaign.status {
            _ if scheduled == [0, 0] => vec![],
            CampaignStatus::Running => tx.waiting(key, campaign, scheduled).await?,
            _ => tx.paused(key, scheduled).await?,
        };
        Ok((counts, waiting))
    }

    /// Which business properties the form does not have, of those that the recipients of a campaign's newest 5,000 messages would
    /// give their links.
    pub async fn campaign_bus_props_unknown(
        &self,
        key: CampaignKey,
        campaign: &Campaign,
        form: &FormContent,
    ) -> Result<UnknownBusProps> {
        let mut check = BusPropsCheck::new(&campaign.content, form);
        for (name, field) in &campaign.content.bus_props_from {
            let values = values![key, field.as_str(), LOOKED_AT];
            let tx = self.snapshot().await?;
            let values: Vec<ValueRow> = tx.fetch_all(VALUES, values).await?;
            for row in values {
                let messages = row.messages.unsigned_abs();
                check.add_value(name, &row.value, messages);
            }
        }
        Ok(check.unknown())
    }
}

impl Tx {
    /// Of a campaign that does not run.
    async fn paused(&self, key: CampaignKey, [first, reminders]: [i64; 2]) -> Result<Vec<Waiting>> {
        let mut messages = first + reminders;
        if reminders > 0 {
            let now = self.now().await?;
            for statement in [DUE, LATER] {
                let rows: Vec<WaitRow> = self
                    .fetch_all(statement, values![key, now, LOOKED_AT])
                    .await?;
                messages -= number(&rows, WaitRow::is_answered);
            }
        }
        let waiting = Waiting {
            reason: WaitReason::Paused,
            messages,
            until: None,
            sender: None,
        };
        Ok(if messages > 0 { vec![waiting] } else { vec![] })
    }

    async fn waiting(
        &self,
        key: CampaignKey,
        campaign: &Campaign,
        [first, reminders]: [i64; 2],
    ) -> Result<Vec<Waiting>> {
        let now = self.now().await?;
        let values = || values![key, now, LOOKED_AT];
        let due: Vec<WaitRow> = self.fetch_all(DUE, values()).await?;
        let mut later: Vec<WaitRow> = self.fetch_all(LATER, values()).await?;
        let (mut due_now, seen) = (number(&due, |_| true), number(&later, |_| true));
        if seen < LOOKED_AT {
            due_now = first + reminders - seen;
        } else if due_now < LOOKED_AT {
            // What was not looked at waits for the same as the last of its kind that was.
            let later_reminders = reminders - number(&due, WaitRow::is_reminder);
            let reminded = number(&later, WaitRow::is_reminder);
            let unseen = [
                (true, later_reminders - reminded),
                (
                    false,
                    first + reminders - due_now - later_reminders - (seen - reminded),
                ),
            ];
            for (is_reminder, unseen) in unseen {
                let rows = later.iter_mut().rev().filter(|row| !row.is_answered());
                let mut rows = rows.filter(|row| row.is_reminder() == is_reminder);
                if let Some(row) = rows.next() {
                    row.messages += unseen;
                }
            }
        }
        due_now -= number(&due, WaitRow::is_answered);
        later.retain(|row| !row.is_answered());
        let mut waiting = Vec::new();
        if due_now > 0 {
            let first = campaign.content.sender.first();
            waiting = self.waiting_for_senders(&due, due_now, first).await?;
        }
        let content = &campaign.content;
        let before_start = content.starts_at.is_some_and(|starts_at| starts_at > now);
        waiting.extend(later.into_iter().map(|row| Waiting {
            reason: match &*row.wait {
                "reminder" => WaitReason::Reminder,
                "planned" if before_start => WaitReason::StartsAt,
                "planned" => WaitReason::Delay,
                // It is tried again in a moment.
                _ if content.send_window.is_none() => WaitReason::Rate,
                _ => WaitReason::SendWindow,
            },
            messages: row.messages,
            until: Some(row.until),
            sender: None,
        }));
        Ok(waiting)
    }

    /// Of so many messages that are due, of which these rows are, what waits for a turn, and what for a sender that takes nothing. Those
    /// without a row wait for the same as the last that have one.
    async fn waiting_for_senders(
        &self,
        due: &[WaitRow],
        mut left: i64,
        first: &str,
    ) -> Result<Vec<Waiting>> {
        let mut by_sender: BTreeMap<&str, i64> = BTreeMap::new();
        let mut last = first;
        for row in due.iter().filter(|row| !row.is_answered()) {
            last = &row.sender;
            *by_sender.entry(last).or_default() += row.messages;
            left -= row.messages;
        }
        *by_sender.entry(last).or_default() += left;
        let (mut waiting, mut in_turn) = (Vec::new(), 0);
        for (name, messages) in by_sender.into_iter().filter(|(_, messages)| *messages > 0) {
            let sender = self.sender(name).await?;
            if sender.is_some_and(|sender| sender.state == SenderState::Ok) {
                in_turn += messages;
            } else {
                waiting.push(Waiting {
                    reason: WaitReason::SenderPaused,
                    messages,
                    until: None,
                    sender: Some(name.to_owned()),
                });
            }
        }
        if in_turn > 0 {
            waiting.push(Waiting {
                reason: WaitReason::Rate,
                messages: in_turn,
                until: None,
                sender: None,
            });
        }
        Ok(waiting)
    }
}
