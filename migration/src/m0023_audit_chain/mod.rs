//! The audit log only grows: what came of a change is a row of its own, and rows are sealed with a chain of hashes.

use crate::migration::Migration;
use crate::step::{Action, Step};

pub(crate) const MIGRATION: Migration = Migration {
    number: 23,
    name: "m0023_audit_chain",
    up: &[
        Step {
            name: "chain",
            action: Action::Sql {
                postgres: include_str!("postgres.sql"),
                sqlite: include_str!("sqlite.sql"),
            },
        },
        Step {
            name: "audit_unsealed",
            action: Action::Index {
                name: "audit_unsealed",
                on: "audit (account_id, audit_id) WHERE seal IS NULL",
            },
        },
        Step {
            name: "audit_by_seal",
            action: Action::Index {
                name: "audit_by_seal",
                on: "audit (account_id, seal) WHERE seal IS NOT NULL",
            },
        },
        Step {
            name: "audit_outcome",
            action: Action::Index {
                name: "audit_outcome",
                on: "audit (account_id, outcome_of) WHERE outcome_of IS NOT NULL",
            },
        },
    ],
    // Programs of before change rows to say what came of them: rows are sealed once these are no longer admitted.
    finish: &[],
};
