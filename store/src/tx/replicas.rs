//! Standbys that answer what only reads: reports, lists, exports and the dashboard.
//!
//! A caller is never shown an older state than this process has shown its account, or made for it, before. An account stays at the
//! standby that answered it last, which never goes back. After the primary showed or changed something, it goes to a standby that
//! has replayed all that the primary has written by then. And to none that is more than [`LATE`] behind, which all are asked every
//! [`ASK`].

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use futures::future::join_all;
use parking_lot::Mutex;
use sea_orm::sqlx::query_scalar;
use tokio::task_local;
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use super::pool::Pool;

/// How often the primary and the standbys are asked where they are.
const ASK: Duration = Duration::from_millis(100);
/// Who has not answered by then is away.
const ANSWER: Duration = Duration::from_secs(1);
/// A standby that is further behind is not asked.
const LATE: Duration = Duration::from_secs(1);

/// Positions in the log, in bytes from its beginning. That of the primary is where the next record goes, behind all that is visible.
const WRITTEN: &str = "SELECT CAST(pg_current_wal_insert_lsn() - '0/0' AS bigint)";
/// Of a server that is no standby: NULL.
const REPLAYED: &str = "SELECT CAST(pg_last_wal_replay_lsn() - '0/0' AS bigint)";

task_local! {
    static READER: Uuid;
}

/// Does work that only reads what is an account's. Where there are standbys, its statements go to one.
pub fn reading<F: Future>(account_id: Uuid, work: F) -> impl Future<Output = F::Output> {
    READER.scope(account_id, work)
}

/// The account for which this task only reads.
pub(super) fn reader() -> Option<Uuid> {
    READER.try_with(|account_id| *account_id).ok()
}

/// The standbys of a database.
#[derive(Debug)]
pub(super) struct Replicas {
    standbys: Vec<Standby>,
    shown: Mutex<HashMap<Uuid, Shown>>,
}

#[derive(Debug)]
struct Standby {
    pool: Pool,
    /// It has what the primary had at this moment.
    caught_up: Mutex<Option<Instant>>,
}

/// Who showed an account something last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shown {
    at: Instant,
    /// The standby; `None`: the primary, or it changed something.
    by: Option<usize>,
}

impl Replicas {
    pub(super) fn new(pools: Vec<Pool>) -> Self {
        let standbys = pools.into_iter().map(|pool| Standby {
            pool,
            caught_up: Mutex::new(None),
        });
        Self {
            standbys: standbys.collect(),
            shown: Mutex::default(),
        }
    }

    /// A standby that may answer an account now.
    pub(super) async fn choose(&self, account_id: Uuid, primary: &Pool) -> Option<(usize, &Pool)> {
        let numbered = self.standbys.iter().enumerate();
        let in_time: Vec<_> = numbered
            .filter(|(_, standby)| standby.is_in_time())
            .collect();
        let shown = self.shown.lock().get(&account_id).copied();
        let (n, standby) = match shown {
            // So long ago that whoever is in time has it. Accounts are spread over all.
            None => {
                let spread = usize::try_from(account_id.as_u128() % (in_time.len().max(1) as u128));
                in_time.get(spread.unwrap_or_default()).copied()?
            }
            Some(Shown { by, .. }) => match in_time.iter().find(|(n, _)| Some(*n) == by) {
                Some(last) => *last,
                None => with_all(&in_time, primary).await?,
            },
        };
        let mut all_shown = self.shown.lock();
        // What was changed meanwhile it may lack the next time.
        if all_shown.get(&account_id).copied() == shown {
            let (at, by) = (Instant::now(), Some(n));
            all_shown.insert(account_id, Shown { at, by });
        }
        Some((n, &standby.pool))
    }

    /// Notes that the primary shows something to an account, or has changed something for it.
    pub(super) fn note_primary(&self, account_id: Uuid) {
        let (at, by) = (Instant::now(), None);
        self.shown.lock().insert(account_id, Shown { at, by });
    }

    /// Notes that a standby gave no answer: it is asked again once it says where it is.
    pub(super) fn note_away(&self, n: usize) {
        if let Some(standby) = self.standbys.get(n) {
            *standby.caught_up.lock() = None;
        }
    }

    /// Asks where all are, until the primary's pool is closed.
    pub(super) async fn follow(&self, primary: Pool) {
        let mut asked: VecDeque<(Instant, i64)> = VecDeque::new();
        loop {
            let Some(pool) = primary.postgres_pool() else {
                return;
            };
            let now = Instant::now();
            if let Some(position) = position(&primary, WRITTEN).await {
                asked.push_back((now, position));
            }
            if pool.is_closed() {
                return;
            }
            asked.retain(|(at, _)| at.elapsed() < LATE);
            join_all(self.standbys.iter().map(|standby| standby.ask(&asked))).await;
            // What was shown longer ago a standby that is not late has.
            self.shown
                .lock()
                .retain(|_, shown| shown.at.elapsed() < 2 * LATE);
            sleep(ASK).await;
        }
    }

    /// The pools of all.
    pub(super) fn pools(&self) -> impl Iterator<Item = &Pool> {
        self.standbys.iter().map(|standby| &standby.pool)
    }
}

impl Standby {
    async fn ask(&self, asked: &VecDeque<(Instant, i64)>) {
        let replayed = position(&self.pool, REPLAYED).await;
        let caught_up = replayed.and_then(|replayed| {
            let mut passed = asked.iter().rev();
            passed.find(|(_, position)| *position <= replayed)
        });
        *self.caught_up.lock() = caught_up.map(|(at, _)| *at);
    }

    fn is_in_time(&self) -> bool {
        self.caught_up.lock().is_some_and(|at| at.elapsed() <= LATE)
    }
}

/// The first of the standbys that has all that the primary has written.
async fn with_all<'a>(
    standbys: &[(usize, &'a Standby)],
    primary: &Pool,
) -> Option<(usize, &'a Standby)> {
    if standbys.is_empty() {
        return None;
    }
    let written = position(primary, WRITTEN).await?;
    for (n, standby) in standbys {
        if position(&standby.pool, REPLAYED).await >= Some(written) {
            return Some((*n, standby));
        }
    }
    None
}

/// Where a server is in the log; `None`: it gave no answer, or is none of the kind.
async fn position(pool: &Pool, statement: &'static str) -> Option<i64> {
    let pool = pool.postgres_pool()?;
    let asked = query_scalar::<_, Option<i64>>(statement).fetch_one(&pool);
    timeout(ANSWER, asked).await.ok()?.ok()?
}
