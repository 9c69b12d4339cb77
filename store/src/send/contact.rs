//! Whom an account may not send to: its suppression list. A phone is kept as its HMAC alone, so the list outlives the recipient.

use std::collections::{BTreeSet, HashMap, HashSet};

use chrono::{DateTime, TimeDelta, Utc};
use domain::campaign::SkipReason;
use domain::campaign::judge::Contact;
use domain::pepper::Pepper;
use entity::{contact, recipient};
use sea_orm::{ColumnTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect};
use serde::Serialize;
use uuid::Uuid;

use super::MessageKey;
use super::tally::Changes;
use crate::tx::{BatchStatement, Sql, Statement, batch_row, statement, values};
use crate::{ListPage, Result, Store, Tx};

const OPT_OUT: &Statement = statement!(
    "INSERT INTO contact (account_id, phone_mac, opted_out_at, source) VALUES ($1, $2, $3, $4)
         ON CONFLICT (account_id, phone_mac) DO UPDATE
        SET opted_out_at = coalesce(contact.opted_out_at, excluded.opted_out_at),
            source = CASE WHEN contact.opted_out_at IS NULL THEN excluded.source ELSE contact.source END"
);
macro_rules! first_to {
    ($is_not:literal) => {
        concat!(
            "SELECT m.account_id, m.message_id FROM campaign c CROSS JOIN message m
              WHERE c.account_id = $1 AND c.status IN ('RUNNING', 'PAUSED') AND m.account_id = c.account_id
                AND m.campaign_id = c.campaign_id AND m.kind = 'first' AND m.phone_mac = $2
                AND m.kind <> 'test' AND m.reason ", $is_not, " 'duplicate_phone'"
        )
    };
}

/// The first messages to a phone, of campaigns that go on, by the index `message_phone`: its conditions stand there in its own words,
/// and SQLite keeps the order of a CROSS JOIN. Without them all messages of these campaigns are looked at.
const FIRST_TO: &Statement = statement!(
    postgres: first_to!("IS DISTINCT FROM");
    sqlite: first_to!("IS NOT")
);
pub(super) const OPT_IN: &Statement = statement!(
    "UPDATE contact SET opted_out_at = NULL, source = NULL WHERE account_id = $1 AND phone_mac = $2"
);

batch_row! {
    struct ContactKey {
        account_id: Uuid,
        phone_mac: Vec<u8>,
    }
}

macro_rules! contacts {
    () => {
        "SELECT c.phone_mac, c.last_sent_at, c.last_campaign_id, c.opted_out_at IS NOT NULL AS opted_out
           FROM batch JOIN contact c ON c.account_id = batch.account_id AND c.phone_mac = batch.phone_mac
          ORDER BY c.account_id, c.phone_mac"
    };
}
const CONTACTS: &BatchStatement<ContactKey> = statement!(ContactKey: contacts!());
const LOCKED_CONTACTS: &BatchStatement<ContactKey> =
    statement!(ContactKey lock "FOR NO KEY UPDATE OF c": contacts!());

#[derive(FromQueryResult)]
struct ContactRow {
    phone_mac: Vec<u8>,
    last_sent_at: Option<DateTime<Utc>>,
    last_campaign_id: Option<Uuid>,
    opted_out: bool,
}

/// Recipients that are read at once, and how often, for the phones of one page.
const SLICE: u64 = 2_000;
const SLICES: usize = 10;

/// Where a phone is in the list: when it came there, and its MAC.
pub type SuppressedAt = (DateTime<Utc>, Vec<u8>);

/// A phone that gets no messages of the account.
#[derive(Clone, Debug, FromQueryResult, Serialize)]
pub struct Suppressed {
    #[serde(skip)]
    pub phone_mac: Vec<u8>,
    /// But for three digits masked; null where no stored recipient has it. Of phones that were never sent to the first 20,000
    /// recipients are looked at.
    // As it is read, that of the recipient whom the account sent to last under this MAC. It may have another phone by now.
    pub phone: Option<String>,
    /// The recipient who has it, as far as one is known. For pages.
    #[serde(skip)]
    pub docid: Option<String>,
    /// How it came onto the list.
    pub source: String,
    pub since: DateTime<Utc>,
}

impl Store {
    /// Puts a phone on an account's suppression list. From this commit on no message to it is handed over.
    ///
    /// # Errors
    /// Doing it again is safe.
    pub async fn opt_out(
        &self,
        account_id: Uuid,
        phone: &str,
        source: &str,
        pepper: &Pepper,
    ) -> Result<()> {
        let mac = pepper.phone_mac(account_id, phone).to_vec();
        self.opt_out_mac(account_id, mac, source).await
    }

    async fn opt_out_mac(&self, account_id: Uuid, mac: Vec<u8>, source: &str) -> Result<()> {
        let tx = self.begin_by_key().await?;
        tx.opt_out(account_id, mac, source).await?;
        tx.commit_surely().await
    }

    /// The same for the recipient of a message, whose id is that of its link, which has the phone once the message is kept no longer;
    /// false: there is no such message, or it was never sent to a phone that is still known.
    pub async fn opt_out_by_message(
        &self,
        account_id: Uuid,
        message_id: Uuid,
        source: &str,
    ) -> Result<bool> {
        let mac = statement!(
            "SELECT coalesce(sent_mac, phone_mac) FROM message WHERE account_id = $1 AND message_id = $2
              UNION ALL
             SELECT phone_mac FROM link WHERE account_id = $1 AND link_id = $2 AND phone_mac IS NOT NULL"
        );
        let mac: Option<Option<Vec<u8>>> = self
            .fetch_value(mac, values![account_id, message_id])
            .await?;
        let Some(mac) = mac.flatten() else {
            return Ok(false);
        };
        self.opt_out_mac(account_id, mac, source).await?;
        Ok(true)
    }

