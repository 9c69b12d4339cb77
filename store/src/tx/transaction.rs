//! A transaction over either dialect. Opaque: jobs open and commit it, only this crate writes through it.

use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream};
use sea_orm::entity::prelude::async_trait::async_trait;
use sea_orm::sqlx::sqlite::{SqliteConnection, SqlitePool};
use sea_orm::sqlx::{self, AssertSqlSafe, Postgres, SqlSafeStr, Sqlite, Transaction};
use sea_orm::{
    ConnectionTrait, DbBackend, DbErr, ExecResult, FromQueryResult, QueryResult, RuntimeErr,
    SqlxError, Statement, Value, Values,
};
use sea_query_sqlx::SqlxValues;
use tokio::sync::{Mutex, MutexGuard};
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::gate::UnderWay;
use super::hosts::Host;
use super::pool::{ACQUIRE, Pool, PoolMode, PostgresPool};
use super::statement::Dialect;
use super::{Error, Result, Sql};

/// An open transaction; dropped without [`Tx::commit`] it is rolled back.
///
/// Its own enum over sqlx's two, because sea-orm's transaction hides the connection that COPY needs. Entities use it through
/// [`ConnectionTrait`].
#[derive(Debug)]
pub struct Tx {
    inner: Mutex<Inner>,
    pool: Pool,
    host: Host,
    under_way: UnderWay,
    /// SQLite: ends the statement that it is at when nobody waits for it any more. PostgreSQL has its time-outs.
    _asked_for: Option<DropGuard>,
}

#[derive(Debug)]
pub(crate) enum Inner {
    Postgres(Transaction<'static, Postgres>),
    Sqlite(Transaction<'static, Sqlite>),
}

/// The same on either dialect's transaction.
macro_rules! on {
    ($inner:expr, $tx:ident => $done:expr) => {
        match $inner {
            Inner::Postgres($tx) => $done,
            Inner::Sqlite($tx) => $done,
        }
    };
}

/// What became of a COMMIT.
#[derive(Debug)]
pub enum Committed {
    /// It is durable.
    Done,
    /// The connection broke before the answer: read the ledger, never assume.
    Unknown(Error),
}

/// The plan of statements that look up and append by key. Also where statistics say that a table is small enough to be
/// read whole: it may have grown a thousandfold since, and a database that was just restored has no statistics at all. And
/// one plan a statement: the server would make another for every small batch (measured: 0.5 ms each, three times what
/// running it takes).
pub(super) const BY_KEY: &str =
    "SET LOCAL enable_seqscan = off; SET LOCAL plan_cache_mode = force_generic_plan;";

/// [`BY_KEY`] where joins are look-ups by key too: a plan that was made while a table was empty stays in use while it grows.
/// Measured beside builds on two cores: 40,000 messages at 345 a second, ever slower, where links were kept to be searched, and
/// 1,870 where not.
pub(super) const BY_KEYS: &str =
    "SET LOCAL enable_seqscan = off; SET LOCAL plan_cache_mode = force_generic_plan;
     SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_material = off;";

/// SQLite: after so many instructions a statement looks whether anybody waits for it still. One of them can compare a long comment with a
/// long word, which takes milliseconds: with 10,000 a search went on for a minute.
const BETWEEN_LOOKS: i32 = 100;

impl Tx {
    /// A transaction that may write, with these settings on PostgreSQL.
    pub(super) async fn begin(pool: &Pool, settings: &[&str], under_way: UnderWay) -> Result<Self> {
        let (host, inner) = match pool {
            Pool::Postgres(pool) => begin_on(pool, "BEGIN;", settings).await?,
            // A transaction that reads first and writes later would fail at once beside another writer.
            Pool::Sqlite { writer, .. } => {
                let inner = Inner::Sqlite(writer.begin_with("BEGIN IMMEDIATE").await?);
                (Host::default(), inner)
            }
        };
        Ok(Self::new(inner, pool, host, under_way))
    }

    /// A transaction that reads, all of it as of one moment. It waits for nobody, and nobody for it. Dropped, it ends.
    pub(super) async fn snapshot(
        pool: &Pool,
        settings: &[&str],
        under_way: UnderWay,
    ) -> Result<Self> {
        let read = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;";
        let (host, inner) = match pool {
            Pool::Postgres(pool) => begin_on(pool, read, settings).await?,
            Pool::Sqlite { readers, .. } => {
                let mut tx = readers.begin().await?;
                let asked_for = watch(&mut tx).await?;
                let tx = Self::new(Inner::Sqlite(tx), pool, Host::default(), under_way);
                return Ok(Self {
                    _asked_for: Some(asked_for),
                    ..tx
                });
            }
        };
        Ok(Self::new(inner, pool, host, under_way))
    }

    /// A transaction for one statement, where only a transaction has settings of its own.
    pub(super) async fn of_one_statement(pool: &Pool) -> Result<Option<Self>, DbErr> {
        let Pool::Postgres(postgres) = pool else {
            return Ok(None);
        };
        if !pool.shares_sessions() {
            return Ok(None);
        }
        let (host, inner) = begin_on(postgres, "BEGIN;", &[]).await?;
        Ok(Some(Self::new(inner, pool, host, UnderWay::default())))
    }

    /// Ends a transaction of one statement, which found this.
    pub(super) async fn end<T>(self, found: T) -> Result<T, DbErr> {
        let done = on!(self.inner.into_inner(), tx => self.host.wait(tx.commit()).await);
        match done.flatten() {
            Ok(()) => Ok(found),
            Err(error) => Err(failed(&self.pool, error)),
        }
    }

    fn new(inner: Inner, pool: &Pool, host: Host, under_way: UnderWay) -> Self {
        Self {
            inner: Mutex::new(inner),
            pool: pool.clone(),
            host,
            under_way,
            _asked_for: None,
        }
    }

    /// Makes it durable.
    ///
    /// # Errors
    /// The database refused it: nothing of it stays. A broken connection is no error but
    /// [`Committed::Unknown`].
    pub fn commit(self) -> BoxFuture<'static, Result<Committed>> {
        Box::pin(async move {
            let _until_then = self.under_way;
            let result = on!(self.inner.into_inner(), tx => self.host.wait(tx.commit()).await);
            match result.flatten().map_err(Error::from) {
                Ok(()) => Ok(Committed::Done),
                Err(error @ Error::Unavailable(_)) => Ok(Committed::Unknown(error)),
                Err(error) => Err(error),
            }
        })
    }

    /// Ends it at once without a trace. Dropped, it keeps its locks a moment longer.
    ///
    /// # Errors
    /// The connection broke, which ends it too.
    pub fn rollback(self) -> BoxFuture<'static, Result<()>> {
        Box::pin(async move {
            let _until_then = self.under_way;
            Ok(on!(self.inner.into_inner(), tx => self.host.wait(tx.rollback()).await)??)
        })
    }

