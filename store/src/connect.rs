//! One handle on the database: PostgreSQL, or SQLite with one writer and several readers.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use chrono::{DateTime, SubsecRound, Utc};
use migration::{Migrator, MigratorTrait};
use sea_orm::sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sea_orm::sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use sea_orm::sqlx::{self, ConnectOptions, Connection};
use sea_orm::{
    ConnectionTrait, DatabaseConnection, QueryResult, SqlxPostgresConnector, SqlxSqliteConnector,
    TransactionTrait,
};
use sea_query_sqlx::SqlxValues;

use crate::Error;
use crate::receive::ChunkCut;
use crate::tx::{Patience, Tx};

/// How long a caller waits for a connection before the database counts as unavailable.
const ACQUIRE: Duration = Duration::from_millis(1_500);
/// A connection that rested this long is pinged before it is handed out.
const PING_AFTER: Duration = Duration::from_secs(1);
/// A session that sits in a transaction this long belongs to a frozen process: its locks are let go.
const IDLE_IN_TRANSACTION: &str = "8000";
/// SQLite only: how long a write waits behind the other writers.
const WRITER_WAIT: Duration = Duration::from_secs(20);

/// The database, shared by all who query it. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Store {
    pub(crate) pool: Pool,
}

#[derive(Clone, Debug)]
pub(crate) enum Pool {
    Postgres(PgPool),
    /// SQLite has one writer at a time; queueing for it here is fair, inside SQLite it is a poll.
    Sqlite {
        writer: SqlitePool,
        readers: SqlitePool,
    },
}

impl Store {
    /// Connects by the URL's scheme (`postgres://…` or `sqlite:…`), at most `connections` at once.
    /// A server that is down is no error here: the first query will say so.
    ///
    /// # Errors
    /// A URL that cannot be read.
    pub fn connect(url: &str, connections: u32) -> Result<Self, Error> {
        if url.starts_with("sqlite:") {
            Self::sqlite(url, connections)
        } else {
            Self::postgres(url, connections)
        }
    }

    /// The file that a URL of SQLite names; none of PostgreSQL. It need not be there.
    ///
    /// # Errors
    /// A URL that cannot be read.
    pub fn file(url: &str) -> Result<Option<PathBuf>, Error> {
        if !url.starts_with("sqlite:") {
            return Ok(None);
        }
        let options = SqliteConnectOptions::from_str(url)?;
        Ok(Some(options.get_filename().to_owned()))
    }

    fn postgres(url: &str, connections: u32) -> Result<Self, Error> {
        let options = PgConnectOptions::from_str(url)?
            .application_name("feedback")
            .options([
                ("idle_in_transaction_session_timeout", IDLE_IN_TRANSACTION),
                // Measured: compiling a chunk's short statements took five times as long as running them.
                ("jit", "off"),
            ])
            .disable_statement_logging();
        let pool = PgPoolOptions::new()
            .max_connections(connections)
            .acquire_timeout(ACQUIRE)
            .test_before_acquire(false)
            .before_acquire(|connection, meta| {
                Box::pin(async move {
                    if meta.idle_for >= PING_AFTER {
                        connection.ping().await?;
                    }
                    Ok(true)
                })
            })
            .connect_lazy_with(options);
        Ok(Self {
            pool: Pool::Postgres(pool),
        })
    }

    fn sqlite(url: &str, connections: u32) -> Result<Self, Error> {
        // Measured: without the larger checkpoint and cache the same import takes twice as long.
        let options = SqliteConnectOptions::from_str(url)?
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(WRITER_WAIT)
            .pragma("wal_autocheckpoint", "20000")
            .pragma("cache_size", "-65536")
            .pragma("temp_store", "memory")
            .disable_statement_logging();
        let writer = SqlitePoolOptions::new()
            .max_connections(1)
            .acquire_timeout(WRITER_WAIT)
            .idle_timeout(None)
            .max_lifetime(None)
            .connect_lazy_with(options.clone());
        let readers = SqlitePoolOptions::new()
            .max_connections(connections.max(2))
            .acquire_timeout(ACQUIRE)
            .connect_lazy_with(options.pragma("cache_size", "-8192"));
        Ok(Self {
            pool: Pool::Sqlite { writer, readers },
        })
    }

