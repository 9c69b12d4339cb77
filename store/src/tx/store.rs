//! One handle on the database, for statements that need no transaction and to open those that do.

use std::path::PathBuf;

use chrono::{DateTime, Utc};
use sea_orm::sqlx;
use sea_orm::{DatabaseConnection, QueryResult, SqlxPostgresConnector, SqlxSqliteConnector};
use sea_query_sqlx::SqlxValues;

use super::Error;
use super::pool::{self, Pool};
use super::transaction::{Patience, Tx, sqlite_now};

/// The database, shared by all who query it. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Store {
    pub(crate) pool: Pool,
}

impl Store {
    /// Connects by the URL's scheme (`postgres://…` or `sqlite:…`), at most `connections` at once.
    /// A server that is down is no error here: the first query will say so.
    ///
    /// # Errors
    /// A URL that cannot be read.
    pub fn connect(url: &str, connections: u32) -> Result<Self, Error> {
        Pool::connect(url, connections).map(|pool| Self { pool })
    }

    /// The file that a URL of SQLite names; none of PostgreSQL. It need not be there.
    ///
    /// # Errors
    /// A URL that cannot be read.
    pub fn file(url: &str) -> Result<Option<PathBuf>, Error> {
        pool::file(url)
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
            Pool::Sqlite { .. } => Ok(sqlite_now()),
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
}
