//! What comes from providers to a hook: whose message a receipt is about, and texts that came from phones.

use chrono::TimeDelta;
use domain::campaign::MessageStatus;
use domain::pepper::Pepper;
use uuid::Uuid;

use super::contact::{OPT_IN, OPT_OUT};
use crate::tx::{Sql, get, parsed, values};
use crate::{Error, Store};

/// Providers repeat a text for a day at most.
const REPEATED: TimeDelta = TimeDelta::days(2);

/// Which part of a message a provider's id stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartOf {
    /// For all parts.
    All,
    One(usize),
    /// The provider's answer to the message is not recorded yet.
    NotYet,
    /// There is no such message, or it has other ids.
    Unknown,
}

/// A text that came from a phone, and what it asks for.
#[derive(Clone, Copy)]
pub struct NewInbound<'a> {
    pub sender: &'a str,
    /// The provider's.
    pub id: &'a str,
    pub phone: &'a str,
    /// Whether it opts out, or in again.
    pub opts_out: Option<bool>,
}

impl Store {
    /// The account of a number in references.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn account_of_number(&self, number: u32) -> Result<Option<Uuid>, Error> {
        let Ok(number) = i32::try_from(number) else {
            return Ok(None);
        };
        let account = "SELECT account_id FROM account WHERE number = $1";
        self.one(account, values![number]).await
    }

    /// Which part of a message a provider's id stands for.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn part_of(
        &self,
        account_id: Uuid,
        message_id: Uuid,
        provider_id: &str,
    ) -> Result<PartOf, Error> {
        let row = self
            .row(
                "SELECT status, parts, provider_ids FROM message WHERE account_id = $1 AND message_id = $2",
                values![account_id, message_id],
            )
            .await?;
        let Some(row) = row else {
            return Ok(PartOf::Unknown);
        };
        let ids: Vec<String> = crate::tx::json(&row, "provider_ids")?;
        let status: MessageStatus = parsed(&row, "status")?;
        Ok(match ids.iter().position(|id| id == provider_id) {
            Some(part) if ids.len() > 1 => PartOf::One(part),
            Some(_) => PartOf::All,
            None if get::<i64>(&row, "parts")? <= 1 => PartOf::All,
            None if status == MessageStatus::Sending => PartOf::NotYet,
            // Its ids were in the answer that was never read.
            None if ids.is_empty() => PartOf::All,
            None => PartOf::Unknown,
        })
    }

    /// Stores that a text came, once by its id, and does what it asks for in every account that has sent to the phone and
    /// has a campaign of the sender. `false`: it came before.
    ///
    /// # Errors
    /// See [`Error`]. Doing it again is safe.
    pub async fn record_inbound(
        &self,
        inbound: NewInbound<'_>,
        pepper: &Pepper,
    ) -> Result<bool, Error> {
        self.retry(|| self.try_inbound(inbound, pepper)).await
    }

    /// Forgets ids of texts that no provider repeats any more.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn forget_inbound(&self) -> Result<(), Error> {
        let old = self.now().await? - REPEATED;
        let forget = "DELETE FROM inbound WHERE received_at < $1";
        self.execute(forget, values![old]).await?;
        Ok(())
    }

    async fn try_inbound(&self, inbound: NewInbound<'_>, pepper: &Pepper) -> Result<bool, Error> {
        let tx = self.begin_by_key().await?;
        let now = tx.now().await?;
        let new = tx
            .execute(
                "INSERT INTO inbound (sender, id, received_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                values![inbound.sender, inbound.id, now],
            )
            .await?;
        if new == 0 {
            return Ok(false);
        }
        if let Some(opts_out) = inbound.opts_out {
            let accounts =
                "SELECT DISTINCT account_id FROM campaign WHERE sender = $1 ORDER BY account_id";
            let accounts: Vec<Uuid> = tx.all(accounts, values![inbound.sender]).await?;
            for account_id in accounts {
                let mut macs: Vec<[u8; 32]> =
                    pepper.phone_macs(account_id, inbound.phone).collect();
                macs.sort_unstable();
                for mac in macs {
                    let known = "SELECT 1 FROM contact
                                  WHERE account_id = $1 AND phone_mac = $2 AND last_sent_at IS NOT NULL";
                    let known: Option<i32> =
                        tx.one(known, values![account_id, mac.to_vec()]).await?;
                    if known.is_none() {
                        continue;
                    }
                    if opts_out {
                        let row = values![account_id, mac.to_vec(), now, "inbound"];
                        tx.execute(OPT_OUT, row).await?;
                    } else {
                        let row = values![account_id, mac.to_vec()];
                        tx.execute(OPT_IN, row).await?;
                    }
                }
            }
        }
        tx.commit_surely().await?;
        Ok(true)
    }
}