    /// Brings the schema up to date. Several processes may start at once: one migrates, the others wait.
    ///
    /// # Errors
    /// The database is unavailable, or a migration failed (nothing of it stays).
    pub async fn migrate(&self) -> Result<(), Error> {
        let tx = self.writes().begin().await?;
        if matches!(self.pool, Pool::Postgres(_)) {
            tx.execute_unprepared("SELECT pg_advisory_xact_lock(7021402611212)")
                .await?;
        }
        Migrator::up(&tx, None).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Asks the database for an answer.
    ///
    /// # Errors
    /// It gives none.
    pub async fn ping(&self) -> Result<(), Error> {
        self.rows("SELECT 1", vec![]).await.map(drop)
    }

    /// Opens a transaction that may write.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn begin(&self) -> Result<Tx, Error> {
        Tx::begin(&self.pool).await
    }

    /// A transaction for statements by key.
    pub(crate) async fn begin_by_key(&self) -> Result<Tx, Error> {
        Tx::begin_by_key(&self.pool).await
    }

    /// A transaction that reads, all of it as of one moment.
    pub(crate) async fn snapshot(&self, patience: Patience) -> Result<Tx, Error> {
        Tx::snapshot(&self.pool, patience).await
    }

    /// The database's clock, in whole microseconds (what both dialects keep).
    pub(crate) async fn now(&self) -> Result<DateTime<Utc>, Error> {
        match &self.pool {
            Pool::Postgres(pool) => Ok(sqlx::query_scalar("SELECT clock_timestamp()")
                .fetch_one(pool)
                .await?),
            Pool::Sqlite { .. } => Ok(Utc::now().trunc_subsecs(6)),
        }
    }

    /// Rows of a statement that needs no transaction, as of the last commit.
    pub(crate) async fn rows(
        &self,
        sql: &'static str,
        values: Vec<sea_orm::Value>,
    ) -> Result<Vec<QueryResult>, Error> {
        let values = SqlxValues(sea_orm::Values(values));
        match &self.pool {
            Pool::Postgres(pool) => {
                let rows = sqlx::query_with(sql, values).fetch_all(pool).await?;
                Ok(rows.into_iter().map(Into::into).collect())
            }
            Pool::Sqlite { readers, .. } => {
                let rows = sqlx::query_with(sql, values).fetch_all(readers).await?;
                Ok(rows.into_iter().map(Into::into).collect())
            }
        }
    }

    /// One statement that writes, in a transaction of its own; the number of rows it touched.
    pub(crate) async fn execute(
        &self,
        sql: &'static str,
        values: Vec<sea_orm::Value>,
    ) -> Result<u64, Error> {
        let values = SqlxValues(sea_orm::Values(values));
        match &self.pool {
            Pool::Postgres(pool) => Ok(sqlx::query_with(sql, values)
                .execute(pool)
                .await?
                .rows_affected()),
            Pool::Sqlite { writer, .. } => Ok(sqlx::query_with(sql, values)
                .execute(writer)
                .await?
                .rows_affected()),
        }
    }

    /// For entities that are read.
    pub(crate) fn reads(&self) -> DatabaseConnection {
        match &self.pool {
            Pool::Postgres(pool) => SqlxPostgresConnector::from_sqlx_postgres_pool(pool.clone()),
            Pool::Sqlite { readers, .. } => {
                SqlxSqliteConnector::from_sqlx_sqlite_pool(readers.clone())
            }
        }
    }

    /// For entities that are written.
    pub(crate) fn writes(&self) -> DatabaseConnection {
        match &self.pool {
            Pool::Postgres(pool) => SqlxPostgresConnector::from_sqlx_postgres_pool(pool.clone()),
            Pool::Sqlite { writer, .. } => {
                SqlxSqliteConnector::from_sqlx_sqlite_pool(writer.clone())
            }
        }
    }

    pub(crate) fn is_sqlite(&self) -> bool {
        matches!(self.pool, Pool::Sqlite { .. })
    }

    /// How an import is cut for this database. A chunk is one short transaction. SQLite has one writer, and answers
    /// wait behind it; what a transaction costs there is the pages that it touches, so a long run is sorted first
    /// (measured, a million docids in random order: 6.5 s instead of 22 s).
    pub fn chunk_cut(&self) -> ChunkCut {
        if self.is_sqlite() {
            ChunkCut {
                chunk_records: 1_000,
                run_records: 50_000,
            }
        } else {
            ChunkCut {
                chunk_records: 5_000,
                run_records: 5_000,
            }
        }
    }
}
