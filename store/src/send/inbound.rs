//! What comes from providers to a hook: whose message a receipt is about, and texts that came from phones.

use chrono::{DateTime, Utc};
use domain::campaign::MessageStatus;
use domain::date_range::day_of;
use domain::pepper::Pepper;
use domain::sms::{Keyword, SendSetting, keyword};
use sea_orm::Value;
use uuid::Uuid;

use super::contact::{OPT_IN, OPT_OUT};
use crate::tx::{Sql, get, json, parsed, values};
use crate::{Result, Store};

const ADDRESSED: &str = "WITH g(a, p, s) AS (ROWS)
     SELECT c.account_id, c.phone_mac, c.last_sent_at, c.opted_out_at IS NOT NULL AS opted_out, a.time_zone,
            coalesce(s.content, '{}') AS setting
       FROM g JOIN contact c ON c.account_id = g.a AND c.phone_mac = g.p AND c.senders LIKE g.s
       JOIN account a ON a.account_id = c.account_id LEFT JOIN send_setting s ON s.account_id = c.account_id
      ORDER BY c.account_id, c.phone_mac";

const REPLY: &str =
    "INSERT INTO reply (account_id, phone_mac, kind, day, sender, phone, text, made_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING";

/// What a reference leads to, and the provider's id that came with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Referred {
    /// A message, and its part for which the provider's id stands; `None`: all.
    Message {
        account_id: Uuid,
        part: Option<usize>,
    },
    /// The provider's answer to the message is not recorded yet.
    NotYet,
    /// There is no such message, or it has other ids.
    Unknown,
}

/// A text that came from a phone.
#[derive(Clone, Copy)]
pub struct NewInbound<'a> {
    pub sender: &'a str,
    /// The provider's.
    pub id: &'a str,
    pub phone: &'a str,
    pub text: &'a str,
    /// The provider's own verdict that it opts out, or in again.
    pub opts_out: Option<bool>,
    /// The provider does not reply itself.
    pub is_replied_to: bool,
}

impl NewInbound<'_> {
    /// What it asks for in an account.
    fn keyword(&self, setting: &SendSetting) -> Option<Keyword> {
        match self.opts_out {
            Some(true) => Some(Keyword::Stop),
            Some(false) => Some(Keyword::Start),
            None => keyword(self.text, &setting.stop_words),
        }
    }
}

impl Store {
    /// The account of a number in references.
    pub async fn account_of_number(&self, number: u32) -> Result<Option<Uuid>> {
        let Ok(number) = i32::try_from(number) else {
            return Ok(None);
        };
        let account = "SELECT account_id FROM account WHERE number = $1";
        self.one(account, values![number]).await
    }

    /// The message of a reference, and which part of it a provider's id stands for.
    pub async fn referred(
        &self,
        account_number: u32,
        message_id: Uuid,
        provider_id: Option<&str>,
    ) -> Result<Referred> {
        let row = "SELECT a.account_id, m.status, m.parts, m.provider_ids
                   FROM account a JOIN message m ON m.account_id = a.account_id WHERE a.number = $1 AND m.message_id = $2";
        let row = self
            .row(row, values![i64::from(account_number), message_id])
            .await?;
        let Some(row) = row else {
            return Ok(Referred::Unknown);
        };
        let account_id = get(&row, "account_id")?;
        let ids: Vec<String> = json(&row, "provider_ids")?;
        let status: MessageStatus = parsed(&row, "status")?;
        let place = ids.iter().position(|id| Some(id.as_str()) == provider_id);
        let stands_for_all = provider_id.is_none()
            || get::<i64>(&row, "parts")? <= 1
            // Its ids were in the answer that was never read.
            || ids.is_empty() && status != MessageStatus::Sending;
        Ok(match place {
            Some(_) => Referred::Message {
                account_id,
                part: place.filter(|_| ids.len() > 1),
            },
            None if stands_for_all => Referred::Message {
                account_id,
                part: None,
            },
            None if status == MessageStatus::Sending => Referred::NotYet,
            None => Referred::Unknown,
        })
    }

    /// Stores that a text came, once by its id, and does what it asks for in every account that has sent to the phone through
    /// the sender. Of those that reply, the one that sent last does. `false`: it came before.
    ///
    /// # Errors
    /// Doing it again is safe.
    pub async fn record_inbound(&self, inbound: NewInbound<'_>, pepper: &Pepper) -> Result<bool> {
        self.retry(|| self.try_inbound(inbound, pepper)).await
    }

    async fn try_inbound(&self, inbound: NewInbound<'_>, pepper: &Pepper) -> Result<bool> {
        let tx = self.begin_by_keys().await?;
        let now = tx.now().await?;
        let new = "INSERT INTO inbound (sender, id, received_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
        let new = tx
            .execute(new, values![inbound.sender, inbound.id, now])
            .await?;
        if new == 0 {
            return Ok(false);
        }
        // Those that have sent to it through the sender, in the order of their contacts.
        let sender = format!("% {} %", inbound.sender);
        let accounts: Vec<Uuid> = tx.all("SELECT account_id FROM account", vec![]).await?;
        let contacts = accounts.into_iter().flat_map(|account_id| {
            let macs = pepper.phone_macs(account_id, inbound.phone);
            macs.map(move |mac| (account_id, mac))
        });
        let rows =
            contacts.map(|(account_id, mac)| values![account_id, mac.to_vec(), sender.as_str()]);
        let addressed = tx.for_rows(ADDRESSED, rows.collect()).await?;
        // Of those that reply, the one that sent last.
        let mut reply: Option<(Option<DateTime<Utc>>, Vec<Value>)> = None;
        for row in addressed {
            let setting: SendSetting = json(&row, "setting")?;
            let Some(keyword) = inbound.keyword(&setting) else {
                continue;
            };
            let account_id: Uuid = get(&row, "account_id")?;
            let mac: Vec<u8> = get(&row, "phone_mac")?;
            let opted_out: bool = get(&row, "opted_out")?;
            let text = match keyword {
                Keyword::Stop => {
                    let opt_out = values![account_id, mac.clone(), now, "inbound"];
                    tx.execute(OPT_OUT, opt_out).await?;
                    setting.stop_reply
                }
                Keyword::Start => {
                    tx.execute(OPT_IN, values![account_id, mac.clone()]).await?;
                    None
                }
                Keyword::Help => setting.help_reply.filter(|_| !opted_out),
            };
            let sent_at: Option<DateTime<Utc>> = get(&row, "last_sent_at")?;
            if let Some(text) = text.filter(|_| inbound.is_replied_to)
                && reply.as_ref().is_none_or(|(last, _)| *last <= sent_at)
            {
                let (kind, phone): (&str, _) = (keyword.into(), inbound.phone);
                let day = day_of(now, parsed(&row, "time_zone")?);
                let row = values![account_id, mac, kind, day, inbound.sender, phone, text, now];
                reply = Some((sent_at, row));
            }
        }
        if let Some((_, row)) = reply {
            tx.execute(REPLY, row).await?;
        }
        tx.commit_surely().await?;
        Ok(true)
    }
}
