//! What an account answers to texts that come from phones: its setting, and the replies that wait for their sender.
//!
//! A reply is handed over at most once: the commit that takes it comes before, and nobody takes it again.

use std::time::Duration;

use chrono::NaiveDate;
use domain::sms::{Parts, SendSetting};
use uuid::Uuid;

use super::CampaignKey;
use super::drive::{Claimed, ClaimedKey};
use super::lease::Lease;
use crate::tx::{Sql, get, json, values};
use crate::{Error, Result, Store};

/// How long a provider may try to deliver a reply.
const VALIDITY: Duration = Duration::from_hours(1);

/// The next reply, unless the phone opted out since: then only what it is told of that.
const NEXT: &str = "SELECT r.account_id, r.phone_mac, r.kind, r.day, r.phone, r.text, r.made_at, a.number
       FROM reply r JOIN account a ON a.account_id = r.account_id
      WHERE r.sender = $1 AND (r.kind = 'stop' OR NOT EXISTS (
            SELECT 1 FROM contact c
             WHERE c.account_id = r.account_id AND c.phone_mac = r.phone_mac AND c.opted_out_at IS NOT NULL))
      ORDER BY r.made_at LIMIT 1";
const TAKEN: &str = "UPDATE reply SET sender = NULL, phone = NULL, text = NULL
      WHERE account_id = $1 AND phone_mac = $2 AND kind = $3 AND day = $4";

impl Store {
    /// How an account takes texts.
    pub async fn send_setting(&self, account_id: Uuid) -> Result<SendSetting> {
        let setting = "SELECT content FROM send_setting WHERE account_id = $1";
        let row = self.row(setting, values![account_id]).await?;
        row.map_or(Ok(SendSetting::default()), |row| json(&row, "content"))
    }

    /// Changes how an account takes texts.
    ///
    /// # Errors
    /// Doing it again is safe.
    pub async fn set_send_setting(&self, account_id: Uuid, setting: &SendSetting) -> Result<()> {
        let set = "INSERT INTO send_setting (account_id, content) VALUES ($1, $2)
                       ON CONFLICT (account_id) DO UPDATE SET content = excluded.content";
        let content = serde_json::to_string(setting).map_err(Error::broken)?;
        self.execute(set, values![account_id, content]).await?;
        Ok(())
    }

    /// Takes the next reply of a sender out of those that wait. It is of no campaign.
    ///
    /// # Errors
    /// If it was taken, it is not sent.
    pub async fn take_reply(&self, lease: &Lease) -> Result<Option<Claimed>> {
        let tx = self.begin_by_key().await?;
        if !tx.holds(lease).await? {
            return Ok(None);
        }
        let Some(row) = tx.row(NEXT, values![lease.name.as_str()]).await? else {
            return Ok(None);
        };
        let account_id: Uuid = get(&row, "account_id")?;
        let (mac, kind): (Vec<u8>, String) = (get(&row, "phone_mac")?, get(&row, "kind")?);
        let day: NaiveDate = get(&row, "day")?;
        tx.execute(TAKEN, values![account_id, mac, kind, day])
            .await?;
        let (phone, text) = (get(&row, "phone")?, get::<String>(&row, "text")?);
        let reply = Claimed {
            key: ClaimedKey {
                campaign: CampaignKey::new(account_id, Uuid::nil()),
                due_at: get(&row, "made_at")?,
                message_id: Uuid::now_v7(),
            },
            account_number: get(&row, "number")?,
            phone,
            parts: Parts::of(&text),
            text,
            validity: VALIDITY,
        };
        tx.commit_surely().await?;
        Ok(Some(reply))
    }
}
