//! How a [`Store`] gets its connections, and what becomes of them.

use std::env;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use sea_orm::sqlx::postgres::{PgConnectOptions, PgSslMode};
use sea_orm::sqlx::sqlite::SqliteConnectOptions;
use sea_orm::sqlx::{self, AssertSqlSafe, ConnectOptions, Database, raw_sql};
use tokio::time::timeout;
use url::form_urlencoded;

use super::error::Error;
use super::hosts::of_each_host;
use super::pool::{Pool, PoolMode, PostgresPool, WRITER_WAIT, Workload};
use super::replicas::Replicas;
use super::store::Store;

/// `SQLite` only: how long the truncation of the log waits for readers.
const LOG_WAIT: Duration = Duration::from_millis(100);
/// How long the end of a process waits for connections that are in use.
const CLOSING: Duration = Duration::from_secs(2);

/// The connections of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connections {
    /// The workload on PostgreSQL, `writer` or `readers` on SQLite.
    pub pool: &'static str,
    pub used: u32,
    pub idle: u32,
    /// How many the process opens at most.
    pub most: u32,
}

impl Store {
    /// Connects by the URL's scheme (`postgres://…` or `sqlite:…`). Of several hosts the one that takes writes is used.
    /// A server that is down is no error here: the first query will say so.
    ///
    /// # Errors
    /// A URL that cannot be read.
    pub fn connect(url: &str, workload: Workload) -> Result<Self, Error> {
        let pool = if is_sqlite(url) {
            Pool::sqlite(url, workload)?
        } else {
            let hosts = of_each_host(url);
            let hosts = hosts.iter().map(|host| connect_options(host));
            let hosts = hosts.collect::<Result<_, Error>>()?;
            Pool::postgres(hosts, mode_of(url)?, workload, Arc::default())
        };
        Ok(Self::on(pool))
    }

    /// The same database with standbys, at the hosts of a URL, for what is only [`reading`](super::reading).
    ///
    /// # Errors
    /// A URL that cannot be read.
    pub fn with_replicas(self, url: &str) -> Result<Self, Error> {
        let Pool::Postgres(primary) = &self.pool else {
            return Ok(self);
        };
        let mode = mode_of(url)?;
        let pools = of_each_host(url).into_iter().map(|host| {
            let hosts = vec![connect_options(&host)?];
            let nodes = Arc::clone(&primary.nodes);
            Ok(Pool::postgres(hosts, mode, primary.workload, nodes))
        });
        let replicas = Arc::new(Replicas::new(pools.collect::<Result<_, Error>>()?));
        let (following, primary) = (Arc::clone(&replicas), self.pool.clone());
        tokio::spawn(async move { following.follow(primary).await });
        Ok(Self {
            replicas: Some(replicas),
            ..self
        })
    }

    /// The same database for another workload of this process, without gates.
    #[must_use]
    pub fn for_workload(&self, workload: Workload) -> Self {
        Self::on(self.pool.for_workload(workload))
    }

    pub(super) fn on(pool: Pool) -> Self {
        Self {
            pool,
            gates: None,
            replicas: None,
        }
    }

    /// The connections of its pools.
    pub fn connections(&self) -> Vec<Connections> {
        match &self.pool {
            Pool::Postgres(pool) => {
                vec![connections(pool.workload.name(), &pool.current.read())]
            }
            Pool::Sqlite { writer, readers } => {
                vec![
                    connections("writer", writer),
                    connections("readers", readers),
                ]
            }
        }
    }

    /// SQLite only: moves what the log has into the database and empties the log, because pages that were overwritten since stand
    /// there still. While somebody reads an older state this is left for the next time.
    pub async fn truncate_log(&self) -> Result<(), Error> {
        let Pool::Sqlite { writer, .. } = &self.pool else {
            return Ok(());
        };
        let mut connection = writer.acquire().await?;
        // Others wait for the writer meanwhile.
        let short = format!("PRAGMA busy_timeout = {}", LOG_WAIT.as_millis());
        let usual = format!("PRAGMA busy_timeout = {}", WRITER_WAIT.as_millis());
        raw_sql(AssertSqlSafe(short))
            .execute(&mut *connection)
            .await?;
        let truncated = raw_sql("PRAGMA wal_checkpoint(TRUNCATE)");
        let truncated = truncated.execute(&mut *connection).await;
        raw_sql(AssertSqlSafe(usual))
            .execute(&mut *connection)
            .await?;
        truncated?;
        Ok(())
    }

    /// Closes the connections at the end of the process. The last of SQLite's takes the log with it.
    pub async fn close(&self) {
        let closing = async {
            match &self.pool {
                Pool::Postgres(PostgresPool { current, notes, .. }) => {
                    let pool = current.read().clone();
                    pool.close().await;
                    if let Some(notes) = notes.get().and_then(Pool::postgres_pool) {
                        notes.close().await;
                    }
                    let replicas = self.replicas.iter().flat_map(|replicas| replicas.pools());
                    for pool in replicas.filter_map(Pool::postgres_pool) {
                        pool.close().await;
                    }
                }
                Pool::Sqlite { writer, readers } => {
                    readers.close().await;
                    writer.close().await;
                }
            }
        };
        if timeout(CLOSING, closing).await.is_err() {
            tracing::warn!("connections to the database are still in use at the end");
        }
    }

    /// The file that a URL of SQLite names; none of PostgreSQL. It need not be there.
    ///
    /// # Errors
    /// A URL that cannot be read.
    pub fn file(url: &str) -> Result<Option<PathBuf>, Error> {
        if !is_sqlite(url) {
            return Ok(None);
        }
        let options = SqliteConnectOptions::from_str(url)?;
        Ok(Some(options.get_filename().to_owned()))
    }
}

