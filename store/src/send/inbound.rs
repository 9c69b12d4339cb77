//! What comes from providers to a hook: whose message a receipt is about, and texts that came from phones.

use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use domain::campaign::MessageStatus;
use domain::date_range::day_of;
use domain::pepper::Pepper;
use domain::sms::{Keyword, SendSetting, keyword};
use entity::{inbound, reply};
use sea_orm::FromQueryResult;
use uuid::Uuid;

use super::contact::OPT_IN;
use crate::tx::{BatchStatement, JsonText, Parsed, Sql, batch_row, statement, values};
use crate::{Result, Store, Tx};

/// When a text is said to have come whose id is to stay: the last second of the year 9999, in Unix time.
const FOR_GOOD: i64 = 253_402_300_799;

batch_row! {
    /// A phone in an account.
    struct AccountPhone {
        account_id: Uuid,
        phone_mac: Vec<u8>,
        /// A pattern that matches where the account has sent to it through a sender.
        senders: String,
    }
}

const ADDRESSED: &BatchStatement<AccountPhone> = statement!(AccountPhone:
    "SELECT c.account_id, c.phone_mac, c.last_sent_at, c.opted_out_at IS NOT NULL AS opted_out, a.time_zone,
            coalesce(s.content, '{}') AS setting
       FROM batch
       JOIN contact c ON c.account_id = batch.account_id AND c.phone_mac = batch.phone_mac AND c.senders LIKE batch.senders
       JOIN account a ON a.account_id = c.account_id LEFT JOIN send_setting s ON s.account_id = c.account_id
      ORDER BY c.account_id, c.phone_mac"
);

#[derive(FromQueryResult)]
struct Addressed {
    account_id: Uuid,
    phone_mac: Vec<u8>,
    last_sent_at: Option<DateTime<Utc>>,
    opted_out: bool,
    time_zone: Parsed<Tz>,
    setting: JsonText<SendSetting>,
}

#[derive(FromQueryResult)]
struct ReferredMessage {
    account_id: Uuid,
    status: Parsed<MessageStatus>,
    parts: i64,
    provider_ids: JsonText<Vec<String>>,
    scheduled_at: DateTime<Utc>,
}

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
    /// There is no such message, it has other ids, it was sent again since, or another sender carries it.
    Unknown,
}

/// A text that came from a phone.
#[derive(Clone, Copy)]
pub struct NewInbound<'a> {
    pub sender: &'a str,
    /// The provider's.
    pub id: &'a str,
    pub phone: &'a str,
    /// What it may be where nothing was sent to that, as one in national form. If something was sent to several of these, nothing
    /// but opting out counts, and does for each.
    pub others: &'a BTreeSet<String>,
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
            None => keyword(self.text, self.phone, &setting.stop_words),
        }
    }
}

macro_rules! referred {
    ($of_account:literal) => {
        concat!(
            "SELECT a.account_id, m.status, m.parts, m.provider_ids, m.scheduled_at
               FROM account a JOIN message m ON ",
            $of_account,
            " JOIN campaign c ON c.account_id = m.account_id AND c.campaign_id = m.campaign_id
              WHERE a.number = $1 AND m.message_id = $2 AND coalesce(m.sender, c.sender) = $3"
        )
    };
}

impl Store {
    /// The account of a number in references.
    pub async fn account_of_number(&self, number: u32) -> Result<Option<Uuid>> {
        let Ok(number) = i32::try_from(number) else {
            return Ok(None);
        };
        let account = statement!("SELECT account_id FROM account WHERE number = $1");
        self.fetch_value(account, values![number]).await
    }

