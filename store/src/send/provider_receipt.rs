//! Receipts that carry the provider's id alone, or a number of ours that they echo: which message and part they are of. One that
//! comes before the result with its id is kept until then.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::campaign::ReceiptStatus;
use domain::pepper::Pepper;
use sea_orm::FromQueryResult;
use uuid::Uuid;

use super::MessageKey;
use super::provider_id::{Echo, key};
use super::receipt::NewReceipt;
use crate::tx::{BatchStatement, Parsed, Sql, Statement, batch_row, statement, values};
use crate::{Error, Result, Store, Tx};

/// Stray receipts that are settled at once.
pub const MAX_STRAYS: usize = 1_000;

/// A receipt of a message that it names.
#[derive(Clone)]
pub struct ProviderReceipt {
    /// What the id of the provider's answer may be, likeliest first. Where there are several, one is it if its message went to
    /// one of the phones.
    pub provider_ids: Vec<String>,
    /// The number of the part, where the receipt echoes it.
    pub number: Option<u16>,
    /// The phones that it names, in E.164.
    pub phones: Vec<String>,
    pub status: ReceiptStatus,
    pub code: Option<String>,
    /// Its provider sends it again, so it is not kept where it fits no message.
    pub comes_again: bool,
}

batch_row! {
    /// A name that a receipt may mean by what it has.
    struct ReceiptName {
        /// Which receipt it is of, and the place of the name among its own.
        receipt: i64,
        place: i64,
        sender: String,
        provider_id: String,
    }
}

const FIND: &BatchStatement<ReceiptName> = statement!(ReceiptName:
    "SELECT batch.receipt, batch.place, r.account_id, r.message_id, r.part
       FROM batch JOIN provider_ref r ON r.sender = batch.sender AND r.provider_id = batch.provider_id"
);

#[derive(FromQueryResult)]
struct FoundName {
    receipt: i64,
    place: i64,
    account_id: Uuid,
    message_id: Uuid,
    part: i64,
}

const SENT_TO: &BatchStatement<MessageKey> = statement!(MessageKey:
    "SELECT m.account_id, m.message_id, m.sent_mac
       FROM batch JOIN message m ON m.account_id = batch.account_id AND m.message_id = batch.message_id"
);

#[derive(FromQueryResult)]
struct SentMessage {
    #[sea_orm(nested)]
    key: MessageKey,
    sent_mac: Option<Vec<u8>>,
}

batch_row! {
    #[derive(Clone)]
    struct StrayReceipt {
        sender: String,
        provider_id: String,
        status: &'static str,
        code: Option<String>,
        received_at: DateTime<Utc>,
    }
}

const KEEP: &BatchStatement<StrayReceipt> = statement!(StrayReceipt:
    "INSERT INTO stray_receipt ({columns}) SELECT {columns} FROM batch
      WHERE NOT EXISTS (SELECT 1 FROM provider_ref r WHERE r.sender = batch.sender AND r.provider_id = batch.provider_id)
         ON CONFLICT DO NOTHING"
);

batch_row! {
    struct StrayKey {
        sender: String,
        provider_id: String,
        status: &'static str,
    }
}

const FORGET: &BatchStatement<StrayKey> = statement!(StrayKey:
    "DELETE FROM stray_receipt WHERE ({columns}) IN (SELECT {columns} FROM batch)"
);

const STRAYS: &Statement = statement!(
    "SELECT s.provider_id, s.status, s.code, r.account_id, r.message_id, r.part
       FROM stray_receipt s JOIN provider_ref r ON r.sender = s.sender AND r.provider_id = s.provider_id
      WHERE s.sender = $1 LIMIT $2"
);

/// A receipt with the message of its provider's id.
#[derive(FromQueryResult)]
struct FoundReceipt {
    provider_id: String,
    status: Parsed<ReceiptStatus>,
    code: Option<String>,
    account_id: Uuid,
    message_id: Uuid,
    part: i64,
}