/// The parameter of a URL that says which mode a pooler before the database is in; no parameter of PostgreSQL's own.
const POOL_MODE: &str = "pool_mode";

/// Whether the connections that a URL leads to are sessions of the server: `pool_mode=transaction` among its parameters says that
/// a pooler in that mode stands before it.
///
/// # Errors
/// Another mode, and which ones there are.
pub fn pool_mode(url: &str) -> Result<PoolMode, &'static str> {
    let (_, parameters) = url.split_once('?').unwrap_or_default();
    let mut parameters = form_urlencoded::parse(parameters.as_bytes());
    let mode = parameters.find_map(|(name, value)| (name == POOL_MODE).then_some(value));
    match mode.as_deref() {
        None | Some("session") => Ok(PoolMode::Session),
        Some("transaction") => Ok(PoolMode::Transaction),
        Some(_) => Err("pool_mode is session or transaction"),
    }
}

fn mode_of(url: &str) -> Result<PoolMode, Error> {
    pool_mode(url).map_err(Error::broken)
}

fn without_pool_mode(url: &str) -> String {
    let Some((place, parameters)) = url.split_once('?') else {
        return url.to_owned();
    };
    let parameters = form_urlencoded::parse(parameters.as_bytes());
    let others = parameters.filter(|(name, _)| name != POOL_MODE);
    let others = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(others)
        .finish();
    format!("{place}?{others}")
}

/// The hosts of a URL to which connections may be plain: those of `PostgreSQL` without an `sslmode` of `require`, `verify-ca` or
/// `verify-full`. A socket has none.
pub fn plain_hosts(url: &str) -> Vec<String> {
    if is_sqlite(url) {
        return Vec::new();
    }
    let hosts = of_each_host(url);
    let hosts = hosts.iter().filter_map(|host| connect_options(host).ok());
    let plain = hosts.filter(|host| {
        use PgSslMode::{Require, VerifyCa, VerifyFull};
        let has_tls = matches!(host.get_ssl_mode(), Require | VerifyCa | VerifyFull);
        !has_tls && host.get_socket().is_none()
    });
    let names = plain.map(|host| host.get_host().to_owned());
    names.filter(|name| !name.starts_with('/')).collect()
}

fn connect_options(url: &str) -> Result<PgConnectOptions, Error> {
    let mut host = PgConnectOptions::from_str(&without_pool_mode(url))?
        .application_name("feedback")
        // pgbouncer takes no such parameter; nothing here is a float that it would change.
        .extra_float_digits(None)
        .disable_statement_logging();
    // Authorities of one's own, as all other connections find them.
    let authorities = env::var_os("SSL_CERT_FILE").filter(|file| !file.is_empty());
    if let Some(file) = authorities.filter(|_| !url.contains("sslrootcert=")) {
        host = host.ssl_root_cert(PathBuf::from(file));
    }
    Ok(host)
}

fn connections<D: Database>(name: &'static str, pool: &sqlx::Pool<D>) -> Connections {
    let idle = u32::try_from(pool.num_idle()).unwrap_or(u32::MAX);
    Connections {
        pool: name,
        used: pool.size().saturating_sub(idle),
        idle,
        most: pool.options().get_max_connections(),
    }
}

fn is_sqlite(url: &str) -> bool {
    url.starts_with("sqlite:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_says_whether_its_connections_are_sessions() {
        for (url, mode) in [
            ("postgres://u:p@a,b/d", Ok(PoolMode::Session)),
            (
                "postgres://a/d?sslmode=disable&pool_mode=session",
                Ok(PoolMode::Session),
            ),
            (
                "postgres://a/d?pool_mode=transaction",
                Ok(PoolMode::Transaction),
            ),
            (
                "postgres://a/d?x=1&pool%5Fmode=transaction",
                Ok(PoolMode::Transaction),
            ),
            ("postgres://a/d?pool_mode=statement", Err(())),
            ("sqlite:/folder/pool_mode=x.db", Ok(PoolMode::Session)),
        ] {
            assert_eq!(pool_mode(url).map_err(drop), mode, "{url}");
        }
    }

    #[test]
    fn what_else_a_url_says_is_kept() {
        for (url, kept) in [
            ("postgres://a/d", "postgres://a/d"),
            ("postgres://a/d?pool_mode=transaction", "postgres://a/d?"),
            (
                "postgres://a/d?sslmode=require&pool_mode=session&options=-c%20a%3Db",
                "postgres://a/d?sslmode=require&options=-c+a%3Db",
            ),
        ] {
            assert_eq!(without_pool_mode(url), kept);
            connect_options(url).unwrap();
        }
    }

    #[test]
    fn hosts_are_plain_unless_tls_is_asked_for() {
        for (url, hosts) in [
            ("postgres://u:p@a:1,b/d", &["a", "b"][..]),
            ("postgres://a/d?sslmode=prefer", &["a"]),
            ("postgres://a/d?sslmode=disable&pool_mode=session", &["a"]),
            ("postgres://a/d?sslmode=require", &[]),
            ("postgres://a,b/d?sslmode=verify-full&sslrootcert=x", &[]),
            ("postgres://%2Frun%2Fpostgresql/d", &[]),
            ("sqlite:/a/b.db", &[]),
        ] {
            assert_eq!(plain_hosts(url), hosts, "{url}");
        }
    }
}
