//! Forms, links, what they collect, the inbox of deltas and the rollups that reports read.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

pub struct Form;

/// Not derived: that would be the name of this file, `mod`, which databases have noted for the first step.
impl MigrationName for Form {
    fn name(&self) -> &'static str {
        "m20261122_000002_form"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Form {
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
