//! An empty database made, a filled one migrated, by one process at a time.
//!
//! A database that is just made is one transaction; of a filled one each step is.

use std::sync::Arc;

use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseExecutor, DatabaseTransaction, DbBackend, DbErr,
    Statement, Value,
};
use sea_orm_migration::MigratorTraitSelf;
use serde::Serialize;

use crate::all::{MIGRATIONS, Migrator, newest};
use crate::error::Error;
use crate::lock::wait_for_lock;
use crate::m0007_start::{self, TABLES};
use crate::migration::Migration;
use crate::numbers::{Misfit, NEWEST, Numbers, Schema, read};
use crate::step::{Record, STEPS, Step};
use crate::watch::{Unwatched, Watch};

/// Taken by who makes an empty database, also by programs from before there were migrations, at each of their starts.
const MAKE_LOCK: &str =
    "SET LOCAL statement_timeout = 0; SELECT pg_advisory_xact_lock(7021402611212)";

/// Makes the schema in an empty database, in this transaction, for programs of this number on. Of several processes one makes
/// it; the others wait, and find what they waited for.
///
/// # Errors
/// A statement failed.
pub async fn make(tx: &DatabaseTransaction) -> Result<Schema, DbErr> {
    if tx.get_database_backend() == DbBackend::Postgres {
        tx.execute_unprepared(MAKE_LOCK).await?;
    }
    let found = read(tx).await?;
    if found != Schema::None {
        return Ok(found);
    }
    let watch: Arc<dyn Watch> = Arc::new(Unwatched);
    apply(&DatabaseExecutor::from(tx), MIGRATIONS, &watch).await?;
    contract(&DatabaseExecutor::from(tx), &*watch).await?;
    read(tx).await
}

/// Applies those of the migrations that the database lacks. Repeated after a kill it goes on.
///
/// # Errors
/// The database is not one that these migrate, or a statement failed.
pub async fn up(
    db: &DatabaseConnection,
    migrations: &'static [Migration],
    watch: &Arc<dyn Watch>,
) -> Result<(), Error> {
    wait_for_lock(db, &**watch).await?;
    let db = &DatabaseExecutor::from(db);
    let numbers = numbers(db).await?;
    let newest = newest(migrations);
    if newest < numbers.lowest {
        let lowest = numbers.lowest;
        return Err(Misfit::Ahead { lowest }.into());
    }
    if numbers.newest < newest {
        apply(db, migrations, watch).await?;
    }
    Ok(())
}

/// Admits programs of this number on and no older ones, then does what they could not do with. Repeated after a kill it goes
/// on.
///
/// # Errors
/// The database lacks what [`up`] applies, a newer program has migrated it, or a statement failed.
pub async fn finish(db: &DatabaseConnection, watch: &Arc<dyn Watch>) -> Result<(), Error> {
    wait_for_lock(db, &**watch).await?;
    let db = &DatabaseExecutor::from(db);
    let Numbers { newest, lowest } = numbers(db).await?;
    if newest < NEWEST {
        return Err(Misfit::Behind { newest }.into());
    }
    if NEWEST < lowest.max(newest) {
        let lowest = lowest.max(newest);
        return Err(Misfit::Ahead { lowest }.into());
    }
    Ok(contract(db, &**watch).await?)
}

/// What is left to do.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    /// Of the newest migration that was applied; `None`: the database is empty.
    pub newest: Option<u32>,
    /// The lowest of the programs that the database admits.
    pub lowest: Option<u32>,
    /// The number of this program.
    pub program: u32,
    /// What [`up`] would do, as `migration step`.
    pub up: Vec<String>,
    /// What [`finish`] would do after it.
    pub finish: Vec<String>,
    /// Whether an [`up`] was ended in the middle: some steps of a migration are applied and some are not.
    #[serde(skip)]
    pub is_half_applied: bool,
}

impl Plan {
    pub fn is_empty(&self) -> bool {
        self.up.is_empty() && self.finish.is_empty()
    }
}

