//! A transaction that may write.

use sea_orm::{
    DatabaseTransaction, DbErr, SqliteTransactionMode, TransactionOptions, TransactionTrait,
};

/// Begins a transaction that may write, or a savepoint within one. SQLite gives its own to one at a time.
///
/// # Errors
/// The database is unavailable, or SQLite's writer was not to be had for a while.
pub async fn begin(
    db: &impl TransactionTrait<Transaction = DatabaseTransaction>,
) -> Result<DatabaseTransaction, DbErr> {
    let options = TransactionOptions {
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    };
    db.begin_with_options(options).await
}
