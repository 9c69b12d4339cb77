//! What came of a sender's latest messages: whether its provider refuses most of them, and whether receipts come.

use crate::migration::Migration;
use crate::step::{Action, Step};

pub(crate) const MIGRATION: Migration = Migration {
    number: 20,
    name: "m0020_sender_results",
    up: &[Step {
        name: "results",
        action: Action::Sql {
            postgres: include_str!("postgres.sql"),
            sqlite: include_str!("sqlite.sql"),
        },
    }],
    finish: &[],
};
