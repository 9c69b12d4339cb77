//! Links have a name and may be a kiosk's; erased people leave no docid in messages.

mod erased_docids;

use self::erased_docids::ErasedDocids;
use crate::migration::Migration;
use crate::step::{Action, Step};

pub(crate) const MIGRATION: Migration = Migration {
    number: 8,
    name: "m0008_links_and_erasure",
    up: &[
        Step {
            name: "columns",
            action: Action::Sql {
                postgres: include_str!("postgres.sql"),
                sqlite: include_str!("sqlite.sql"),
            },
        },
        // An erasure looks for the rows of the log that name its person. The log is only added to, so reading all of an
        // account's takes longer from year to year.
        Step {
            name: "audit_subject",
            action: Action::Index {
                name: "audit_subject",
                on: "audit (account_id, subject)",
            },
        },
    ],
    // An older program finds that a person had a message by the docid alone, and would make another one.
    finish: &[Step {
        name: "erased_docids",
        action: Action::Backfill(&ErasedDocids),
    }],
};
