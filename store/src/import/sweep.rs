//! What time leaves behind, and how long it stays.

use chrono::TimeDelta;
use uuid::Uuid;

use super::idempotency;
use crate::tx::{Sql, values};
use crate::{Error, Store};

/// A half-received batch whose attempt is silent this long goes.
const RECEIVING: TimeDelta = TimeDelta::seconds(60);
/// Parked payloads stay this long for a retry.
const PARKED: TimeDelta = TimeDelta::days(30);
/// Finished batches stay this long.
const BATCHES: TimeDelta = TimeDelta::days(90);

/// Rows of erased persons that one statement clears: it holds their locks.
const ERASED_AT_ONCE: i64 = 1_000;

impl Store {
    /// Clears what is past its time. Safe to run anywhere, any number of times at once.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn sweep(&self) -> Result<(), Error> {
        let now = self.now().await?;
        let before = |age: TimeDelta| values![now - age];
        let delete = "DELETE FROM import_batch WHERE status = 'receiving' AND heartbeat_at < $1";
        self.execute(delete, before(RECEIVING)).await?;
        let delete = "DELETE FROM idempotency WHERE created_at < $1";
        self.execute(delete, before(idempotency::LIFETIME)).await?;
        let parked = "SELECT b.account_id, b.batch_id FROM import_batch b
          WHERE b.status = 'stalled' AND NOT EXISTS (
                SELECT 1 FROM import_chunk c WHERE c.account_id = b.account_id AND c.batch_id = b.batch_id
                   AND c.retry_at >= $1)";
        let parked: Vec<(Uuid, Uuid)> = self.all(parked, before(PARKED)).await?;
        for (account_id, batch_id) in parked {
            self.cancel(account_id, batch_id, &["stalled"]).await?;
        }
        let delete = "DELETE FROM import_batch WHERE status IN ('completed', 'cancelled') AND completed_at < $1";
        self.execute(delete, before(BATCHES)).await?;
        let delete = "DELETE FROM worker_heartbeat WHERE heartbeat_at < $1";
        self.execute(delete, before(TimeDelta::days(1))).await?;
        self.sweep_erased().await
    }

    /// An erased person's row is needed only while a batch accepted earlier is open. Once none is, that stays so for
    /// the row's `seq`; therefore only the version that was judged goes: a row that was erased again meanwhile has a
    /// higher one.
    async fn sweep_erased(&self) -> Result<(), Error> {
        loop {
            let gone = "DELETE FROM recipient
              WHERE phone IS NULL AND (account_id, docid, seq) IN (
                    SELECT t.account_id, t.docid, t.seq FROM recipient t
                     WHERE t.phone IS NULL AND t.seq > 0 AND NOT EXISTS (
                           SELECT 1 FROM import_batch o WHERE o.account_id = t.account_id AND o.seq < t.seq
                              AND o.status IN ('queued', 'processing', 'stalled'))
                     ORDER BY t.account_id, t.docid LIMIT $1)";
            let gone = self.execute(gone, values![ERASED_AT_ONCE]).await?;
            if gone < ERASED_AT_ONCE.unsigned_abs() {
                return Ok(());
            }
        }
    }
}
