//! Leases: which process drives a sender. The fence rises with each change of hands; what a driver does in the database it does
//! under its fence, so that one who lost the lease without noticing changes nothing.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::tx::{Sql, statement, values};
use crate::{Result, Store, Tx};

/// A lease whose heartbeat is older may be taken over.
pub const TAKEOVER_AFTER: TimeDelta = TimeDelta::seconds(8);
/// How often a lease is renewed.
pub const RENEW_EVERY: Duration = Duration::from_secs(2);
/// Nothing is written to a provider once the last renewal began longer ago.
pub const TRUSTED_FOR: Duration = Duration::from_secs(5);

/// A lease that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    pub name: String,
    pub fence: i64,
}

impl Store {
    /// Takes a lease that is free or abandoned. `None`: somebody else has it.
    pub async fn take_lease(&self, name: &str, owner: Uuid) -> Result<Option<Lease>> {
        let now = self.now().await?;
        let take = statement!(
            "INSERT INTO lease (name, owner, fence, heartbeat_at) VALUES ($1, $2, 1, $3)
                 ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, fence = lease.fence + 1,
                    heartbeat_at = excluded.heartbeat_at
              WHERE lease.heartbeat_at < $4 RETURNING fence"
        );
        let tx = self.begin().await?;
        let values = values![name, owner, now, now - TAKEOVER_AFTER];
        let fence = tx.fetch_value(take, values).await?;
        tx.commit_surely().await?;
        Ok(fence.map(|fence| Lease {
            name: name.to_owned(),
            fence,
        }))
    }

    /// Renews a lease; false: it is lost.
    pub async fn renew_lease(&self, lease: &Lease) -> Result<bool> {
        let now = self.now().await?;
        self.set_heartbeat(lease, now).await
    }

    /// Gives a lease back, so that another takes it at once.
    pub async fn release_lease(&self, lease: &Lease) -> Result<()> {
        self.set_heartbeat(lease, DateTime::UNIX_EPOCH)
            .await
            .map(drop)
    }

    async fn set_heartbeat(&self, lease: &Lease, at: DateTime<Utc>) -> Result<bool> {
        let renew = statement!("UPDATE lease SET heartbeat_at = $3 WHERE name = $1 AND fence = $2");
        let values = values![lease.name.as_str(), lease.fence, at];
        Ok(self.execute(renew, values).await? == 1)
    }
}

impl Tx {
    /// Whether a person has paused the sender of a lease that still stands, as it does until this transaction ends. `None`: it does not.
    pub(super) async fn holds(&self, lease: &Lease) -> Result<Option<bool>> {
        let held = statement!(lock "FOR SHARE OF l":
            "SELECT s.paused_at IS NOT NULL FROM lease l LEFT JOIN sender_state s ON s.name = l.name WHERE l.name = $1 AND l.fence = $2"
        );
        let values = values![lease.name.as_str(), lease.fence];
        self.fetch_value(held, values).await
    }
}
