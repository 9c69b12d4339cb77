//! What a database that was set back must not do by itself: send again what went out since.

use crate::tx::{Sql, Statement, statement, values};
use crate::{Result, Store};

const PAUSE: &Statement = statement!(
    "UPDATE campaign SET status = 'PAUSED', revision = revision + 1, updated_at = $1 WHERE status = 'RUNNING'"
);
/// They stay as replies that were given, so that none follows that day.
const DROP_REPLIES: &Statement = statement!(
    "UPDATE reply SET sender = NULL, phone = NULL, text = NULL WHERE sender IS NOT NULL"
);

impl Store {
    /// Pauses every running campaign and drops the replies that wait. Returns how many campaigns were running.
    pub async fn hold_what_was_under_way(&self) -> Result<u64> {
        let tx = self.begin().await?;
        let paused = tx.execute(PAUSE, values![tx.now().await?]).await?;
        tx.execute(DROP_REPLIES, vec![]).await?;
        tx.commit_surely().await?;
        Ok(paused)
    }
}
