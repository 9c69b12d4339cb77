//! What time leaves behind, and how long it stays.

use chrono::TimeDelta;
use sea_orm::FromQueryResult;
use uuid::Uuid;

use crate::import::FIRST_ANSWER_LIFETIME;
use crate::tx::{Sql, Statement, statement, values};
use crate::{Error, Store};

/// Parked payloads stay this long for a retry.
const PARKED: TimeDelta = TimeDelta::days(30);

/// Statements that delete rows of which a column is before a moment, and how long ago that is.
const KEPT: [(&Statement, TimeDelta); 10] = [
    // Half received, and its attempt is silent.
    (
        statement!("DELETE FROM import_batch WHERE status = 'receiving' AND heartbeat_at < $1"),
        TimeDelta::seconds(60),
    ),
    (
        statement!(
            "DELETE FROM import_batch WHERE status IN ('completed', 'cancelled') AND completed_at < $1"
        ),
        TimeDelta::days(90),
    ),
    (
        statement!("DELETE FROM idempotency WHERE created_at < $1"),
        FIRST_ANSWER_LIFETIME,
    ),
    (
        statement!("DELETE FROM worker_heartbeat WHERE heartbeat_at < $1"),
        TimeDelta::days(1),
    ),
    // Providers repeat a text for a day at most.
    (
        statement!("DELETE FROM inbound WHERE received_at < $1"),
        TimeDelta::days(2),
    ),
    // What waited longer is not sent any more. As long it is known that there was a reply that day.
    (
        statement!("DELETE FROM reply WHERE made_at < $1"),
        TimeDelta::days(2),
    ),
    (
        statement!("DELETE FROM receipt WHERE received_at < $1"),
        TimeDelta::days(90),
    ),
    // As long receipts by the provider's id lead to messages.
    (
        statement!("DELETE FROM provider_ref WHERE created_at < $1"),
        TimeDelta::days(90),
    ),
    // For the answer that is still on its way.
    (
        statement!("DELETE FROM stray_receipt WHERE received_at < $1"),
        TimeDelta::hours(1),
    ),
    (
        statement!("DELETE FROM share WHERE expires_at < $1"),
        TimeDelta::zero(),
    ),
];

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
        let parked = statement!(
            "SELECT b.account_id, b.batch_id FROM import_batch b
              WHERE b.status = 'stalled' AND NOT EXISTS (
                    SELECT 1 FROM import_chunk c WHERE c.account_id = b.account_id AND c.batch_id = b.batch_id
                       AND c.retry_at >= $1)"
        );
        let parked: Vec<ParkedBatch> = self.fetch_all(parked, values![now - PARKED]).await?;
        for batch in parked {
            self.cancel(batch.account_id, batch.batch_id, &["stalled"])
                .await?;
        }
        let erased = self.sweep_erased().await;
        self.truncate_log().await?;
        swept.and(erased)
    }
}
