//! What time leaves behind, and how long it stays.

use chrono::TimeDelta;
use sea_orm::FromQueryResult;
use uuid::Uuid;

use crate::import::{FIRST_ANSWER_LIFETIME, UPLOAD_LIFETIME};
use crate::tx::{Sql, Statement, statement, values};
use crate::{Error, Store};

/// Parked payloads stay this long for a retry.
const PARKED: TimeDelta = TimeDelta::days(30);

/// Deletes rows of which a column is before a moment.
macro_rules! delete {
    ($rows:literal) => {
        statement!("DELETE FROM ", $rows, " < $1")
    };
    (by_account $rows:literal) => {
        statement!(accounts "account_id = ANY($2)": "DELETE FROM ", $rows, " < $1"; "")
    };
}

/// What is deleted of accounts, and how old it is by then.
const KEPT_OF_ACCOUNTS: [(&Statement, TimeDelta); 6] = [
    // Half received, and its attempt is silent.
    (
        delete!(by_account "import_batch WHERE status = 'receiving' AND heartbeat_at"),
        TimeDelta::seconds(60),
    ),
    (
        delete!(by_account "import_batch WHERE status IN ('completed', 'cancelled') AND erase_seq IS NULL AND completed_at"),
        TimeDelta::days(90),
    ),
    (
        delete!(by_account "idempotency WHERE created_at"),
        FIRST_ANSWER_LIFETIME,
    ),
    // What waited longer is not sent any more. As long it is known that there was a reply that day.
    (
        delete!(by_account "reply WHERE made_at"),
        TimeDelta::days(2),
    ),
    // Of days that are over everywhere.
    (
        delete!(by_account "campaign_quota WHERE began_at"),
        TimeDelta::days(3),
    ),
    (
        delete!(by_account "receipt WHERE received_at"),
        TimeDelta::days(90),
    ),
];

/// What is deleted that belongs to no account alone, and how old it is by then.
const KEPT: [(&Statement, TimeDelta); 6] = [
    (
        delete!("worker_heartbeat WHERE heartbeat_at"),
        TimeDelta::days(1),
    ),
    // Providers repeat a text for a day at most. One that opted in is said to have come at the end of time.
    (delete!("inbound WHERE received_at"), TimeDelta::days(2)),
    // As long receipts by the provider's id lead to messages.
    (
        delete!("provider_ref WHERE created_at"),
        TimeDelta::days(90),
    ),
    // For the answer that is still on its way.
    (
        delete!("stray_receipt WHERE received_at"),
        TimeDelta::hours(1),
    ),
    (delete!("share WHERE expires_at"), TimeDelta::zero()),
    (delete!("upload WHERE created_at"), UPLOAD_LIFETIME),
];

const PARKED_BATCHES: &Statement = statement!(accounts "b.account_id = ANY($2)":
    "SELECT b.account_id, b.batch_id FROM import_batch b
      WHERE b.status = 'stalled' AND NOT EXISTS (
            SELECT 1 FROM import_chunk c WHERE c.account_id = b.account_id AND c.batch_id = b.batch_id
               AND c.retry_at >= $1)"; ""
);

#[derive(FromQueryResult)]
struct ParkedBatch {
    account_id: Uuid,
    batch_id: Uuid,
}

impl Store {
    /// Clears what is past its time. Safe to run anywhere, any number of times at once.
    pub async fn sweep(&self) -> Result<(), Error> {
        let now = self.now().await?;
        // What fails of one table holds up no other.
        let mut swept = Ok(());
        for (delete, kept) in KEPT {
            let deleted = self.execute(delete, values![now - kept]).await;
            swept = swept.and(deleted.map(drop));
        }
        let accounts = self.accounts_to_sweep();
        for (delete, kept) in KEPT_OF_ACCOUNTS {
            let deleted = self.execute_at_nodes(accounts, delete, values![now - kept]);
            swept = swept.and(deleted.await);
        }
        let parked = self.scan(PARKED_BATCHES, values![now - PARKED]).await;
        let parked = parked.unwrap_or_else(|error| {
            swept = Err(error);
            Vec::new()
        });
        for batch in parked {
            let ParkedBatch {
                account_id,
                batch_id,
            } = batch;
            let cancelled = self.cancel(account_id, batch_id, &["stalled"]).await;
            swept = swept.and(self.unless_away(account_id, cancelled.map(drop)));
        }
        let erased = self.sweep_erased(accounts).await;
        let kept = self.keep_work(accounts).await;
        self.truncate_log().await?;
        swept.and(erased).and(kept)
    }
}