impl Store {
    /// Stores receipts: in one transaction those that fit no message, then those of messages. Gives for each the place of the id
    /// that fitted, or, of one that fitted by its number, how many ids it has; `None`: it fits no message.
    ///
    /// # Errors
    /// Giving the same receipts again is safe.
    pub async fn record_provider_receipts(
        &self,
        sender: &str,
        receipts: &[ProviderReceipt],
        pepper: &Pepper,
    ) -> Result<Vec<Option<usize>>> {
        let names = names(sender, receipts, pepper);
        let tx = self.begin_by_keys().await?;
        let found: Vec<FoundName> = tx.fetch_batch(FIND, names).await?;
        let mut fitting = fitting(receipts, tx.fits_phone(receipts, found, pepper).await?);
        // In this order: an id that becomes known in between is kept and found, and settled twice, which is once.
        let stray: Vec<usize> = (0..receipts.len())
            .filter(|place| !fitting.contains_key(place))
            .filter(|place| receipts.get(*place).is_some_and(|one| !one.comes_again))
            .collect();
        if stray.is_empty() {
            tx.rollback().await?;
        } else {
            let found = tx.keep_strays(sender, receipts, &stray).await?;
            fitting.extend(found);
            tx.commit_surely().await?;
        }
        let of_messages = fitting.iter().filter_map(|(place, found)| {
            let receipt = receipts.get(*place)?;
            Some(NewReceipt {
                account_id: found.account_id,
                message_id: found.message_id,
                sender: sender.to_owned(),
                attempt: None,
                part: usize::try_from(found.part).ok(),
                status: receipt.status,
                code: receipt.code.clone(),
            })
        });
        let of_messages: Vec<_> = of_messages.collect();
        self.record_receipts(&of_messages).await?;
        let places = (0..receipts.len()).map(|place| {
            let found = fitting.get(&place)?;
            usize::try_from(found.place).ok()
        });
        Ok(places.collect())
    }

    /// Records stray receipts of a sender whose ids are known by now, at most [`MAX_STRAYS`], and gives what they say.
    pub async fn settle_strays(&self, sender: &str) -> Result<Vec<ReceiptStatus>> {
        let most = i64::try_from(MAX_STRAYS).map_err(Error::broken)?;
        let found: Vec<FoundReceipt> = self.fetch_all(STRAYS, values![sender, most]).await?;
        let mut by_account: BTreeMap<Option<Uuid>, Vec<FoundReceipt>> = BTreeMap::new();
        for stray in found {
            let account_id = self.has_nodes().then_some(stray.account_id);
            by_account.entry(account_id).or_default().push(stray);
        }
        let mut statuses = Vec::new();
        for (account_id, strays) in by_account {
            let of_account: Vec<_> = strays.iter().map(|stray| stray.status.0).collect();
            let settled = self.settle(sender, strays).await.map(|()| of_account);
            statuses.extend(match account_id {
                Some(account_id) => self.unless_away(account_id, settled)?,
                None => settled?,
            });
        }
        Ok(statuses)
    }

    async fn settle(&self, sender: &str, strays: Vec<FoundReceipt>) -> Result<()> {
        let receipts = strays.iter().map(|receipt| NewReceipt {
            account_id: receipt.account_id,
            message_id: receipt.message_id,
            sender: sender.to_owned(),
            attempt: None,
            part: usize::try_from(receipt.part).ok(),
            status: receipt.status.0,
            code: receipt.code.clone(),
        });
        self.record_receipts(&receipts.collect::<Vec<_>>()).await?;
        let settled = strays.into_iter().map(|stray| StrayKey {
            sender: sender.to_owned(),
            provider_id: stray.provider_id,
            status: stray.status.0.into_str(),
        });
        let tx = self.begin_by_keys().await?;
        tx.execute_batch(FORGET, settled.collect()).await?;
        tx.commit_surely().await
    }
}

