//! Leases: which process drives a sender. The fence rises with each change of hands; what a driver does in the database it does
//! under its fence, so that one who lost the lease without noticing changes nothing.

use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::FromQueryResult;
use uuid::Uuid;

use crate::tx::{Sql, Statement, statement, values};
use crate::{Result, Store, Tx};

/// A lease whose heartbeat is older may be taken over.
pub const TAKEOVER_AFTER: TimeDelta = TimeDelta::seconds(8);
/// The heartbeat of a lease that was given back.
const RELEASED: DateTime<Utc> = DateTime::UNIX_EPOCH;
/// How often a lease is renewed.
pub const RENEW_EVERY: Duration = Duration::from_secs(2);
/// Nothing is written to a provider once the last renewal began longer ago.
pub const TRUSTED_FOR: Duration = Duration::from_secs(5);

/// After a failover a lease is left so long to the process that has it, which could not renew it either and knows what it handed over.
const LEFT_FOR: Duration = Duration::from_secs(8);

/// Who takes a lease, once it can.
#[derive(Debug)]
pub struct Taker {
    owner: Uuid,
    /// The last that it saw.
    timeline: Option<i64>,
    /// When it saw another one.
    moved_at: Option<Instant>,
}

impl Taker {
    pub fn new(owner: Uuid) -> Self {
        Self {
            owner,
            timeline: None,
            moved_at: None,
        }
    }

    /// Whether it leaves the lease to whoever has it, as the database's timeline is this one.
    fn waits(&mut self, timeline: i64) -> bool {
        let before = self.timeline.replace(timeline);
        if before.is_some_and(|before| before != timeline) {
            self.moved_at = Some(Instant::now());
        }
        self.moved_at.is_some_and(|at| at.elapsed() < LEFT_FOR)
    }
}

/// A lease that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    pub name: String,
    /// A database that has lost commits gives the same fence to another one.
    pub owner: Uuid,
    pub fence: i64,
}

/// The database's timeline, as a number that changes whenever a standby is promoted, with which the last commits may be lost. It is that
/// of the coordinator, where there are several nodes. Amazon Aurora refuses to tell, and loses none: its nodes share their storage.
macro_rules! timeline {
    () => {
        "CASE WHEN to_regproc('aurora_version') IS NULL
              THEN CAST(CAST('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS bit(32)) AS bigint) ELSE 0 END AS timeline"
    };
}
pub(super) use timeline;

const TIMELINE: &Statement = statement!(
    postgres: "SELECT ", timeline!();
    sqlite: "SELECT 0 AS timeline"
);

macro_rules! held {
    ($timeline:expr) => {
        concat!(
            "SELECT s.paused_at IS NOT NULL AS is_paused, ",
            $timeline,
            " FROM lease l LEFT JOIN sender_state s ON s.name = l.name WHERE l.name = $1 AND l.owner = $2 AND l.fence = $3"
        )
    };
}
const HELD: &Statement = statement!(
    postgres: held!(timeline!()), " FOR SHARE OF l";
    sqlite: held!("0 AS timeline")
);

/// A lease that stands until the transaction ends.
#[derive(FromQueryResult)]
pub(super) struct Held {
    /// Whether a person has paused the sender.
    pub is_paused: bool,
    /// 0 of an embedded database.
    pub timeline: i64,
}

impl Store {
    /// Takes a lease that is free or abandoned. `None`: somebody else has it.
    pub async fn take_lease(&self, name: &str, taker: &mut Taker) -> Result<Option<Lease>> {
        let owner = taker.owner;
        let now = self.now().await?;
        let take = statement!(
            "INSERT INTO lease (name, owner, fence, heartbeat_at) VALUES ($1, $2, 1, $3)
                 ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, fence = lease.fence + 1,
                    heartbeat_at = excluded.heartbeat_at
              WHERE lease.heartbeat_at < $4 RETURNING fence"
        );
        let tx = self.begin().await?;
        let timeline = tx.fetch_value(TIMELINE, vec![]).await?;
        let abandoned_at = if taker.waits(timeline.unwrap_or_default()) {
            // But one that was given back.
            RELEASED + TAKEOVER_AFTER
        } else {
            now - TAKEOVER_AFTER
        };
        let values = values![name, owner, now, abandoned_at];
        let fence = tx.fetch_value(take, values).await?;
        tx.commit_surely().await?;
        Ok(fence.map(|fence| Lease {
            name: name.to_owned(),
            owner,
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
        self.set_heartbeat(lease, RELEASED).await.map(drop)
    }

    async fn set_heartbeat(&self, lease: &Lease, at: DateTime<Utc>) -> Result<bool> {
        let renew = statement!(
            "UPDATE lease SET heartbeat_at = $4 WHERE name = $1 AND owner = $2 AND fence = $3"
        );
        let values = values![lease.name.as_str(), lease.owner, lease.fence, at];
        Ok(self.execute(renew, values).await? == 1)
    }
}

impl Tx {
    /// A lease, if it still stands.
    pub(super) async fn holds(&self, lease: &Lease) -> Result<Option<Held>> {
        let values = values![lease.name.as_str(), lease.owner, lease.fence];
        self.fetch_one(HELD, values).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_is_left_to_its_owner_after_a_failover_alone() {
        let mut taker = Taker::new(Uuid::nil());
        assert_eq!(
            [1, 1, 2, 2].map(|seen| taker.waits(seen)),
            [false, false, true, true]
        );
    }
}