/// Reads what is left to do. It changes nothing.
///
/// # Errors
/// The database is not one that this program can migrate, or gave no answer.
pub async fn plan(db: &DatabaseConnection) -> Result<Plan, Error> {
    let found = match read(db).await? {
        Schema::None => None,
        Schema::Foreign => return Err(Misfit::Foreign.into()),
        Schema::Numbered(numbers) => Some(numbers),
    };
    let mut plan = Plan {
        newest: found.map(|numbers| numbers.newest),
        lowest: found.map(|numbers| numbers.lowest),
        program: NEWEST,
        up: Vec::new(),
        finish: Vec::new(),
        is_half_applied: false,
    };
    if found.is_some_and(|numbers| NEWEST < numbers.newest) {
        return Ok(plan);
    }
    let recorded = has_steps(db).await?;
    let add = async |migration: &Migration, step: &Step, to: &mut Vec<String>| {
        let record = Record {
            migration: migration.name,
            step: step.name,
        };
        if !recorded || !record.read(db).await?.0 {
            to.push(format!("{} {}", migration.name, step.name));
        }
        Ok::<(), DbErr>(())
    };
    for migration in MIGRATIONS {
        if plan.newest.is_some_and(|newest| migration.number <= newest) {
            continue;
        }
        let before = plan.up.len();
        for step in migration.up {
            add(migration, step, &mut plan.up).await?;
        }
        plan.is_half_applied |= plan.up.len() - before < migration.up.len();
    }
    if plan.lowest.is_none_or(|lowest| lowest < NEWEST) {
        plan.finish
            .push(format!("admits programs from {NEWEST} on"));
    }
    for migration in MIGRATIONS {
        for step in migration.finish {
            add(migration, step, &mut plan.finish).await?;
        }
    }
    Ok(plan)
}

pub(crate) async fn numbers(db: &DatabaseExecutor<'_>) -> Result<Numbers, Error> {
    match read(db).await? {
        Schema::Numbered(numbers) => Ok(numbers),
        Schema::None => Err(DbErr::Migration("the database is empty".to_owned()).into()),
        Schema::Foreign => Err(Misfit::Foreign.into()),
    }
}

/// Applies those of the migrations that were not. The tables of a database from before migrations are the first one.
async fn apply(
    db: &DatabaseExecutor<'_>,
    migrations: &'static [Migration],
    watch: &Arc<dyn Watch>,
) -> Result<(), DbErr> {
    let was_made_before = read(db).await? != Schema::None;
    db.execute_unprepared(STEPS).await?;
    if was_made_before {
        let first = Record {
            migration: m0007_start::MIGRATION.name,
            step: TABLES,
        };
        first.write(db, true, None).await?;
    }
    let watch = watch.clone();
    let migrator = Migrator { migrations, watch };
    match db {
        DatabaseExecutor::Connection(db) => migrator.up(*db, None).await,
        DatabaseExecutor::Transaction(tx) => migrator.up(*tx, None).await,
        DatabaseExecutor::OwnedTransaction(tx) => migrator.up(tx, None).await,
    }
}

async fn contract(db: &DatabaseExecutor<'_>, watch: &dyn Watch) -> Result<(), DbErr> {
    let raise = "UPDATE schema_version SET version = $1 WHERE version < $1";
    let given: [Value; 1] = [i64::from(NEWEST).into()];
    let raise = Statement::from_sql_and_values(db.get_database_backend(), raise, given);
    db.execute_raw(raise).await?;
    for migration in MIGRATIONS {
        for step in migration.finish {
            step.run(db, migration.name, watch).await?;
        }
    }
    Ok(())
}

pub(crate) async fn has_steps(db: &impl ConnectionTrait) -> Result<bool, DbErr> {
    let exists = match db.get_database_backend() {
        DbBackend::Sqlite => {
            "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'migration_step') AS it"
        }
        _ => "SELECT to_regclass('migration_step') IS NOT NULL AS it",
    };
    let exists = Statement::from_string(db.get_database_backend(), exists);
    match db.query_one_raw(exists).await? {
        Some(row) => row.try_get("", "it"),
        None => Ok(false),
    }
}
