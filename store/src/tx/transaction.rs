//! A transaction over either dialect. Opaque: jobs open and commit it, only this crate writes through it.

use chrono::{DateTime, SubsecRound, Utc};
use futures::StreamExt;
use futures::stream::BoxStream;
use sea_orm::sqlx::{self, Postgres, Sqlite, Transaction};
use sea_orm::{QueryResult, Value};
use sea_query_sqlx::SqlxValues;

use super::Error;
use super::pool::Pool;

/// An open transaction; dropped without [`Tx::commit`] it is rolled back.
///
/// Its own enum over sqlx's two, because sea-orm's transaction hides the connection that COPY needs.
#[derive(Debug)]
pub struct Tx {
    pub(crate) inner: Inner,
}

#[derive(Debug)]
pub(crate) enum Inner {
    Postgres(Transaction<'static, Postgres>),
    Sqlite(Transaction<'static, Sqlite>),
}

/// How long a statement may go on. Whoever gives up on one leaves it running in the server, with its connection: so many of
/// them would take all connections from everybody else. (`SQLite` has no such limit.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    /// Somebody waits for the answer.
    Request,
    /// A part of a long answer.
    Stream,
    /// As long as it takes.
    Job,
}

/// What became of a COMMIT.
#[derive(Debug)]
pub enum Committed {
    /// It is durable.
    Done,
    /// The connection broke before the answer: read the ledger, never assume.
    Unknown(Error),
}

impl Tx {
    pub(crate) async fn begin(pool: &Pool) -> Result<Self, Error> {
        let inner = match pool {
            Pool::Postgres(pool) => Inner::Postgres(pool.begin().await?),
            // A transaction that reads first and writes later would fail at once beside another writer.
            Pool::Sqlite { writer, .. } => {
                Inner::Sqlite(writer.begin_with("BEGIN IMMEDIATE").await?)
            }
        };
        Ok(Self { inner })
    }

    /// A transaction that only looks up and appends by key. Also where statistics say that a table is small enough to be
    /// read whole: it may have grown a thousandfold since. And one plan a statement: the server would make another
    /// for every small batch (measured: 0.5 ms each, three times what running it takes).
    pub(crate) async fn begin_by_key(pool: &Pool) -> Result<Self, Error> {
        match pool {
            Pool::Postgres(pool) => {
                let begin = "BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL plan_cache_mode = force_generic_plan";
                let inner = Inner::Postgres(pool.begin_with(begin).await?);
                Ok(Self { inner })
            }
            Pool::Sqlite { .. } => Self::begin(pool).await,
        }
    }

    /// A transaction that reads by key, all of it as of one moment. It waits for nobody, and nobody for it. Dropped, it
    /// ends. Planned as in [`Tx::begin_by_key`]: a database that was just restored has no statistics at all.
    pub(crate) async fn snapshot(pool: &Pool, patience: Patience) -> Result<Self, Error> {
        macro_rules! begin {
            ($limit:literal) => {
                concat!(
                    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL enable_seqscan = off;
                     SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL statement_timeout = ",
                    $limit
                )
            };
        }
        let inner = match pool {
            Pool::Postgres(pool) => Inner::Postgres(match patience {
                Patience::Request => pool.begin_with(begin!("1700")).await?,
                Patience::Stream => pool.begin_with(begin!("10000")).await?,
                Patience::Job => pool.begin_with(begin!("0")).await?,
            }),
            Pool::Sqlite { readers, .. } => Inner::Sqlite(readers.begin().await?),
        };
        Ok(Self { inner })
    }

    /// Makes it durable.
    ///
    /// # Errors
    /// The database refused it: nothing of it stays. A broken connection is no error but
    /// [`Committed::Unknown`].
    pub async fn commit(self) -> Result<Committed, Error> {
        let result = match self.inner {
            Inner::Postgres(tx) => tx.commit().await,
            Inner::Sqlite(tx) => tx.commit().await,
        };
        match result.map_err(Error::from) {
            Ok(()) => Ok(Committed::Done),
            Err(error @ Error::Unavailable(_)) => Ok(Committed::Unknown(error)),
            Err(error) => Err(error),
        }
    }

