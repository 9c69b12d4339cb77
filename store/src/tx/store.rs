//! One handle on the database, for statements that need no transaction and to open those that do.

use std::sync::Arc;

use futures::future::BoxFuture;
use sea_orm::entity::prelude::async_trait::async_trait;
use sea_orm::sqlx::{AssertSqlSafe, Executor, SqlSafeStr};
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbBackend, DbErr, ExecResult, QueryResult, RuntimeErr,
    Statement,
};

use uuid::Uuid;

use super::gate::{Gates, UnderWay};
use super::hosts::Host;
use super::pool::Pool;
use super::replicas::{Replica, Replicas, reader};
use super::statement::Dialect;
use super::transaction::{BY_KEY, BY_KEYS, Tx, read};
use super::{Error, Registered, Result, Sql, statement};

/// How often work that another transaction stood in the way of is tried.
const TRIES: usize = 5;

/// The database, shared by all who query it. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Store {
    pub(super) pool: Pool,
    pub(super) gates: Option<Gates>,
    pub(super) replicas: Option<Arc<Replicas>>,
}

impl Store {
    /// The same database, at whose connections those take turns who ask [on behalf of](super::on_behalf_of) accounts.
    #[must_use]
    pub fn in_turns(&self, gates: Gates) -> Self {
        Self {
            gates: Some(gates),
            ..self.clone()
        }
    }

    /// Whether accounts lie on several nodes, so that a transaction of one account is one of one node.
    pub fn has_nodes(&self) -> bool {
        self.is_distributed()
    }

    /// The standbys that answer what only reads.
    pub fn replicas(&self) -> Vec<Replica> {
        let replicas = self.replicas.as_deref();
        replicas.map(Replicas::behind).unwrap_or_default()
    }

    /// Asks the database for an answer.
    ///
    /// # Errors
    /// It gives none.
    pub async fn ping(&self) -> Result<()> {
        let answer = self.fetch_value::<i32>(statement!("SELECT 1"), vec![]);
        answer.await.map(drop)
    }

    /// Has the database read a statement, without running it. One for the other database alone passes.
    ///
    /// # Errors
    /// The statement does not fit the schema.
    pub async fn prepare(&self, statement: &Registered) -> Result<()> {
        let Some(text) = (statement.text)(self.dialect()) else {
            return Ok(());
        };
        let text = AssertSqlSafe(text).into_sql_str();
        self.pool.ready().await;
        match &self.pool {
            Pool::Postgres(pool) => {
                let pool = pool.current.read().clone();
                pool.prepare(text).await.map(drop)?;
            }
            Pool::Sqlite { writer, .. } => {
                writer.prepare(text).await.map(drop)?;
            }
        }
        Ok(())
    }

    /// Opens a transaction that may write.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn begin(&self) -> Result<Tx> {
        self.open(&[]).await
    }

    /// The same for callers who wait for other transactions, or for a large one of their own.
    pub(crate) async fn begin_long(&self) -> Result<Tx> {
        self.open(&[self.pool.long()]).await
    }

    /// The same with a COMMIT that does not wait for the disk.
    pub(crate) async fn begin_unsynced(&self) -> Result<Tx> {
        let unsynced = "SET LOCAL synchronous_commit = off;";
        self.open(&[self.pool.long(), unsynced]).await
    }

    /// Opens a transaction whose statements look up and append by key.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn begin_by_key(&self) -> Result<Tx> {
        self.open(&[self.pool.long(), self.pool.by_key(BY_KEY)])
            .await
    }

    /// The same where joins look up by key.
    pub(crate) async fn begin_by_keys(&self) -> Result<Tx> {
        self.open(&[self.pool.long(), self.pool.by_key(BY_KEYS)])
            .await
    }

    /// The same for a step of who drives a sender: it holds the lease, which somebody else takes after 5 s. A node of Citus that
    /// does not answer must not hold it up that long.
    pub(crate) async fn begin_driving(&self) -> Result<Tx> {
        self.find_dialect().await;
        if self.is_distributed() {
            self.open(&["SET LOCAL statement_timeout = 3000;"]).await
        } else {
            self.begin_by_keys().await
        }
    }

    /// A transaction that reads by key, all of it as of one moment. Dropped, it ends.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn snapshot(&self) -> Result<Tx> {
        self.open_snapshot(&[self.pool.by_key(BY_KEY)]).await
    }

    /// The same for callers who wait longer.
    pub(crate) async fn long_snapshot(&self) -> Result<Tx> {
        self.open_snapshot(&[self.pool.long(), self.pool.by_key(BY_KEY)])
            .await
    }

    // In boxes: the code of a future is made anew in each crate that has it, with all that is in it down to the sockets.
    fn open<'a>(&'a self, settings: &'a [&'a str]) -> BoxFuture<'a, Result<Tx>> {
        Box::pin(async move {
            let under_way = self.pass(false).await;
            Tx::begin(&self.pool, settings, under_way).await
        })
    }

    pub(super) fn open_snapshot<'a>(
        &'a self,
        settings: &'a [&'a str],
    ) -> BoxFuture<'a, Result<Tx>> {
        Box::pin(async move {
            let mut under_way = self.pass(true).await;
            if let Some((replicas, n, pool)) = self.replica().await {
                match Tx::snapshot(pool, settings, under_way).await {
                    Err(Error::Unavailable(_)) => replicas.note_away(n),
                    opened => return opened,
                }
                under_way = self.pass(true).await;
            }
            self.note_shown();
            Tx::snapshot(&self.pool, settings, under_way).await
        })
    }

    /// The standby that may answer what this task reads.
    async fn replica(&self) -> Option<(&Replicas, usize, &Pool)> {
        let replicas = self.replicas.as_deref()?;
        let (n, pool) = replicas.choose(reader()?, &self.pool).await?;
        Some((replicas, n, pool))
    }

    /// Notes that the primary shows something to the account for which this task reads.
    fn note_shown(&self) {
        if let (Some(replicas), Some(account_id)) = (&self.replicas, reader()) {
            replicas.note_primary(account_id);
        }
    }

    /// Until what is returned is dropped something may change for an account, which it is to see from then on.
    pub fn changing(&self, account_id: Uuid) -> Changing {
        let replicas = self.replicas.clone();
        Changing {
            replicas,
            account_id,
        }
    }

    /// Waits for a turn at a connection.
    async fn pass(&self, reads: bool) -> UnderWay {
        self.pool.ready().await;
        self.find_dialect().await;
        let writer = !reads && matches!(self.pool, Pool::Sqlite { .. });
        match &self.gates {
            Some(gates) => gates.pass(writer).await,
            None => UnderWay::default(),
        }
    }

    /// Does work anew, a few times, where another transaction stood in its way.
    ///
    /// # Errors
    /// What the work returned.
    pub async fn retry<T, F>(&self, mut work: impl FnMut() -> F) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        let mut tried = 1;
        loop {
            match work().await {
                Err(Error::Conflict(_)) if tried < TRIES => tried += 1,
                result => return self.noted(result),
            }
        }
    }

    /// A result of statements that went past [`ConnectionTrait`].
    fn noted<T>(&self, result: Result<T>) -> Result<T> {
        result.inspect_err(|error| {
            if let Error::Unavailable(source) = error
                && let Some(error) = source.downcast_ref()
            {
                self.pool.note(error);
            }
        })
    }

    /// What writes, for those who pass by the turns, once it is known where that is.
    pub(super) async fn settled(&self) -> DatabaseConnection {
        self.pool.ready().await;
        self.connection(false)
    }

    /// SQLite's readers or its writer.
    pub(super) fn connection(&self, reads: bool) -> DatabaseConnection {
        connection_of(&self.pool, reads).1
    }
}

