//! The connections: a pool of PostgreSQL, or SQLite's one writer and several readers.

use std::str::FromStr;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use sea_orm::sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sea_orm::sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use sea_orm::sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor};

use parking_lot::RwLock;
use sea_orm::{DbBackend, DbErr, SqlxError};
use tokio::sync::watch;
use tokio::time::timeout;

use super::error::{Error, is_read_only};
use super::file::make_private;
use super::hosts::{Host, InUse, follow, takes_writes};
use super::nodes::Nodes;
use super::statement::Dialect;

/// How long a caller waits for a connection before the database counts as unavailable.
pub(super) const ACQUIRE: Duration = Duration::from_millis(1_500);
/// A connection that was idle this long is pinged before it is handed out.
const PING_AFTER: Duration = Duration::from_secs(1);
/// A session that sits in a transaction for so long, in milliseconds, belongs to a frozen process: the server ends it, and its locks.
const IDLE_IN_TRANSACTION: &str = "8000";
/// Compiling a chunk's short statements took five times as long as running them (measured).
const JIT: &str = "off";
/// Who migrates makes what belongs to the owner of the other tables, whose members may do so.
const AS_OWNER: &str = "SELECT set_config('role', (SELECT relowner::regrole::text FROM pg_class WHERE oid = to_regclass('schema_version')), false)";
/// `SQLite` only: how long a write waits behind the other writers.
pub(super) const WRITER_WAIT: Duration = Duration::from_secs(20);

/// `SQLite` only: how many statements a connection keeps prepared. (By default 100: fewer than there are, with the lengths of those for many rows.)
const STATEMENTS: usize = 500;

/// What connections are used for. On PostgreSQL each workload has connections of its own, so that none waits for another's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// What the API answers: somebody waits.
    Requests,
    /// What workers do.
    Jobs,
    /// Commands that read or rewrite everything, with at most so many statements at once.
    Maintenance(u32),
    /// A migration: one session, which has a lock.
    Migration,
    /// Notes of accounts that have work, by whoever holds a connection for another workload.
    Notes,
}

impl Workload {
    /// How many connections a process opens at most.
    pub(super) fn connections(self) -> u32 {
        match self {
            Self::Requests => 24,
            Self::Jobs => 16,
            Self::Maintenance(connections) => connections,
            Self::Migration | Self::Notes => 1,
        }
    }

    /// Its name in metrics.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::Jobs => "jobs",
            Self::Maintenance(_) => "maintenance",
            Self::Migration => "migration",
            Self::Notes => "notes",
        }
    }

    /// How long a statement may run, in milliseconds. A request waits 1.8 s: soon after that the server ends the statement,
    /// which frees the connection.
    fn statement_timeout(self) -> &'static str {
        match self {
            Self::Requests | Self::Notes => "2000",
            Self::Jobs => "60000",
            Self::Maintenance(_) => "600000",
            Self::Migration => "0",
        }
    }

    /// The settings of its sessions (`SET`) or of one transaction (`SET LOCAL`). As options of the connection pgbouncer would refuse
    /// them.
    fn settings(self, set: &str) -> String {
        let settings = [
            ("idle_in_transaction_session_timeout", IDLE_IN_TRANSACTION),
            ("jit", JIT),
            ("statement_timeout", self.statement_timeout()),
        ];
        settings
            .map(|(name, value)| format!("{set} {name} = {value};"))
            .concat()
    }
}

/// Whether a connection is a session of the server. The names are those of pgbouncer's `pool_mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolMode {
    /// It is, and keeps its settings.
    Session,
    /// Each transaction may be in another session, which others use before and after: its settings are its own.
    Transaction,
}

