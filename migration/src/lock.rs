//! The advisory lock that a session of PostgreSQL has while it migrates. Others ask for it again and again: a session that waited
//! inside of a statement for it would hold up `CREATE INDEX CONCURRENTLY`, which waits for all statements that were there before it.
//! SQLite has no such lock: its caller has one on the data directory.

use std::time::Duration;

use sea_orm::{ConnectionTrait, DatabaseConnection, DatabaseExecutor, DbBackend, DbErr, Statement};
use tokio::time::sleep;

use crate::watch::Watch;

/// Another one than that under which an empty database is made, because programs from before there were migrations wait for that
/// inside of a statement.
const MIGRATE_LOCK: &str = "SELECT pg_try_advisory_lock(7021402611213) AS held";

/// Pause before the lock is asked for again.
const LOCKED: Duration = Duration::from_millis(500);

/// Waits until no other process migrates the database, and keeps others from it until the session ends.
pub(crate) async fn wait_for_lock(db: &DatabaseConnection, watch: &dyn Watch) -> Result<(), DbErr> {
    while !take_lock(db).await? {
        watch.waiting("another process migrates the database");
        sleep(LOCKED).await;
    }
    Ok(())
}

/// Whether this process still has the lock, where it needs one: a connection that broke has lost it. A session that has it may
/// take it again.
pub(crate) async fn keep_lock(db: &DatabaseExecutor<'_>) -> Result<(), DbErr> {
    let DatabaseExecutor::Connection(db) = db else {
        return Ok(());
    };
    if take_lock(db).await? {
        return Ok(());
    }
    Err(DbErr::Migration(
        "another process migrates the database".to_owned(),
    ))
}

/// Takes the lock, unless another session has it.
async fn take_lock(db: &DatabaseConnection) -> Result<bool, DbErr> {
    if db.get_database_backend() == DbBackend::Sqlite {
        return Ok(true);
    }
    let taken = Statement::from_string(db.get_database_backend(), MIGRATE_LOCK);
    match db.query_one_raw(taken).await? {
        Some(row) => row.try_get("", "held"),
        None => Ok(false),
    }
}
