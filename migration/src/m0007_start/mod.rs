//! The schema as the programs had it before there were migrations.

use crate::migration::Migration;
use crate::step::{Action, Step};

/// The step that a database which those programs made has already.
pub(crate) const TABLES: &str = "tables";

pub(crate) const MIGRATION: Migration = Migration {
    number: 7,
    name: "m0007_start",
    up: &[Step {
        name: TABLES,
        action: Action::Sql {
            postgres: include_str!("postgres.sql"),
            sqlite: include_str!("sqlite.sql"),
        },
    }],
    finish: &[],
};
