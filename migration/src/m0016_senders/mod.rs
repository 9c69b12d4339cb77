//! How a sender is while nothing is sent: since when, when its driver last said so, and whether a person paused it.

use crate::migration::Migration;
use crate::step::{Action, Step};

pub(crate) const MIGRATION: Migration = Migration {
    number: 16,
    name: "m0016_senders",
    up: &[Step {
        name: "state",
        action: Action::Sql {
            postgres: include_str!("postgres.sql"),
            sqlite: include_str!("sqlite.sql"),
        },
    }],
    finish: &[],
};
