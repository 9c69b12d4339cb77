//! The schema, one folder a step: `postgres.sql` and `sqlite.sql` side by side, so that what one
//! dialect needs (storage, fill factors, collations) is read where the table is made.
//!
//! Knows nobody: it never imports an entity, because a migration must mean tomorrow what it
//! meant on the day it ran.

pub use sea_orm_migration::MigratorTrait;
use sea_orm_migration::prelude::*;

mod m20261121_000001_import;
mod m20261122_000002_form;
mod m20261123_000003_report;
mod m20261124_000004_inbox_at;

/// Every migration in the order of its application.
#[derive(Debug)]
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m20261121_000001_import::Import),
            Box::new(m20261122_000002_form::Form),
            Box::new(m20261123_000003_report::Report),
            Box::new(m20261124_000004_inbox_at::InboxAt),
        ]
    }
}
