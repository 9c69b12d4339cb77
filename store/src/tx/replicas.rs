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
use sea_orm::SqlxError;
use sea_orm::sqlx::postgres::{PgConnection, PgPool};
use sea_orm::sqlx::{ConnectOptions, query_scalar};
use tokio::task_local;
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use super::hosts::WATCH;
use super::pool::Pool;

/// How often the primary and the standbys are asked where they are.
const ASK: Duration = Duration::from_millis(100);
/// Who has not answered by then is away.
const ANSWER: Duration = Duration::from_secs(1);
/// The same where a request waits.
const AT_ONCE: Duration = Duration::from_millis(300);
/// A standby that is further behind is not asked.
const LATE: Duration = Duration::from_secs(1);
/// How long positions and what was shown are kept: a standby that is not late has all from before, whoever took long to answer.
const KEPT: Duration = Duration::from_secs(5);

/// Positions in the log, in bytes from its beginning. That of the primary is where the next record goes, behind all that is visible.
const WRITTEN: &str = "SELECT CAST(pg_current_wal_insert_lsn() - '0/0' AS bigint)";
/// Of a server that never was a standby: NULL.
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

/// Where the primary's log ended, and when that was asked.
type Written = VecDeque<(Instant, i64)>;

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
    /// The same when it last said where it is, or when it was first asked.
    last_caught_up: Mutex<Instant>,
}

/// A standby, as the settings name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replica {
    /// Such as `b:5432`.
    pub host: String,
    /// How old the state is that it is known to have.
    pub behind: Duration,
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
            last_caught_up: Mutex::new(Instant::now()),
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
        let written = Mutex::default();
        let standbys = self.standbys.iter();
        tokio::select! {
            () = self.follow_primary(&primary, &written) => {}
            _ = join_all(standbys.map(|standby| standby.follow(&written))) => {}
        }
    }

    async fn follow_primary(&self, primary: &Pool, written: &Mutex<Written>) {
        let mut watch = Watch::default();
        while let Some(pool) = primary.postgres_pool() {
            let now = Instant::now();
            if let Some(position) = watch.position(&pool, WRITTEN).await {
                written.lock().push_back((now, position));
            }
            // A move to another host closes the pool of the one before; the end of the process closes the one in use.
            if primary.postgres_pool().is_none_or(|pool| pool.is_closed()) {
                return;
            }
            written.lock().retain(|(at, _)| at.elapsed() < KEPT);
            // What was shown longer ago a standby that is not late has.
            self.shown
                .lock()
                .retain(|_, shown| shown.at.elapsed() < KEPT);
            sleep(ASK).await;
        }
    }

    /// How far all are behind.
    pub(super) fn behind(&self) -> Vec<Replica> {
        let standbys = self.standbys.iter();
        let behind = standbys.filter_map(|standby| {
            let options = standby.pool.postgres_pool()?.connect_options();
            Some(Replica {
                host: format!("{}:{}", options.get_host(), options.get_port()),
                behind: standby.last_caught_up.lock().elapsed(),
            })
        });
        behind.collect()
    }

    /// The pools of all.
    pub(super) fn pools(&self) -> impl Iterator<Item = &Pool> {
        self.standbys.iter().map(|standby| &standby.pool)
    }
}

impl Standby {
    async fn follow(&self, written: &Mutex<Written>) {
        let mut watch = Watch::default();
        while let Some(pool) = self.pool.postgres_pool() {
            let replayed = watch.position(&pool, REPLAYED).await;
            let caught_up = replayed.and_then(|replayed| {
                let written = written.lock();
                let mut passed = written.iter().rev();
                let passed = passed.find(|(_, position)| *position <= replayed);
                passed.map(|(at, _)| *at)
            });
            *self.caught_up.lock() = caught_up;
            if let Some(at) = caught_up {
                *self.last_caught_up.lock() = at;
            }
            sleep(ASK).await;
        }
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

/// Where a server is in the log; `None`: it gives no answer at once, or is none of the kind.
async fn position(pool: &Pool, statement: &'static str) -> Option<i64> {
    let pool = pool.postgres_pool()?;
    let asked = query_scalar::<_, Option<i64>>(statement).fetch_one(&pool);
    timeout(AT_ONCE, asked).await.ok()?.ok()?
}

/// A connection of its own to a server, so that a full pool hides nothing.
#[derive(Default)]
struct Watch {
    connection: Option<PgConnection>,
    /// The name and port to which it leads.
    host: (String, u16),
}

impl Watch {
    /// Where the server is to which a pool leads, as [`position`].
    async fn position(&mut self, pool: &PgPool, statement: &'static str) -> Option<i64> {
        let options = pool.connect_options();
        let host = (options.get_host().to_owned(), options.get_port());
        let known = self.connection.take().filter(|_| self.host == host);
        let asked = async {
            let mut connection = if let Some(known) = known {
                known
            } else {
                let options = options.as_ref().clone().application_name(WATCH);
                options.connect().await?
            };
            let position = query_scalar(statement).fetch_one(&mut connection).await?;
            Ok::<_, SqlxError>((connection, position))
        };
        let (connection, position) = timeout(ANSWER, asked).await.ok()?.ok()?;
        (self.connection, self.host) = (Some(connection), host);
        position
    }
}
