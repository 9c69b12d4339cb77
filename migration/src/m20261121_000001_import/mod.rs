//! Accounts and keys, the import's ledger, recipients and their counts by day.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

#[derive(DeriveMigrationName)]
pub struct Import;

#[async_trait::async_trait]
impl MigrationTrait for Import {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let script = match manager.get_database_backend() {
            DbBackend::Postgres => include_str!("postgres.sql"),
            DbBackend::Sqlite => include_str!("sqlite.sql"),
            other => return Err(DbErr::Migration(format!("no schema for {other:?}"))),
        };
        manager.get_connection().execute_unprepared(script).await?;
        Ok(())
    }
}
