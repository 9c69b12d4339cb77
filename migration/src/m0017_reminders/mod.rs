//! Whoever answers lets go of the reminder that waits for them, which is found by their link.

use crate::migration::Migration;
use crate::step::{Action, Step};

pub(crate) const MIGRATION: Migration = Migration {
    number: 17,
    name: "m0017_reminders",
    up: &[
        Step {
            name: "link",
            action: Action::Sql {
                postgres: "-- Of a reminder that waits, the link in it.
ALTER TABLE message_due ADD COLUMN link_id uuid;
",
                sqlite: "ALTER TABLE message_due ADD COLUMN link_id blob;
",
            },
        },
        Step {
            name: "message_due_link",
            action: Action::Index {
                name: "message_due_link",
                on: "message_due (account_id, link_id) WHERE link_id IS NOT NULL",
            },
        },
    ],
    finish: &[],
};