/// The rows of one statement.
async fn query(pool: &Pool, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
    if let Some(tx) = Tx::of_one_statement(pool).await? {
        let rows = tx.query_all_raw(statement).await?;
        return tx.end(rows).await;
    }
    if let Pool::Sqlite { readers, .. } = pool {
        let rows = read(readers, statement).await;
        return rows.map_err(|error| DbErr::Query(RuntimeErr::SqlxError(error.into())));
    }
    let (host, connection) = connection_of(pool, true);
    asked(pool, &host, connection.query_all_raw(statement)).await
}

async fn asked<T>(
    pool: &Pool,
    host: &Host,
    asked: impl Future<Output = Result<T, DbErr>>,
) -> Result<T, DbErr> {
    let done = host.wait(asked).await;
    let done = done.unwrap_or_else(|error| Err(DbErr::Conn(RuntimeErr::SqlxError(error.into()))));
    done.inspect_err(|error| pool.note(error))
}

/// A connection of a pool, and the host to which it leads.
fn connection_of(pool: &Pool, reads: bool) -> (Host, DatabaseConnection) {
    match pool {
        Pool::Postgres(pool) => {
            let (host, pool) = pool.taken();
            (host, pool.into())
        }
        Pool::Sqlite { readers, .. } if reads => (Host::default(), readers.clone().into()),
        Pool::Sqlite { writer, .. } => (Host::default(), writer.clone().into()),
    }
}

impl Sql for Store {
    fn dialect(&self) -> Dialect {
        self.pool.dialect()
    }

    async fn find_dialect(&self) {
        if self.pool.has_dialect() {
            return;
        }
        self.pool.ready().await;
        // Whoever makes the schema is told why it cannot be found; a statement that follows will say so too.
        if let Ok(several) = migration::is_distributed(&self.connection(true)).await {
            self.pool.note_nodes(several);
        }
    }
}

/// Something that changes for an account, until this is dropped.
#[derive(Debug)]
#[must_use]
pub struct Changing {
    replicas: Option<Arc<Replicas>>,
    account_id: Uuid,
}

impl Drop for Changing {
    fn drop(&mut self) {
        if let Some(replicas) = &self.replicas {
            replicas.note_primary(self.account_id);
        }
    }
}

/// For entities: each statement for itself. On SQLite queries read beside the writer, so only statements without rows may
/// write.
#[async_trait]
impl ConnectionTrait for Store {
    fn get_database_backend(&self) -> DbBackend {
        self.pool.backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        let _under_way = self.pass(false).await;
        if let Some(tx) = Tx::of_one_statement(&self.pool).await? {
            let done = tx.execute_raw(statement).await?;
            return tx.end(done).await;
        }
        let (host, connection) = connection_of(&self.pool, false);
        asked(&self.pool, &host, connection.execute_raw(statement)).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        let _under_way = self.pass(false).await;
        if let Some(tx) = Tx::of_one_statement(&self.pool).await? {
            let done = tx.execute_unprepared(sql).await?;
            return tx.end(done).await;
        }
        let (host, connection) = connection_of(&self.pool, false);
        asked(&self.pool, &host, connection.execute_unprepared(sql)).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        Ok(self.query_all_raw(statement).await?.into_iter().next())
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        let _under_way = self.pass(true).await;
        if let Some((replicas, n, pool)) = self.replica().await {
            match query(pool, statement.clone()).await {
                Err(error) if Error::is_of_the_database(&error) => replicas.note_away(n),
                answered => return answered,
            }
        }
        let answered = query(&self.pool, statement).await;
        self.note_shown();
        answered
    }
}