    /// [`Tx::commit`] for those who have no ledger to read: an unknown outcome is an error to them.
    pub(crate) async fn commit_surely(self) -> Result<()> {
        match self.commit().await? {
            Committed::Done => Ok(()),
            Committed::Unknown(error) => Err(error),
        }
    }

    /// [`Tx::commit`] for those who can ask whether it happened, where it got no answer.
    pub(crate) async fn commit_or_ask(
        self,
        is_done: impl Future<Output = Result<bool>>,
    ) -> Result<()> {
        match self.commit().await? {
            Committed::Unknown(error) if !is_done.await? => Err(error),
            Committed::Unknown(error) => {
                tracing::warn!(%error, "a commit without an answer had happened");
                Ok(())
            }
            Committed::Done => Ok(()),
        }
    }

    /// The connection where the transaction is shared.
    pub(super) async fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().await
    }

    pub(super) fn pool(&self) -> &Pool {
        &self.pool
    }

    /// The host that it is on, for who waits for more than a statement.
    pub(crate) fn host(&self) -> Host {
        self.host.clone()
    }

    /// The connection, for statements of one dialect.
    pub(crate) fn inner(&mut self) -> &mut Inner {
        self.inner.get_mut()
    }

    /// Rows one by one, in bounded memory.
    pub(crate) fn stream<T: FromQueryResult + Send>(
        &mut self,
        statement: &'static super::statement::Statement,
        values: Vec<Value>,
    ) -> BoxStream<'_, Result<T>> {
        let sql = statement.text(self.pool.dialect());
        let values = SqlxValues(Values(values));
        let host = self.host.clone();
        let rows = on!(self.inner.get_mut(), tx => sqlx::query_with(sql, values)
            .fetch(&mut **tx)
            .map(|row| Ok(QueryResult::from(row?)))
            .boxed());
        let rows = stream::unfold(Some((rows, host)), async |rest| {
            let (mut rows, host) = rest?;
            match host.wait(rows.next()).await {
                Ok(row) => Some((row?, Some((rows, host)))),
                Err(moved) => Some((Err(moved), None)),
            }
        });
        let rows =
            rows.map(|row: Result<QueryResult, SqlxError>| Ok(T::from_query_result(&row?, "")?));
        rows.boxed()
    }

    /// A statement's error.
    pub(super) fn failed(&self, error: SqlxError) -> DbErr {
        failed(&self.pool, error)
    }
}