    /// [`Tx::commit`] for those who have no ledger to read: an unknown outcome is an error to them.
    pub(crate) async fn commit_surely(self) -> Result<(), Error> {
        match self.commit().await? {
            Committed::Done => Ok(()),
            Committed::Unknown(error) => Err(error),
        }
    }

    pub(crate) async fn execute(
        &mut self,
        sql: &'static str,
        values: Vec<Value>,
    ) -> Result<u64, Error> {
        let values = SqlxValues(sea_orm::Values(values));
        Ok(match &mut self.inner {
            Inner::Postgres(tx) => sqlx::query_with(sql, values)
                .execute(&mut **tx)
                .await?
                .rows_affected(),
            Inner::Sqlite(tx) => sqlx::query_with(sql, values)
                .execute(&mut **tx)
                .await?
                .rows_affected(),
        })
    }

    /// Several statements without values.
    pub(super) async fn execute_script(&mut self, script: &'static str) -> Result<(), Error> {
        match &mut self.inner {
            Inner::Postgres(tx) => sqlx::raw_sql(script).execute(&mut **tx).await.map(drop)?,
            Inner::Sqlite(tx) => sqlx::raw_sql(script).execute(&mut **tx).await.map(drop)?,
        }
        Ok(())
    }

    pub(crate) async fn rows(
        &mut self,
        sql: &'static str,
        values: Vec<Value>,
    ) -> Result<Vec<QueryResult>, Error> {
        let values = SqlxValues(sea_orm::Values(values));
        Ok(match &mut self.inner {
            Inner::Postgres(tx) => sqlx::query_with(sql, values)
                .fetch_all(&mut **tx)
                .await?
                .into_iter()
                .map(Into::into)
                .collect(),
            Inner::Sqlite(tx) => sqlx::query_with(sql, values)
                .fetch_all(&mut **tx)
                .await?
                .into_iter()
                .map(Into::into)
                .collect(),
        })
    }

    /// Rows one by one, in bounded memory.
    pub(crate) fn stream(
        &mut self,
        sql: &'static str,
        values: Vec<Value>,
    ) -> BoxStream<'_, Result<QueryResult, Error>> {
        let values = SqlxValues(sea_orm::Values(values));
        match &mut self.inner {
            Inner::Postgres(tx) => sqlx::query_with(sql, values)
                .fetch(&mut **tx)
                .map(|row| row.map(Into::into).map_err(Error::from))
                .boxed(),
            Inner::Sqlite(tx) => sqlx::query_with(sql, values)
                .fetch(&mut **tx)
                .map(|row| row.map(Into::into).map_err(Error::from))
                .boxed(),
        }
    }

    pub(crate) async fn row(
        &mut self,
        sql: &'static str,
        values: Vec<Value>,
    ) -> Result<Option<QueryResult>, Error> {
        Ok(self.rows(sql, values).await?.into_iter().next())
    }

    /// The database's clock, not the transaction's start.
    pub(crate) async fn now(&mut self) -> Result<DateTime<Utc>, Error> {
        match &mut self.inner {
            Inner::Postgres(tx) => Ok(sqlx::query_scalar("SELECT clock_timestamp()")
                .fetch_one(&mut **tx)
                .await?),
            Inner::Sqlite(_) => Ok(sqlite_now()),
        }
    }

    pub(crate) fn is_sqlite(&self) -> bool {
        matches!(self.inner, Inner::Sqlite(_))
    }

    /// The statement of this dialect.
    pub(crate) fn dialect(&self, postgres: &'static str, sqlite: &'static str) -> &'static str {
        match self.inner {
            Inner::Postgres(_) => postgres,
            Inner::Sqlite(_) => sqlite,
        }
    }
}

/// The clock where SQLite is the database: this process's.
pub(crate) fn sqlite_now() -> DateTime<Utc> {
    Utc::now().trunc_subsecs(6)
}

/// One column of a row.
pub(crate) fn get<T: sea_orm::TryGetable>(row: &QueryResult, column: &str) -> Result<T, Error> {
    row.try_get("", column).map_err(Error::from)
}
