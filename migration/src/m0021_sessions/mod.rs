//! Sessions end when nobody uses them, and their person sees where they are; a password that somebody else set is changed. A
//! second factor.

use crate::migration::Migration;
use crate::step::{Action, Step};

pub(crate) const MIGRATION: Migration = Migration {
    number: 21,
    name: "m0021_sessions",
    up: &[Step {
        name: "columns",
        action: Action::Sql {
            postgres: include_str!("postgres.sql"),
            sqlite: include_str!("sqlite.sql"),
        },
    }],
    finish: &[],
};
