//! What is kept of an import that was a file: its name, and how many of its rows said the same as an earlier one.

use crate::migration::Migration;
use crate::step::{Action, Step};

pub(crate) const MIGRATION: Migration = Migration {
    number: 10,
    name: "m0010_files",
    up: &[Step {
        name: "columns",
        action: Action::Sql {
            postgres: include_str!("postgres.sql"),
            sqlite: include_str!("sqlite.sql"),
        },
    }],
    finish: &[],
};
