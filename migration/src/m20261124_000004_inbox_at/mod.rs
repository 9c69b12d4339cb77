//! When rows of the inbox came: as of when a list is, whether they are folded or not.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

pub struct InboxAt;

impl MigrationName for InboxAt {
    fn name(&self) -> &'static str {
        "m20261124_000004_inbox_at"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for InboxAt {
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