    /// The message of a reference that a sender carries, and which part of it a provider's id stands for. What is of an attempt before
    /// counts until the message is handed over again.
    pub async fn referred(
        &self,
        sender: &str,
        account_number: u32,
        message_id: Uuid,
        provider_id: Option<&str>,
        attempt: Option<i64>,
    ) -> Result<Referred> {
        let message = statement!(
            postgres: referred!("m.account_id = a.account_id");
            citus: referred!("m.account_id = $4");
            sqlite: referred!("m.account_id = a.account_id")
        );
        let mut values = values![i64::from(account_number), message_id, sender];
        self.find_dialect().await;
        if self.is_distributed() {
            let Some(account_id) = self.account_of_number(account_number).await? else {
                return Ok(Referred::Unknown);
            };
            values.push(account_id.into());
        }
        let message = self.fetch_one(message, values);
        let Some(message): Option<ReferredMessage> = message.await? else {
            return Ok(Referred::Unknown);
        };
        let account_id = message.account_id;
        let (Parsed(status), JsonText(ids)) = (message.status, message.provider_ids);
        let is_former = |attempt: i64| attempt < message.scheduled_at.timestamp_micros();
        if status != MessageStatus::Scheduled && attempt.is_some_and(is_former) {
            return Ok(Referred::Unknown);
        }
        let place = ids.iter().position(|id| Some(id.as_str()) == provider_id);
        let stands_for_all = provider_id.is_none()
            // Its ids are not known yet, or were in the answer that was never read.
            || ids.is_empty() && (message.parts <= 1 || status != MessageStatus::Sending);
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
    /// Ids of texts that opt in are kept for good: whoever has such a request of the provider's could opt in, later, whoever has opted
    /// out since.
    ///
    /// # Errors
    /// Doing it again is safe.
    pub async fn record_inbound(&self, inbound: NewInbound<'_>, pepper: &Pepper) -> Result<bool> {
        self.retry(|| self.try_inbound(inbound, pepper)).await
    }

    async fn try_inbound(&self, inbound: NewInbound<'_>, pepper: &Pepper) -> Result<bool> {
        let tx = self.begin_by_keys().await?;
        let now = tx.now().await?;
        // An account's own words only opt out.
        let opts_in = inbound.keyword(&SendSetting::default()) == Some(Keyword::Start);
        let for_good = DateTime::from_timestamp(FOR_GOOD, 0).filter(|_| opts_in);
        let new = inbound::Model {
            sender: inbound.sender.to_owned(),
            id: inbound.id.to_owned(),
            received_at: for_good.unwrap_or(now),
        };
        if !tx.insert_new(new).await? {
            return Ok(false);
        }
        let mut addressed = tx
            .addressed(inbound.sender, &[inbound.phone], pepper)
            .await?;
        if addressed.is_empty() && !inbound.others.is_empty() {
            let others: Vec<&str> = inbound.others.iter().map(String::as_str).collect();
            addressed = tx.addressed(inbound.sender, &others, pepper).await?;
        }
        let phones: BTreeSet<&str> = addressed.iter().map(|(_, phone)| *phone).collect();
        let is_certain = phones.len() <= 1;
        // Of those that reply, the one that sent last.
        let mut reply: Option<(Option<DateTime<Utc>>, reply::Model)> = None;
        for (contact, phone) in addressed {
            let JsonText(setting) = contact.setting;
            let keyword = inbound.keyword(&setting);
            let keyword = keyword.filter(|keyword| is_certain || *keyword == Keyword::Stop);
            let Some(keyword) = keyword else {
                continue;
            };
            let (account_id, phone_mac) = (contact.account_id, contact.phone_mac);
            let text = match keyword {
                Keyword::Stop => {
                    tx.opt_out(account_id, phone_mac.clone(), "inbound").await?;
                    setting.stop_reply
                }
                Keyword::Start => {
                    tx.execute(OPT_IN, values![account_id, phone_mac.clone()])
                        .await?;
                    None
                }
                Keyword::Help => setting.help_reply.filter(|_| !contact.opted_out),
            };
            let sent_at = contact.last_sent_at;
            if let Some(text) = text.filter(|_| inbound.is_replied_to && is_certain)
                && reply.as_ref().is_none_or(|(last, _)| *last <= sent_at)
            {
                let row = reply::Model {
                    account_id,
                    phone_mac,
                    kind: <&str>::from(keyword).to_owned(),
                    day: day_of(now, contact.time_zone.0),
                    sender: Some(inbound.sender.to_owned()),
                    phone: Some(phone.to_owned()),
                    text: Some(text),
                    made_at: now,
                };
                reply = Some((sent_at, row));
            }
        }
        if let Some((_, row)) = reply {
            tx.note_work(row.account_id).await?;
            tx.insert_new(row).await?;
        }
        tx.commit_surely().await?;
        Ok(true)
    }
}

impl Tx {
    /// Who has sent to one of these phones through a sender, in the order of the contacts.
    async fn addressed<'p>(
        &self,
        sender: &str,
        phones: &[&'p str],
        pepper: &Pepper,
    ) -> Result<Vec<(Addressed, &'p str)>> {
        let senders = format!("% {sender} %");
        let accounts = statement!("SELECT account_id FROM account");
        let accounts: Vec<Uuid> = self.fetch_values(accounts, vec![]).await?;
        let (mut rows, mut phone_of) = (Vec::new(), HashMap::new());
        for account_id in accounts {
            for phone in phones {
                for mac in pepper.phone_macs(account_id, phone) {
                    phone_of.insert(mac.to_vec(), *phone);
                    rows.push(AccountPhone {
                        account_id,
                        phone_mac: mac.to_vec(),
                        senders: senders.clone(),
                    });
                }
            }
        }
        let addressed: Vec<Addressed> = self.fetch_batch(ADDRESSED, rows).await?;
        let addressed = addressed.into_iter().filter_map(|contact| {
            let phone = phone_of.get(&contact.phone_mac).copied()?;
            Some((contact, phone))
        });
        Ok(addressed.collect())
    }
}
