//! The connections: a pool of PostgreSQL, or SQLite's one writer and several readers.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use sea_orm::sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sea_orm::sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use sea_orm::sqlx::{ConnectOptions, Connection};

use super::Error;

/// How long a caller waits for a connection before the database counts as unavailable.
const ACQUIRE: Duration = Duration::from_millis(1_500);
/// A connection that rested this long is pinged before it is handed out.
const PING_AFTER: Duration = Duration::from_secs(1);
/// A session that sits in a transaction this long belongs to a frozen process: its locks are let go.
const IDLE_IN_TRANSACTION: &str = "8000";
/// SQLite only: how long a write waits behind the other writers.
const WRITER_WAIT: Duration = Duration::from_secs(20);

#[derive(Clone, Debug)]
pub(crate) enum Pool {
    Postgres(PgPool),
    /// SQLite has one writer at a time; queueing for it here is fair, inside SQLite it is a poll.
    Sqlite {
        writer: SqlitePool,
        readers: SqlitePool,
    },
}

impl Pool {
    pub(super) fn connect(url: &str, connections: u32) -> Result<Self, Error> {
        if is_sqlite(url) {
            Self::sqlite(url, connections)
        } else {
            Self::postgres(url, connections)
        }
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
        Ok(Self::Postgres(pool))
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
        Ok(Self::Sqlite { writer, readers })
    }
}

/// The file that a URL of SQLite names; none of PostgreSQL.
pub(super) fn file(url: &str) -> Result<Option<PathBuf>, Error> {
    if !is_sqlite(url) {
        return Ok(None);
    }
    let options = SqliteConnectOptions::from_str(url)?;
    Ok(Some(options.get_filename().to_owned()))
}

fn is_sqlite(url: &str) -> bool {
    url.starts_with("sqlite:")
}
