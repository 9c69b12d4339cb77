//! What time leaves behind, and how long it stays.

use chrono::TimeDelta;
use uuid::Uuid;

use crate::import::FIRST_ANSWER_LIFETIME;
use crate::tx::{Sql, values};
use crate::{Error, Store};

/// Parked payloads stay this long for a retry.
const PARKED: TimeDelta = TimeDelta::days(30);

/// Rows that go when a column of theirs is older than this.
const KEPT: [(&str, TimeDelta); 10] = [
    // Half received, and its attempt is silent.
    (
        "import_batch WHERE status = 'receiving' AND heartbeat_at",
        TimeDelta::seconds(60),
    ),
    (
        "import_batch WHERE status IN ('completed', 'cancelled') AND completed_at",
        TimeDelta::days(90),
    ),
    ("idempotency WHERE created_at", FIRST_ANSWER_LIFETIME),
    ("worker_heartbeat WHERE heartbeat_at", TimeDelta::days(1)),
    // Providers repeat a text for a day at most.
    ("inbound WHERE received_at", TimeDelta::days(2)),
    // What waited longer is not sent any more. As long it is known that there was a reply that day.
    ("reply WHERE made_at", TimeDelta::days(2)),
    ("receipt WHERE received_at", TimeDelta::days(90)),
    // As long receipts by the provider's id lead to messages.
    ("provider_ref WHERE created_at", TimeDelta::days(90)),
    // For the answer that is still on its way.
    ("stray_receipt WHERE received_at", TimeDelta::hours(1)),
    ("share WHERE expires_at", TimeDelta::zero()),
];

impl Store {
    /// Clears what is past its time. Safe to run anywhere, any number of times at once.
    pub async fn sweep(&self) -> Result<(), Error> {
        let now = self.now().await?;
        // What fails of one table holds up no other.
        let mut swept = Ok(());
        for (rows, kept) in KEPT {
            let delete = self.execute(format!("DELETE FROM {rows} < $1"), values![now - kept]);
            swept = swept.and(delete.await.map(drop));
        }
        let parked = "SELECT b.account_id, b.batch_id FROM import_batch b
          WHERE b.status = 'stalled' AND NOT EXISTS (
                SELECT 1 FROM import_chunk c WHERE c.account_id = b.account_id AND c.batch_id = b.batch_id
                   AND c.retry_at >= $1)";
        let parked: Vec<(Uuid, Uuid)> = self.all(parked, values![now - PARKED]).await?;
        for (account_id, batch_id) in parked {
            self.cancel(account_id, batch_id, &["stalled"]).await?;
        }
        let erased = self.sweep_erased().await;
        self.truncate_log().await?;
        swept.and(erased)
    }
}
