//! An erasure is kept until what imports say of its person is gone, whether or not the person has come back.

use crate::migration::Migration;
use crate::step::{Action, Step};

pub(crate) const MIGRATION: Migration = Migration {
    number: 9,
    name: "m0009_erasures",
    up: &[Step {
        name: "erasures",
        action: Action::Sql {
            postgres: include_str!("postgres.sql"),
            sqlite: include_str!("sqlite.sql"),
        },
    }],
    finish: &[],
};
