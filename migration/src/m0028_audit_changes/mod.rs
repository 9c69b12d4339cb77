//! What a change made of forms, campaigns and settings is in the audit log, and who was erased with an import is found in it; rows are
//! found by what was done.

use crate::migration::Migration;
use crate::step::{Action, Step};

pub(crate) const MIGRATION: Migration = Migration {
    number: 28,
    name: "m0028_audit_changes",
    up: &[
        Step {
            name: "changes",
            action: Action::Sql {
                postgres: include_str!("postgres.sql"),
                sqlite: include_str!("sqlite.sql"),
            },
        },
        Step {
            name: "audit_action",
            action: Action::Index {
                name: "audit_action",
                on: "audit (account_id, action, name, audit_id)",
            },
        },
        Step {
            name: "audit_erased_at",
            action: Action::Index {
                name: "audit_erased_at",
                on: "audit_erased (account_id, erased_at)",
            },
        },
    ],
    // Programs of before seal rows without what changed: it is not written until these are no longer admitted.
    finish: &[],
};
