//! What migrations are made of: statements, an index, rows that are filled in batches.
//!
//! A step is recorded in `migration_step` once it is done, and may be begun again at any point before. Each is committed by
//! itself, and on PostgreSQL waits for no lock so long that others would wait behind it. Those of a database that is just made are
//! one transaction.

use std::time::{Duration, Instant};

use sea_orm::sqlx::error::DatabaseError;
use sea_orm::{
    ConnectionTrait, DatabaseExecutor, DatabaseTransaction, DbBackend, DbErr, RuntimeErr,
    Statement, Value,
};
use sea_orm_migration::async_trait::async_trait;
use tokio::time::sleep;

use crate::lock::keep_lock;
use crate::watch::Watch;

/// Whoever reads or writes a table waits behind a statement that waits to change it: so long at most.
const LOCK_TIMEOUT: &str = "SET LOCAL lock_timeout = '200ms'";
/// Pause before a statement that waited too long is tried again.
const AGAIN: Duration = Duration::from_millis(800);

/// The steps that are done, and how far one got that is not.
pub(crate) const STEPS: &str = "CREATE TABLE IF NOT EXISTS migration_step (
    migration text    NOT NULL,
    step      text    NOT NULL,
    done      boolean NOT NULL,
    -- Of a backfill: the last row that it has looked at.
    position  text,
    PRIMARY KEY (migration, step)
)";

/// A named part of a [`Migration`](crate::migration::Migration).
pub struct Step {
    /// Of its own within the migration.
    pub name: &'static str,
    pub action: Action,
}

/// What a step does.
pub enum Action {
    /// Statements of each dialect, in one transaction. On PostgreSQL they must be quick, whatever the tables hold: a new table,
    /// a column that may be null or has a constant default.
    Sql {
        postgres: &'static str,
        sqlite: &'static str,
    },
    /// An index, which on PostgreSQL is made while others write.
    Index {
        name: &'static str,
        /// The table with what follows it, such as `contact (account_id, docid)`.
        on: &'static str,
    },
    /// Rows, a batch after the other.
    Backfill(&'static dyn Backfill),
}

/// Changes the rows that were there before a program which writes them otherwise.
#[async_trait]
pub trait Backfill: Sync {
    /// About how many rows it looks at.
    async fn rows(&self, db: &DatabaseExecutor<'_>) -> Result<u64, DbErr>;

    /// Looks at the rows that follow a position, the first ones where there is none, in the order of a key, and changes those
    /// that it should. A row that it has changed it leaves alone. `None`: none follow.
    async fn batch(
        &self,
        tx: &DatabaseTransaction,
        after: Option<String>,
    ) -> Result<Option<Batch>, DbErr>;
}

/// Rows that a [`Backfill`] looked at.
pub struct Batch {
    /// Where the next batch begins.
    pub position: String,
    pub rows: u64,
}

impl Step {
    /// Does what is left of the step.
    ///
    /// # Errors
    /// A statement failed, or another process migrates the database.
    pub(crate) async fn run(
        &self,
        db: &DatabaseExecutor<'_>,
        migration: &'static str,
        watch: &dyn Watch,
    ) -> Result<(), DbErr> {
        keep_lock(db).await?;
        let record = Record {
            migration,
            step: self.name,
        };
        let (done, position) = record.read(db).await?;
        if done {
            return Ok(());
        }
        watch.step(migration, self.name);
        if let Action::Backfill(backfill) = self.action {
            return fill(db, backfill, &record, position, watch).await;
        }
        loop {
            match self.change(db, &record).await {
                Err(error) if was_in_the_way(&error) => {
                    watch.waiting("others use the table");
                    sleep(AGAIN).await;
                }
                result => return result,
            }
        }
    }

