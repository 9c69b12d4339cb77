//! The audit log has recipients by a hash alone, and which docid that is of stands apart as long as the recipient is stored.

use crate::migration::Migration;
use crate::step::{Action, Step};

pub(crate) const MIGRATION: Migration = Migration {
    number: 26,
    name: "m0026_audit_recipients",
    up: &[
        Step {
            name: "recipients",
            action: Action::Sql {
                postgres: include_str!("postgres.sql"),
                sqlite: include_str!("sqlite.sql"),
            },
        },
        Step {
            name: "audit_recipient_subject",
            action: Action::Index {
                name: "audit_recipient_subject",
                on: "audit_recipient (account_id, subject)",
            },
        },
    ],
    // Programs of before erase a recipient and leave this.
    finish: &[Step {
        name: "erased",
        action: Action::Sql {
            postgres: ERASED,
            sqlite: ERASED,
        },
    }],
};

const ERASED: &str = "DELETE FROM audit_recipient AS a WHERE NOT EXISTS (
    SELECT 1 FROM recipient r WHERE r.account_id = a.account_id AND r.docid = a.docid AND r.phone IS NOT NULL)";
