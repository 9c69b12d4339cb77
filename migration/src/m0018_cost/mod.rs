//! What messages cost: as what each was counted when it was handed over, and the sums by day.

use crate::migration::Migration;
use crate::step::{Action, Step};

pub(crate) const MIGRATION: Migration = Migration {
    number: 18,
    name: "m0018_cost",
    up: &[Step {
        name: "usage",
        action: Action::Sql {
            postgres: include_str!("postgres.sql"),
            sqlite: include_str!("sqlite.sql"),
        },
    }],
    finish: &[],
};