    /// Changes the schema once, unless somebody is in the way.
    async fn change(&self, db: &DatabaseExecutor<'_>, record: &Record) -> Result<(), DbErr> {
        match &self.action {
            Action::Sql { postgres, sqlite } => {
                let tx = begin(db).await?;
                let is_sqlite = db.get_database_backend() == DbBackend::Sqlite;
                tx.execute_unprepared(if is_sqlite { sqlite } else { postgres })
                    .await?;
                record.write(&tx, true, None).await?;
                tx.commit().await
            }
            Action::Index { name, on } => {
                make_index(db, name, on).await?;
                record.write(db, true, None).await
            }
            Action::Backfill(_) => Ok(()),
        }
    }
}

/// Begins a transaction, or a savepoint within one, in which no statement waits for a lock for long.
async fn begin(db: &DatabaseExecutor<'_>) -> Result<DatabaseTransaction, DbErr> {
    let tx = crate::begin::begin(db).await?;
    if db.get_database_backend() == DbBackend::Postgres {
        tx.execute_unprepared(LOCK_TIMEOUT).await?;
    }
    Ok(tx)
}

/// Whether another transaction was: a lock that was not had in time, a deadlock, a transaction that a row was taken from; of
/// SQLite its writer.
fn was_in_the_way(error: &DbErr) -> bool {
    let (DbErr::Exec(RuntimeErr::SqlxError(error)) | DbErr::Query(RuntimeErr::SqlxError(error))) =
        error
    else {
        return false;
    };
    let code = error.as_database_error().and_then(DatabaseError::code);
    matches!(code.as_deref(), Some("55P03" | "40P01" | "40001" | "5"))
}

/// Whether other processes run on the database meanwhile, as they do on PostgreSQL where it is filled.
fn is_beside_others(db: &DatabaseExecutor<'_>) -> bool {
    matches!(db, DatabaseExecutor::Connection(_))
        && db.get_database_backend() == DbBackend::Postgres
}

async fn make_index(db: &DatabaseExecutor<'_>, name: &str, on: &str) -> Result<(), DbErr> {
    if !is_beside_others(db) {
        let make = format!("CREATE INDEX IF NOT EXISTS {name} ON {on}");
        return db.execute_unprepared(&make).await.map(drop);
    }
    let valid = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)";
    let valid = Statement::from_sql_and_values(DbBackend::Postgres, valid, [name.into()]);
    match db.query_one_raw(valid).await? {
        Some(row) if row.try_get_by_index(0)? => return Ok(()),
        // What was begun and not ended is kept up to date by every writer, and used by no reader.
        Some(_) => {
            let drop_it = format!("DROP INDEX CONCURRENTLY IF EXISTS {name}");
            db.execute_unprepared(&drop_it).await?;
        }
        None => {}
    }
    let make = format!("CREATE INDEX CONCURRENTLY {name} ON {on}");
    db.execute_unprepared(&make).await.map(drop)
}

async fn fill(
    db: &DatabaseExecutor<'_>,
    backfill: &dyn Backfill,
    record: &Record,
    mut position: Option<String>,
    watch: &dyn Watch,
) -> Result<(), DbErr> {
    let (mut done, of) = (0, backfill.rows(db).await?);
    loop {
        watch.rows(done, of);
        keep_lock(db).await?;
        let began = Instant::now();
        match fill_batch(db, backfill, record, position.clone()).await {
            Err(error) if was_in_the_way(&error) => sleep(AGAIN).await,
            Err(error) => return Err(error),
            Ok(None) => {
                watch.rows(of, of);
                return Ok(());
            }
            Ok(Some(batch)) => {
                position = Some(batch.position);
                done += batch.rows;
                if is_beside_others(db) {
                    // Half of the time belongs to others.
                    sleep(began.elapsed()).await;
                }
            }
        }
    }
}

async fn fill_batch(
    db: &DatabaseExecutor<'_>,
    backfill: &dyn Backfill,
    record: &Record,
    after: Option<String>,
) -> Result<Option<Batch>, DbErr> {
    let tx = begin(db).await?;
    let batch = backfill.batch(&tx, after.clone()).await?;
    let position = batch
        .as_ref()
        .map_or(after, |batch| Some(batch.position.clone()));
    record.write(&tx, batch.is_none(), position).await?;
    tx.commit().await?;
    Ok(batch)
}

/// A step's row in `migration_step`.
pub(crate) struct Record {
    pub migration: &'static str,
    pub step: &'static str,
}

impl Record {
    /// Whether the step is done, and how far it got.
    pub(crate) async fn read(
        &self,
        db: &impl ConnectionTrait,
    ) -> Result<(bool, Option<String>), DbErr> {
        let row = "SELECT done, position FROM migration_step WHERE migration = $1 AND step = $2";
        let given: [Value; 2] = [self.migration.into(), self.step.into()];
        let row = Statement::from_sql_and_values(db.get_database_backend(), row, given);
        match db.query_one_raw(row).await? {
            Some(row) => Ok((row.try_get("", "done")?, row.try_get("", "position")?)),
            None => Ok((false, None)),
        }
    }

    pub(crate) async fn write(
        &self,
        db: &impl ConnectionTrait,
        done: bool,
        position: Option<String>,
    ) -> Result<(), DbErr> {
        let row = "INSERT INTO migration_step (migration, step, done, position) VALUES ($1, $2, $3, $4)
             ON CONFLICT (migration, step) DO UPDATE SET done = excluded.done, position = excluded.position";
        let given: [Value; 4] = [
            self.migration.into(),
            self.step.into(),
            done.into(),
            position.into(),
        ];
        let row = Statement::from_sql_and_values(db.get_database_backend(), row, given);
        db.execute_raw(row).await.map(drop)
    }
}
