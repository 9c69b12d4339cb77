//! The advisory lock that a session of PostgreSQL has while it migrates. Others ask for it again and again: a session that waited
//! inside of a statement for it would hold up `CREATE INDEX CONCURRENTLY`, which waits for all statements that were there before it.

use sea_orm::{ConnectionTrait, DatabaseConnection, DatabaseExecutor, DbErr, Statement};

/// Another one than that under which an empty database is made, because programs from before there were migrations wait for that
/// inside of a statement.
const MIGRATE_LOCK: &str = "SELECT pg_try_advisory_lock(7021402611213) AS held";

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
pub(crate) async fn take_lock(db: &DatabaseConnection) -> Result<bool, DbErr> {
    let taken = Statement::from_string(db.get_database_backend(), MIGRATE_LOCK);
    match db.query_one_raw(taken).await? {
        Some(row) => row.try_get("", "held"),
        None => Ok(false),
    }
}
