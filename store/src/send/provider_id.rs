//! Receipts that carry the provider's id alone: which message and part it stands for. One that comes before the result with its id
//! is kept until then.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::campaign::ReceiptStatus;
use entity::stray_receipt;
use sea_orm::{EntityTrait, FromQueryResult};
use uuid::Uuid;

use super::receipt::NewReceipt;
use crate::tx::{BatchStatement, Parsed, Sql, Statement, batch_row, statement, values};
use crate::{Error, Result, Store};

/// Stray receipts that are looked at at once.
const MAX_STRAYS: i64 = 1_000;

/// A receipt by the provider's id.
#[derive(Clone, Debug)]
pub struct ProviderReceipt {
    pub provider_id: String,
    pub status: ReceiptStatus,
    pub code: Option<String>,
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

const FIND: &BatchStatement<StrayReceipt> = statement!(StrayReceipt:
    "SELECT r.provider_id, batch.status, batch.code, r.account_id, r.message_id, r.part
       FROM batch JOIN provider_ref r ON r.sender = batch.sender AND r.provider_id = batch.provider_id"
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
    /// Stores receipts by the provider's ids, in one transaction those of unknown ids, then those of messages.
    ///
    /// # Errors
    /// Giving the same receipts again is safe.
    pub async fn record_provider_receipts(
        &self,
        sender: &str,
        receipts: &[ProviderReceipt],
    ) -> Result<()> {
        let tx = self.begin_by_keys().await?;
        let now = tx.now().await?;
        let rows = receipts.iter().map(|receipt| StrayReceipt {
            sender: sender.to_owned(),
            provider_id: receipt.provider_id.clone(),
            status: receipt.status.into_str(),
            code: receipt.code.clone(),
            received_at: now,
        });
        let rows: Vec<_> = rows.collect();
        // In this order: an id that becomes known in between is kept and found, and settled twice, which is once.
        tx.execute_batch(KEEP, rows.clone()).await?;
        let found: Vec<FoundReceipt> = tx.fetch_batch(FIND, rows).await?;
        tx.commit_surely().await?;
        self.record_receipts(&receipts_of(&found)?).await
    }

    /// Records the stray receipts of a sender whose ids are known by now.
    pub async fn settle_strays(&self, sender: &str) -> Result<()> {
        let found: Vec<FoundReceipt> = self.fetch_all(STRAYS, values![sender, MAX_STRAYS]).await?;
        let mut by_account: BTreeMap<Option<Uuid>, Vec<FoundReceipt>> = BTreeMap::new();
        for stray in found {
            let account_id = self.has_nodes().then_some(stray.account_id);
            by_account.entry(account_id).or_default().push(stray);
        }
        for (account_id, strays) in by_account {
            let settled = self.settle(sender, strays).await;
            match account_id {
                Some(account_id) => self.unless_away(account_id, settled)?,
                None => settled?,
            }
        }
        Ok(())
    }

    async fn settle(&self, sender: &str, strays: Vec<FoundReceipt>) -> Result<()> {
        self.record_receipts(&receipts_of(&strays)?).await?;
        for stray in strays {
            let status = stray.status.0.into_str().to_owned();
            stray_receipt::Entity::delete_by_id((sender.to_owned(), stray.provider_id, status))
                .exec(self)
                .await?;
        }
        Ok(())
    }
}

fn receipts_of(found: &[FoundReceipt]) -> Result<Vec<NewReceipt>> {
    let receipts = found.iter().map(|receipt| {
        Ok(NewReceipt {
            account_id: receipt.account_id,
            message_id: receipt.message_id,
            part: Some(usize::try_from(receipt.part).map_err(Error::broken)?),
            status: receipt.status.0,
            code: receipt.code.clone(),
        })
    });
    receipts.collect()
}
