//! What tells copies of counts apart: versions by month, and the cache's epoch; indexes for lists and recounts.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

pub struct Report;

impl MigrationName for Report {
    fn name(&self) -> &'static str {
        "m20261123_000003_report"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Report {
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
