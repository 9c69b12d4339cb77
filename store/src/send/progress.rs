//! Where a campaign stands: the counts of its messages, why those that are scheduled wait, and which business properties are missing.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::campaign::{
    BusPropsCheck, CampaignCounts, CampaignStatus, MessageStatus, UnknownBusProps, WaitReason,
    Waiting,
};
use domain::date_range::{day_of, start_of};
use domain::form::FormContent;
use domain::month::Month;
use domain::price::{Currency, Money, Prices};
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
                       SELECT CASE WHEN m.kind = 'reminder' THEN 'reminder' WHEN m.scheduled_at > $3 THEN 'planned' ELSE 'first' END
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
    /// `first` or `reminder`; `planned` is a first message whose own time has not come.
    wait: String,
    /// Of what is due by now.
    sender: String,
    messages: i64,
    until: DateTime<Utc>,
}

impl WaitRow {
    fn is_reminder(&self) -> bool {
        self.wait == "reminder"
    }
}

/// The messages of those rows that are meant.
fn number<'r>(rows: &'r [WaitRow], is_meant: impl Fn(&'r WaitRow) -> bool) -> i64 {
    let rows = rows.iter().filter(|row| is_meant(row));
    rows.map(|row| row.messages).sum()
}

impl Store {
    /// The counts of a campaign, what it has spent, a sum a currency, and why what is scheduled waits, by the prices of its senders. Where
    /// more than 5,000 messages are due and as many are due later, so many of each are told.
    pub async fn campaign_progress(
        &self,
        key: CampaignKey,
        campaign: &Campaign,
        prices: &[&Prices],
    ) -> Result<(CampaignCounts, Vec<Money>, Vec<Waiting>)> {
        let tx = self.snapshot().await?;
        let counts = tx.counts(key).await?;
        let spent = tx.spent(key).await?;
        let scheduled = [&counts.first, &counts.reminder];
        let scheduled = scheduled.map(|of| of.status(MessageStatus::Scheduled));
        let waiting = match campaign.status {
            _ if scheduled == [0, 0] => vec![],
            CampaignStatus::Running => {
                let budgets = tx.used_up_until(key, campaign, (&spent, prices)).await?;
                tx.waiting(key, campaign, budgets, scheduled).await?
            }
            _ => vec![Waiting {
                reason: WaitReason::Paused,
                messages: scheduled.iter().sum(),
                until: None,
                sender: None,
            }],
        };
        Ok((counts, spent, waiting))
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

/// A budget is used up.
#[derive(Clone, Copy)]
struct UsedUp {
    /// When the next month begins; `None` of a campaign's own.
    until: Option<DateTime<Utc>>,
}

impl Tx {
    /// Which budget of a campaign has less left than its longest message may cost by the dearest of its senders; `None`: none.
    async fn used_up_until(
        &self,
        key: CampaignKey,
        campaign: &Campaign,
        (spent, prices): (&[Money], &[&Prices]),
    ) -> Result<Option<UsedUp>> {
        let content = &campaign.content;
        let longest = |currency: &Currency| {
            let prices = prices.iter().filter(|prices| prices.currency() == currency);
            let costs = prices.map(|prices| prices.most(content.max_parts.into()).millionths);
            costs.max()
        };
        let fits = |budget: &Money, spent: &[Money]| {
            let mut left = budget.clone();
            left.take_all(spent.iter().cloned());
            longest(&left.currency).is_some_and(|cost| cost <= left.millionths)
        };
        if content
            .budget
            .as_ref()
            .is_some_and(|budget| !fits(budget, spent))
        {
            return Ok(Some(UsedUp { until: None }));
        }
        let setting = self.setting(key.account_id).await?;
        let budget = setting.month_budget;
        let Some(budget) = budget.filter(|budget| longest(&budget.currency).is_some()) else {
            return Ok(None);
        };
        let zone = self.account_zone(key.account_id).await?;
        let month = Month::of(day_of(self.now().await?, zone));
        let spent = self.spent_in_month(key.account_id, month).await?;
        let is_used_up = !fits(&budget, &spent);
        Ok(is_used_up.then(|| UsedUp {
            until: Some(start_of(month.next().first(), zone)),
        }))
    }

    async fn waiting(
        &self,
        key: CampaignKey,
        campaign: &Campaign,
        used_up: Option<UsedUp>,
        [first, reminders]: [i64; 2],
    ) -> Result<Vec<Waiting>> {
        let now = self.now().await?;
        let values = || values![key, now, LOOKED_AT];
        let mut later: Vec<WaitRow> = self.fetch_all(LATER, values()).await?;
        let seen = number(&later, |_| true);
        // What is due and of one kind and one sender need not be looked at to be counted.
        let is_alike = reminders == 0 && !campaign.names_several;
        let due: Vec<WaitRow> = if seen < LOOKED_AT && is_alike {
            vec![]
        } else {
            self.fetch_all(DUE, values()).await?
        };
        let mut due_now = number(&due, |_| true);
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
                let mut rows = later.iter_mut().rev();
                if let Some(row) = rows.find(|row| row.is_reminder() == is_reminder) {
                    row.messages += unseen;
                }
            }
        }
        let mut waiting = Vec::new();
        if due_now > 0 {
            let first = campaign.content.sender.first();
            let found = (&due[..], due_now);
            waiting = self.waiting_for_senders(found, first, used_up).await?;
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

    /// Of so many messages that are due, of which these rows are, what waits for a turn or a budget, and what for a sender that takes
    /// nothing. Those without a row wait for the same as the last that have one.
    async fn waiting_for_senders(
        &self,
        (due, mut left): (&[WaitRow], i64),
        first: &str,
        used_up: Option<UsedUp>,
    ) -> Result<Vec<Waiting>> {
        let mut by_sender: BTreeMap<&str, i64> = BTreeMap::new();
        let mut last = first;
        for row in due {
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
            let (reason, until) = match used_up {
                Some(UsedUp { until }) => (WaitReason::Budget, until),
                None => (WaitReason::Rate, None),
            };
            waiting.push(Waiting {
                reason,
                messages: in_turn,
                until,
                sender: None,
            });
        }
        Ok(waiting)
    }
}
