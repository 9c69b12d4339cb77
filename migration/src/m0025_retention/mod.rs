//! How long an account keeps what it collected, and up to which day it has let go of it.

use crate::migration::Migration;
use crate::step::{Action, Step};

pub(crate) const MIGRATION: Migration = Migration {
    number: 25,
    name: "m0025_retention",
    up: &[Step {
        name: "retention",
        action: Action::Sql {
            postgres: include_str!("postgres.sql"),
            sqlite: include_str!("sqlite.sql"),
        },
    }],
    // Programs of before count anew what is gone: nothing goes until these are no longer admitted.
    finish: &[],
};