    /// Takes a phone off an account's suppression list.
    ///
    /// # Errors
    /// Doing it again is safe.
    pub async fn opt_in(&self, account_id: Uuid, phone: &str, pepper: &Pepper) -> Result<()> {
        for mac in pepper.phone_macs(account_id, phone) {
            self.execute(OPT_IN, values![account_id, mac.to_vec()])
                .await?;
        }
        Ok(())
    }

    /// A page of an account's suppression list, newest first, of those before `before`.
    pub async fn suppressed(
        &self,
        account_id: Uuid,
        before: Option<SuppressedAt>,
        limit: usize,
    ) -> Result<ListPage<Suppressed, SuppressedAt>> {
        let most = i64::try_from(limit + 1).unwrap_or(i64::MAX);
        // Nobody opts out tomorrow.
        let (at, mac) = before.unwrap_or_else(|| (Utc::now() + TimeDelta::days(1), vec![]));
        let rows = statement!(
            "SELECT c.phone_mac, c.source, c.opted_out_at AS since, r.phone, r.docid
               FROM contact c LEFT JOIN recipient r ON r.account_id = c.account_id AND r.docid = c.docid
              WHERE c.account_id = $1 AND (c.opted_out_at, c.phone_mac) < ($2, $3) AND c.opted_out_at IS NOT NULL
              ORDER BY c.opted_out_at DESC, c.phone_mac DESC LIMIT $4"
        );
        let rows = self.fetch_all(rows, values![account_id, at, mac, most]);
        let position = |row: &Suppressed| (row.since, row.phone_mac.clone());
        Ok(ListPage::new(rows.await?, limit, false, position))
    }

    /// Since when a phone is on an account's suppression list, and how it came there; `None`: it is not on it.
    pub async fn suppression(
        &self,
        account_id: Uuid,
        phone: &str,
        pepper: &Pepper,
    ) -> Result<Option<(DateTime<Utc>, String)>> {
        for mac in pepper.phone_macs(account_id, phone) {
            let row = contact::Entity::find_by_id((account_id, mac.to_vec()));
            let row = row.one(self).await?;
            let found = row.and_then(|row| row.opted_out_at.zip(row.source));
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }
}

impl Store {
    /// The phones of these MACs, each with the docid of who has it, as far as recipients have them that are among the first of the
    /// account: there is no index of phones. A phone that was put on the list by hand may never have been sent to, so no docid is known
    /// of it.
    pub async fn phones_of(
        &self,
        account_id: Uuid,
        mut macs: HashSet<Vec<u8>>,
        pepper: &Pepper,
    ) -> Result<HashMap<Vec<u8>, (String, String)>> {
        let mut phones = HashMap::new();
        let mut after = String::new();
        for _ in 0..SLICES {
            if macs.is_empty() {
                break;
            }
            let slice = recipient::Entity::find()
                .select_only()
                .columns([recipient::Column::Docid, recipient::Column::Phone])
                .filter(recipient::Column::AccountId.eq(account_id))
                .filter(recipient::Column::Docid.gt(after.as_str()))
                .order_by_asc(recipient::Column::Docid)
                .limit(SLICE);
            let slice: Vec<(String, Option<String>)> = slice.into_tuple().all(self).await?;
            let Some((last, _)) = slice.last() else { break };
            after.clone_from(last);
            let slice = slice.into_iter();
            for (docid, phone) in slice.filter_map(|(docid, phone)| Some((docid, phone?))) {
                let mac = pepper
                    .phone_macs(account_id, &phone)
                    .find(|mac| macs.remove(&mac[..]));
                if let Some(mac) = mac {
                    phones.insert(mac.to_vec(), (phone, docid));
                }
            }
        }
        Ok(phones)
    }
}

impl Tx {
    /// Puts a phone on an account's suppression list, and skips the reminders that wait for it.
    pub(super) async fn opt_out(&self, account_id: Uuid, mac: Vec<u8>, source: &str) -> Result<()> {
        let now = self.now().await?;
        self.execute(OPT_OUT, values![account_id, mac.clone(), now, source])
            .await?;
        let first: Vec<MessageKey> = self.fetch_all(FIRST_TO, values![account_id, mac]).await?;
        let mut changes = Changes::default();
        self.skip_reminders(first, SkipReason::OptedOut, &mut changes)
            .await?;
        self.append_counts(changes).await
    }

    /// What an account knows of phones, by MAC; those without a contact are left out. `lock`: none changes until this transaction
    /// ends.
    pub(super) async fn contacts(
        &self,
        account_id: Uuid,
        macs: BTreeSet<&[u8]>,
        lock: bool,
    ) -> Result<HashMap<Vec<u8>, Contact>> {
        let keys = macs.into_iter().map(|mac| ContactKey {
            account_id,
            phone_mac: mac.to_vec(),
        });
        let select = if lock { LOCKED_CONTACTS } else { CONTACTS };
        let contacts: Vec<ContactRow> = self.fetch_batch(select, keys.collect()).await?;
        let contacts = contacts.into_iter().map(|row| {
            let last_sent = row.last_sent_at.map(|at| (at, row.last_campaign_id));
            let contact = Contact {
                opted_out: row.opted_out,
                last_sent,
            };
            (row.phone_mac, contact)
        });
        Ok(contacts.collect())
    }
}