/// Lets a reader of SQLite end its statement once what this gives is dropped, because nobody waits for it any more.
async fn watch(reader: &mut SqliteConnection) -> Result<DropGuard, SqlxError> {
    let given_up = CancellationToken::new();
    let asked_for = given_up.clone().drop_guard();
    let mut handle = reader.lock_handle().await?;
    handle.set_progress_handler(BETWEEN_LOOKS, move || !given_up.is_cancelled());
    Ok(asked_for)
}

/// The rows of one statement on a reader of SQLite, which ends with whoever waits for it.
pub(super) async fn read(
    readers: &SqlitePool,
    statement: Statement,
) -> Result<Vec<QueryResult>, SqlxError> {
    let mut reader = readers.acquire().await?;
    let _asked_for = watch(&mut reader).await?;
    let (sql, values) = parts(statement);
    let rows = sqlx::query_with(sql, values)
        .fetch_all(&mut *reader)
        .await?;
    Ok(rows.into_iter().map(QueryResult::from).collect())
}

fn failed(pool: &Pool, error: SqlxError) -> DbErr {
    let error = DbErr::Query(RuntimeErr::SqlxError(error.into()));
    pool.note(&error);
    error
}

/// Begins in a task of its own: sqlx 0.9.0 leaves the transaction open where the caller gives up before the answer to BEGIN,
/// and hands the connection to the next one.
async fn begin_on(
    pool: &PostgresPool,
    begin: &str,
    settings: &[&str],
) -> Result<(Host, Inner), DbErr> {
    let statements = [begin, &pool.first, &settings.concat()].concat();
    let statements = AssertSqlSafe(statements).into_sql_str();
    let (host, current) = pool.taken();
    let tx = async {
        let connection = current.acquire().await?;
        let tx = host.wait(tokio::spawn(Transaction::begin(
            connection,
            Some(statements),
        )));
        let tx = match pool.mode {
            PoolMode::Session => tx.await,
            // It waits for a session behind the pooler, where no limit of the server's holds yet.
            PoolMode::Transaction => timeout(ACQUIRE, tx)
                .await
                .map_err(|_| SqlxError::PoolTimedOut)?,
        };
        tx?.map_err(|_| SqlxError::BeginFailed)?
    };
    let tx = tx
        .await
        .map_err(|error| DbErr::Conn(RuntimeErr::SqlxError(error.into())))?;
    Ok((host, Inner::Postgres(tx)))
}

impl Sql for Tx {
    fn dialect(&self) -> Dialect {
        self.pool.dialect()
    }
}

/// For entities.
#[async_trait]
impl ConnectionTrait for Tx {
    fn get_database_backend(&self) -> DbBackend {
        self.pool.backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        let (sql, values) = parts(statement);
        let done = on!(&mut *self.inner.lock().await, tx => {
            let done = self.host.wait(sqlx::query_with(sql, values).execute(&mut **tx)).await;
            done.flatten().map(ExecResult::from)
        });
        done.map_err(|error| self.failed(error))
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        let sql = sqlx::raw_sql(AssertSqlSafe(sql));
        let done = on!(&mut *self.inner.lock().await, tx => {
            let done = self.host.wait(sql.execute(&mut **tx)).await;
            done.flatten().map(ExecResult::from)
        });
        done.map_err(|error| self.failed(error))
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        Ok(self.query_all_raw(statement).await?.into_iter().next())
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        let (sql, values) = parts(statement);
        let rows = on!(&mut *self.inner.lock().await, tx => {
            let rows = self.host.wait(sqlx::query_with(sql, values).fetch_all(&mut **tx)).await;
            rows.flatten().map(|rows| rows.into_iter().map(QueryResult::from).collect())
        });
        rows.map_err(|error| self.failed(error))
    }
}

fn parts(statement: Statement) -> (AssertSqlSafe<String>, SqlxValues) {
    let values = statement.values.unwrap_or(Values(vec![]));
    (AssertSqlSafe(statement.sql), SqlxValues(values))
}
