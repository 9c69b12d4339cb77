//! The zone in which an account's days are counted. It can be changed while no day has a count.

use chrono::Utc;
use chrono_tz::Tz;
use uuid::Uuid;

use crate::tx::{Sql, statement, values};
use crate::{Result, Store};

/// Whether anything of an account was counted by its days, or is about to be: records that were accepted, views and answers, messages.
macro_rules! is_counted {
    () => {
        "SELECT EXISTS (SELECT 1 FROM import_batch WHERE account_id = $1 AND status <> 'receiving')
             OR EXISTS (SELECT 1 FROM pending_delta WHERE account_id = $1)
             OR EXISTS (SELECT 1 FROM rollup WHERE account_id = $1)
             OR EXISTS (SELECT 1 FROM message WHERE account_id = $1)"
    };
}

impl Store {
    /// Whether anything was counted by the account's days, so that its zone stays.
    pub async fn has_counted_days(&self, account_id: Uuid) -> Result<bool> {
        let counted = self.fetch_value(statement!(is_counted!()), values![account_id]);
        Ok(counted.await?.unwrap_or_default())
    }

    /// Sets the zone of an account; false: something was counted in the one that it has.
    pub async fn set_time_zone(&self, account_id: Uuid, zone: Tz) -> Result<bool> {
        let mut tx = self.begin().await?;
        let set = statement!("UPDATE account SET time_zone = $2 WHERE account_id = $1");
        tx.execute(set, values![account_id, zone.name()]).await?;
        let counted = tx.fetch_value(statement!(is_counted!()), values![account_id]);
        if counted.await?.unwrap_or_default() {
            tx.rollback().await?;
            return Ok(false);
        }
        // Reports name the zone.
        tx.raise_recipient_version(account_id, Utc::now()).await?;
        tx.commit_surely().await?;
        Ok(true)
    }
}