impl Tx {
    /// Leaves out names of messages that went to none of the phones that the receipt names, of receipts that may mean several.
    async fn fits_phone(
        &self,
        receipts: &[ProviderReceipt],
        mut found: Vec<FoundName>,
        pepper: &Pepper,
    ) -> Result<Vec<FoundName>> {
        let guessed = |found: &FoundName| {
            let receipt = receipts.get(usize::try_from(found.receipt).ok()?)?;
            let ids = receipt.provider_ids.len();
            let is_guessed = ids > 1 && usize::try_from(found.place).ok()? < ids;
            is_guessed.then_some(receipt)
        };
        let keys = found.iter().filter(|found| guessed(found).is_some());
        let keys: Vec<MessageKey> = keys.map(FoundName::message).collect();
        if keys.is_empty() {
            return Ok(found);
        }
        let sent: Vec<SentMessage> = self.fetch_batch(SENT_TO, keys).await?;
        let sent: BTreeMap<MessageKey, Option<Vec<u8>>> = sent
            .into_iter()
            .map(|message| (message.key, message.sent_mac))
            .collect();
        found.retain(|found| {
            let Some(receipt) = guessed(found) else {
                return true;
            };
            let Some(Some(sent_mac)) = sent.get(&found.message()) else {
                return false;
            };
            receipt.phones.iter().any(|phone| {
                let mut macs = pepper.phone_macs(found.account_id, phone);
                macs.any(|mac| mac[..] == sent_mac[..])
            })
        });
        Ok(found)
    }

    /// Keeps receipts by their first id, and gives those whose id became known meanwhile.
    async fn keep_strays(
        &self,
        sender: &str,
        receipts: &[ProviderReceipt],
        places: &[usize],
    ) -> Result<BTreeMap<usize, FoundName>> {
        let now = self.now().await?;
        let (mut rows, mut names) = (Vec::new(), Vec::new());
        for place in places {
            let receipt = receipts.get(*place);
            let id = receipt.and_then(|receipt| Some((receipt, receipt.provider_ids.first()?)));
            let Some((receipt, id)) = id else { continue };
            rows.push(StrayReceipt {
                sender: sender.to_owned(),
                provider_id: key(id),
                status: receipt.status.into_str(),
                code: receipt.code.clone(),
                received_at: now,
            });
            names.push(ReceiptName {
                receipt: i64::try_from(*place).map_err(Error::broken)?,
                place: 0,
                sender: sender.to_owned(),
                provider_id: key(id),
            });
        }
        self.execute_batch(KEEP, rows).await?;
        let found: Vec<FoundName> = self.fetch_batch(FIND, names).await?;
        Ok(fitting(receipts, found))
    }
}

impl FoundName {
    fn message(&self) -> MessageKey {
        MessageKey {
            account_id: self.account_id,
            message_id: self.message_id,
        }
    }
}

/// All names of receipts: their ids, then what they echo.
fn names(sender: &str, receipts: &[ProviderReceipt], pepper: &Pepper) -> Vec<ReceiptName> {
    let mut names = Vec::new();
    for (receipt, place_of_receipt) in receipts.iter().zip(0..) {
        let mut add = |place, provider_id| {
            names.push(ReceiptName {
                receipt: place_of_receipt,
                place,
                sender: sender.to_owned(),
                provider_id,
            });
        };
        let mut last = 0;
        for (id, place) in receipt.provider_ids.iter().zip(0..) {
            let folded = key(id);
            if folded != *id {
                // As older processes kept it.
                add(place, id.clone());
            }
            add(place, folded);
            last = place + 1;
        }
        if let Some(number) = receipt.number {
            for phone in &receipt.phones {
                for echo in Echo::all_of(number, phone, pepper) {
                    add(last, echo.key_of_part(0));
                }
            }
        }
    }
    names
}

/// Of each receipt, by its place, the likeliest name.
fn fitting(receipts: &[ProviderReceipt], found: Vec<FoundName>) -> BTreeMap<usize, FoundName> {
    let mut fitting: BTreeMap<usize, FoundName> = BTreeMap::new();
    for name in found {
        let Ok(receipt) = usize::try_from(name.receipt) else {
            continue;
        };
        let known = fitting.get(&receipt);
        if receipt < receipts.len() && known.is_none_or(|known| name.place < known.place) {
            fitting.insert(receipt, name);
        }
    }
    fitting
}
