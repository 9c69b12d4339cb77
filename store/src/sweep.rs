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

/// Rows of erased persons that one statement clears: it holds their locks.
const ERASED_AT_ONCE: usize = 1_000;

impl Store {
    /// Clears what is past its time. Safe to run anywhere, any number of times at once.
    ///
    /// # Errors
    /// See [`Error`].
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
        self.sweep_erased().await?;
        self.truncate_log().await?;
        swept
    }

    /// An erased person's row is needed only while a batch accepted earlier is open. Once none is, that stays so for
    /// the row's `seq`; therefore only the version that was judged goes: a row that was erased again meanwhile has a
    /// higher one.
    async fn sweep_erased(&self) -> Result<(), Error> {
        loop {
            let gone = "SELECT t.account_id, t.docid, t.seq FROM recipient t
              WHERE t.phone IS NULL AND t.seq > 0 AND NOT EXISTS (
                    SELECT 1 FROM import_batch o WHERE o.account_id = t.account_id AND o.seq < t.seq
                       AND o.status IN ('queued', 'processing', 'stalled'))
              ORDER BY t.account_id, t.docid LIMIT $1";
            let limit = i64::try_from(ERASED_AT_ONCE).map_err(Error::broken)?;
            // Found apart, as in `end_cancelled_messages`.
            let gone: Vec<(Uuid, String, i64)> = self.all(gone, values![limit]).await?;
            if gone.is_empty() {
                return Ok(());
            }
            let gone = gone
                .into_iter()
                .map(|(account, docid, seq)| values![account, docid, seq]);
            let delete = "WITH g(a, d, s) AS (ROWS) DELETE FROM recipient
              WHERE phone IS NULL AND (account_id, docid, seq) IN (SELECT a, d, s FROM g)";
            let tx = self.begin().await?;
            tx.for_rows(delete, gone.collect()).await?;
            tx.commit_surely().await?;
        }
    }
}