#[derive(Clone, Debug)]
pub(crate) enum Pool {
    Postgres(PostgresPool),
    /// SQLite has one writer at a time; queueing for it here is fair, inside SQLite it is a poll.
    Sqlite {
        writer: SqlitePool,
        readers: SqlitePool,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct PostgresPool {
    /// The pool of the host in use: another one after each move to another host.
    pub(super) current: Arc<RwLock<PgPool>>,
    pub(super) workload: Workload,
    /// All hosts of the database.
    pub(super) hosts: Vec<PgConnectOptions>,
    pub(super) mode: PoolMode,
    /// What each transaction is told first: nothing where its session was told.
    pub(super) first: Arc<str>,
    /// Behind a proxy a new primary has the address of the old one, which may be read-only now.
    in_use: watch::Sender<InUse>,
    /// Whether its tables lie on several nodes, and what is known of these.
    pub(super) nodes: Arc<Nodes>,
    /// Connections for [`Workload::Notes`], once one is needed.
    pub(super) notes: Arc<OnceLock<Pool>>,
}

impl PostgresPool {
    /// The pool of the host in use, and the host, if there are several.
    pub(super) fn taken(&self) -> (Host, PgPool) {
        let current = self.current.read().clone();
        (Host::of(&current, self.hosts.len() > 1), current)
    }
}

impl Pool {
    /// Lets statements of a transaction run longer where somebody waits for them: 20 s is the most that a caller of the API does.
    pub(super) fn long(&self) -> &'static str {
        match self {
            Self::Postgres(pool) if pool.workload == Workload::Requests => {
                "SET LOCAL statement_timeout = 21000;"
            }
            _ => "",
        }
    }

    /// Settings for statements by key. Citus makes a plan for the values at hand, which say to which node a statement goes.
    pub(super) fn by_key(&self, settings: &'static str) -> &'static str {
        match self.dialect() {
            Dialect::Citus => "",
            Dialect::Postgres | Dialect::Sqlite => settings,
        }
    }

    /// Notes whether the tables lie on several nodes.
    pub(super) fn note_nodes(&self, are_several: bool) {
        if let Self::Postgres(pool) = self {
            // Another process may not change it while this one runs.
            pool.nodes.is_distributed.get_or_init(|| are_several);
        }
    }

    /// Whether it is known what [`Self::dialect`] is.
    pub(super) fn has_dialect(&self) -> bool {
        match self {
            Self::Postgres(pool) => pool.nodes.is_distributed.get().is_some(),
            Self::Sqlite { .. } => true,
        }
    }

    pub(super) fn dialect(&self) -> Dialect {
        match self {
            Self::Postgres(pool) if pool.nodes.is_distributed.get() == Some(&true) => {
                Dialect::Citus
            }
            Self::Postgres(_) => Dialect::Postgres,
            Self::Sqlite { .. } => Dialect::Sqlite,
        }
    }

    pub(super) fn backend(&self) -> DbBackend {
        match self {
            Self::Postgres(_) => DbBackend::Postgres,
            Self::Sqlite { .. } => DbBackend::Sqlite,
        }
    }

    /// Whether what a session is told holds for others too, so that a statement alone needs a transaction for its settings.
    pub(super) fn shares_sessions(&self) -> bool {
        match self {
            Self::Postgres(pool) => pool.mode == PoolMode::Transaction,
            Self::Sqlite { .. } => false,
        }
    }

    /// PostgreSQL: the pool of the host in use.
    pub(super) fn postgres_pool(&self) -> Option<PgPool> {
        match self {
            Self::Postgres(pool) => Some(pool.current.read().clone()),
            Self::Sqlite { .. } => None,
        }
    }

    /// Notes a server that is read-only, so that its connections are closed.
    pub(super) fn note(&self, error: &DbErr) {
        if let Self::Postgres(pool) = self
            && is_read_only(error)
        {
            pool.in_use.send_if_modified(|in_use| {
                let is_known = *in_use != InUse::None;
                if is_known {
                    *in_use = InUse::Since(Some(Instant::now()));
                }
                is_known
            });
        }
    }

    /// Waits until it is known which of several hosts takes writes, but no longer than for a connection.
    pub(super) async fn ready(&self) {
        if let Self::Postgres(pool) = self
            && *pool.in_use.borrow() == InUse::None
        {
            let mut in_use = pool.in_use.subscribe();
            let known = in_use.wait_for(|in_use| *in_use != InUse::None);
            timeout(ACQUIRE, known).await.ok();
        }
    }

    pub(super) fn postgres(
        hosts: Vec<PgConnectOptions>,
        mode: PoolMode,
        workload: Workload,
        nodes: Arc<Nodes>,
    ) -> Self {
        let host = hosts.first().cloned().unwrap_or_default();
        let is_known = hosts.len() < 2;
        let in_use = watch::Sender::new(if is_known {
            InUse::Since(None)
        } else {
            InUse::None
        });
        let seen = in_use.clone();
        let mut pool = PgPoolOptions::new();
        let (mut session, first) = match mode {
            PoolMode::Session => (workload.settings("SET"), String::new()),
            PoolMode::Transaction => (String::new(), workload.settings("SET LOCAL")),
        };
        if workload == Workload::Migration {
            pool = pool.idle_timeout(None).max_lifetime(None);
            session += AS_OWNER;
        }
        let session: Arc<str> = session.into();
        let pool = pool
            .max_connections(workload.connections())
            .acquire_timeout(ACQUIRE)
            .after_connect(move |connection, _| {
                let session = AssertSqlSafe(Arc::clone(&session));
                Box::pin(async move {
                    connection.execute(session).await?;
                    // The host that was dialled may be in use no longer.
                    if !is_known && !matches!(takes_writes(connection).await, Ok(Ok(true))) {
                        return Err(SqlxError::Protocol("the host takes no writes".to_owned()));
                    }
                    Ok(())
                })
            })
            .test_before_acquire(false)
            .before_acquire(move |connection, meta| {
                let in_use = *seen.borrow();
                let usable = match in_use {
                    InUse::Since(Some(since)) => since.elapsed() > meta.age,
                    InUse::Since(None) | InUse::None => true,
                };
                Box::pin(async move {
                    if usable && meta.idle_for >= PING_AFTER {
                        connection.ping().await?;
                    }
                    Ok(usable)
                })
            });
        let current = Arc::new(RwLock::new(pool.clone().connect_lazy_with(host)));
        if !is_known {
            let following = follow(current.clone(), pool, hosts.clone(), in_use.clone());
            tokio::spawn(following);
        }
        Self::Postgres(PostgresPool {
            current,
            workload,
            hosts,
            mode,
            first: first.into(),
            in_use,
            nodes,
            notes: Arc::default(),
        })
    }

    /// The same database with other connections.
    pub(super) fn for_workload(&self, workload: Workload) -> Self {
        match self {
            Self::Postgres(pool) => {
                let nodes = Arc::clone(&pool.nodes);
                Self::postgres(pool.hosts.clone(), pool.mode, workload, nodes)
            }
            Self::Sqlite { .. } => self.clone(),
        }
    }

    pub(super) fn sqlite(url: &str, workload: Workload) -> Result<Self, Error> {
        let options = SqliteConnectOptions::from_str(url)?;
        make_private(options.get_filename());
        // Measured: without the larger checkpoint and cache the same import takes twice as long.
        let options = options
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(WRITER_WAIT)
            .statement_cache_capacity(STATEMENTS)
            .pragma("wal_autocheckpoint", "20000")
            .pragma("cache_size", "-65536")
            .pragma("temp_store", "memory")
            // What is erased is overwritten.
            .pragma("secure_delete", "on")
            .disable_statement_logging();
        // SQLite itself ends a transaction on a full disk. sqlx 0.9.0 then takes the connection for one that is in a
        // transaction for ever.
        let pool = SqlitePoolOptions::new().before_acquire(|connection, _| {
            let usable = !connection.is_in_transaction();
            Box::pin(async move { Ok(usable) })
        });
        let writer = pool
            .clone()
            .max_connections(1)
            .acquire_timeout(WRITER_WAIT)
            .idle_timeout(None)
            .max_lifetime(None)
            .connect_lazy_with(options.clone());
        // Whoever had it last may have given up.
        let readers = pool
            .before_acquire(|connection, _| {
                Box::pin(async move {
                    connection.lock_handle().await?.remove_progress_handler();
                    Ok(!connection.is_in_transaction())
                })
            })
            .max_connections(workload.connections().max(2))
            .acquire_timeout(ACQUIRE)
            .connect_lazy_with(options.pragma("cache_size", "-8192"));
        Ok(Self::Sqlite { writer, readers })
    }
}
