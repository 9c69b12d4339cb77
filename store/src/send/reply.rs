//! What an account answers to texts that come from phones: its setting, and the replies that wait for their sender.
//!
//! A reply is handed over at most once: the commit that takes it comes before, and nobody takes it again.

use std::time::Duration;

use chrono::{DateTime, NaiveDate, Utc};
use domain::sms::{Parts, SendSetting};
use entity::{reply, send_setting};
use sea_orm::ActiveValue::Set;
use sea_orm::{EntityTrait, FromQueryResult};
use uuid::Uuid;

use super::drive::{Claimed, DueKey};
use super::lease::Lease;
use super::{BUDGETS, CampaignKey, REASONS};
use crate::tx::{Sql, Statement, statement, values};
use crate::{Error, Result, Store, Tx};

/// How long a provider may try to deliver a reply.
const VALIDITY: Duration = Duration::from_hours(1);

macro_rules! waiting {
    ($of_contact:expr) => {
        concat!(
            "r.sender = $1 AND (r.kind = 'stop' OR NOT EXISTS (
                SELECT 1 FROM contact c WHERE ",
            $of_contact,
            " AND c.account_id = r.account_id AND c.phone_mac = r.phone_mac
                   AND c.opted_out_at IS NOT NULL))"
        )
    };
}
/// The next reply of an account, unless the phone opted out since: then only what it is told of that.
const NEXT: &Statement = statement!(
    "SELECT r.account_id, r.phone_mac, r.kind, r.day, r.phone, r.text, r.made_at, a.number AS account_number
       FROM reply r JOIN account a ON a.account_id = r.account_id
      WHERE r.account_id = $2 AND ", waiting!("c.account_id = $2"), " ORDER BY r.made_at LIMIT 1"
);

macro_rules! first_waiting {
    ($accounts:expr, $of_contact:expr) => {
        concat!(
            "SELECT r.account_id, r.made_at FROM reply r WHERE ",
            $accounts,
            " AND ",
            waiting!($of_contact),
            "
              ORDER BY r.made_at LIMIT 1"
        )
    };
}
const FIRST_WAITING: &Statement = statement!(
    postgres: first_waiting!("true", "true");
    citus: first_waiting!("r.account_id = ANY($2)", "c.account_id = ANY($2)");
    sqlite: first_waiting!("true", "true")
);

/// An account whose reply is the first of those that were looked at.
#[derive(FromQueryResult)]
struct FirstWaiting {
    account_id: Uuid,
    made_at: DateTime<Utc>,
}

#[derive(FromQueryResult)]
struct WaitingReply {
    account_id: Uuid,
    phone_mac: Vec<u8>,
    kind: String,
    day: NaiveDate,
    phone: String,
    text: String,
    made_at: DateTime<Utc>,
    account_number: i32,
}

fn read_setting(row: Option<send_setting::Model>) -> Result<SendSetting> {
    row.map_or(Ok(SendSetting::default()), |row| {
        serde_json::from_str(&row.content).map_err(Error::broken)
    })
}

impl Tx {
    /// How an account sends.
    pub(super) async fn setting(&self, account_id: Uuid) -> Result<SendSetting> {
        let row = send_setting::Entity::find_by_id(account_id).one(self);
        read_setting(row.await?)
    }
}

impl Store {
    /// How an account takes texts.
    pub async fn send_setting(&self, account_id: Uuid) -> Result<SendSetting> {
        let row = send_setting::Entity::find_by_id(account_id).one(self);
        read_setting(row.await?)
    }

    /// Changes how an account takes texts, and gives the setting before and after. Other changes wait for this one.
    ///
    /// # Errors
    /// [`Error::UpgradeUnfinished`] of one that has a gap or a budget then.
    pub async fn change_send_setting(
        &self,
        account_id: Uuid,
        change: impl FnOnce(&mut SendSetting),
    ) -> Result<(SendSetting, SendSetting)> {
        let tx = self.begin().await?;
        let before = tx.lock_setting(account_id).await?;
        let mut after = before.clone();
        change(&mut after);
        // An older program would not keep it.
        let needed = match &after {
            SendSetting {
                month_budget: Some(_),
                ..
            } => BUDGETS,
            SendSetting {
                min_gap_days: 1.., ..
            } => REASONS,
            _ => 0,
        };
        if needed > 0 && !tx.admits_only_from(needed).await? {
            return Err(Error::UpgradeUnfinished);
        }
        let row = send_setting::Model {
            account_id,
            content: serde_json::to_string(&after).map_err(Error::broken)?,
        };
        tx.upsert(row).await?;
        tx.commit_surely().await?;
        Ok((before, after))
    }

    /// Takes the next reply of a sender out of those that wait. It is of no campaign.
    ///
    /// # Errors
    /// If it was taken, it is not sent.
    pub async fn take_reply(&self, lease: &Lease) -> Result<Option<Claimed>> {
        let sender = lease.name.as_str();
        let waiting: Vec<FirstWaiting> = self.scan_by_key(FIRST_WAITING, values![sender]).await?;
        let Some(first) = waiting.into_iter().min_by_key(|first| first.made_at) else {
            return Ok(None);
        };
        let tx = self.begin_by_key().await?;
        let Some(held) = tx.holds(lease).await?.filter(|held| !held.is_paused) else {
            return Ok(None);
        };
        let next = tx.fetch_one(NEXT, values![sender, first.account_id]);
        let Some(next): Option<WaitingReply> = next.await? else {
            return Ok(None);
        };
        let taken = reply::ActiveModel {
            account_id: Set(next.account_id),
            phone_mac: Set(next.phone_mac),
            kind: Set(next.kind),
            day: Set(next.day),
            sender: Set(None),
            phone: Set(None),
            text: Set(None),
            ..Default::default()
        };
        tx.update(taken).await?;
        let reply = Claimed {
            key: DueKey {
                campaign: CampaignKey::new(next.account_id, Uuid::nil()),
                due_at: next.made_at,
                message_id: Uuid::now_v7(),
            },
            attempt: 0,
            kind: None,
            timeline: held.timeline,
            account_number: next.account_number,
            phone: next.phone,
            parts: Parts::of(&next.text),
            text: next.text,
            number: 0,
            validity: VALIDITY,
        };
        tx.commit_surely().await?;
        Ok(Some(reply))
    }
}
