//! The schema, one folder a step: `postgres.sql` and `sqlite.sql` side by side, so that what one
//! dialect needs (storage, fill factors, collations) is read where the table is made.
//!
//! Knows nobody: it never imports an entity, because a migration must mean tomorrow what it
//! meant on the day it ran.

pub use sea_orm_migration::MigratorTrait;
use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

/// Every migration in the order of its application.
#[derive(Debug)]
pub struct Migrator;

/// A step by the name under which databases have noted it.
struct Step {
    name: &'static str,
    postgres: &'static str,
    sqlite: &'static str,
}

/// A step in a folder, which names it.
macro_rules! step {
    ($folder:literal) => {
        step!($folder, as $folder)
    };
    ($folder:literal, as $name:literal) => {
        Box::new(Step {
            name: $name,
            postgres: include_str!(concat!($folder, "/postgres.sql")),
            sqlite: include_str!(concat!($folder, "/sqlite.sql")),
        })
    };
}

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            // Its name was once that of a file, and databases have it.
            step!("m20261121_000001_import", as "mod"),
            step!("m20261122_000002_form"),
            step!("m20261123_000003_report"),
            step!("m20261124_000004_inbox_at"),
        ]
    }
}

impl MigrationName for Step {
    fn name(&self) -> &str {
        self.name
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Step {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let script = match manager.get_database_backend() {
            DbBackend::Postgres => self.postgres,
            DbBackend::Sqlite => self.sqlite,
            other => return Err(DbErr::Migration(format!("no schema for {other:?}"))),
        };
        manager.get_connection().execute_unprepared(script).await?;
        Ok(())
    }
}
