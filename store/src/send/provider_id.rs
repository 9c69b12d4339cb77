//! Receipts that carry the provider's id alone: which message and part it stands for. One that comes before the result with its id
//! is kept until then.

use domain::campaign::ReceiptStatus;
use sea_orm::QueryResult;

use super::receipt::NewReceipt;
use crate::tx::{Sql, get, parsed, values};
use crate::{Error, Result, Store};

/// Stray receipts that are looked at at once.
const STRAYS: i64 = 1_000;

/// A receipt by the provider's id.
#[derive(Clone, Debug)]
pub struct ProviderReceipt {
    pub provider_id: String,
    pub status: ReceiptStatus,
    pub code: Option<String>,
}

const KEEP: &str = "WITH g(s, i, t, c, r) AS (ROWS)
     INSERT INTO stray_receipt (sender, provider_id, status, code, received_at) SELECT * FROM g
      WHERE NOT EXISTS (SELECT 1 FROM provider_ref r WHERE r.sender = g.s AND r.provider_id = g.i) ON CONFLICT DO NOTHING";

const FIND: &str = "WITH g(s, i, t, c, r) AS (ROWS) SELECT g.t AS status, g.c AS code, r.account_id, r.message_id, r.part
       FROM g JOIN provider_ref r ON r.sender = g.s AND r.provider_id = g.i";

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
        let rows = receipts.iter().map(|receipt| {
            let (id, code) = (receipt.provider_id.as_str(), receipt.code.as_deref());
            values![sender, id, receipt.status.into_str(), code, now]
        });
        let rows: Vec<_> = rows.collect();
        // In this order: an id that becomes known in between is kept and found, and settled twice, which is once.
        tx.for_rows(KEEP, rows.clone()).await?;
        let found = tx.for_rows(FIND, rows).await?;
        tx.commit_surely().await?;
        self.record_receipts(&receipts_of(&found)?).await
    }

    /// Records the stray receipts of a sender whose ids are known by now.
    pub async fn settle_strays(&self, sender: &str) -> Result<()> {
        let rows = "SELECT s.provider_id, s.status, s.code, r.account_id, r.message_id, r.part
                   FROM stray_receipt s JOIN provider_ref r ON r.sender = s.sender AND r.provider_id = s.provider_id
                  WHERE s.sender = $1 LIMIT $2";
        let rows = self.rows(rows, values![sender, STRAYS]).await?;
        self.record_receipts(&receipts_of(&rows)?).await?;
        for row in &rows {
            let delete =
                "DELETE FROM stray_receipt WHERE sender = $1 AND provider_id = $2 AND status = $3";
            let values = values![
                sender,
                get::<String>(row, "provider_id")?,
                get::<String>(row, "status")?
            ];
            self.execute(delete, values).await?;
        }
        Ok(())
    }
}

fn receipts_of(rows: &[QueryResult]) -> Result<Vec<NewReceipt>> {
    let receipts = rows.iter().map(|row| {
        Ok(NewReceipt {
            account_id: get(row, "account_id")?,
            message_id: get(row, "message_id")?,
            part: Some(usize::try_from(get::<i64>(row, "part")?).map_err(Error::broken)?),
            status: parsed(row, "status")?,
            code: get(row, "code")?,
        })
    });
    receipts.collect()
}
