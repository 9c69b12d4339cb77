//! What a receipt may echo of a message that was handed over outlives the process that did so.

use crate::migration::Migration;
use crate::step::{Action, Step};

const COLUMN: &str = "-- Of a message that is claimed, where its provider echoes numbers: that of its first part, and a hash of its phone.
ALTER TABLE message_due ADD COLUMN echo text;
";

pub(crate) const MIGRATION: Migration = Migration {
    number: 14,
    name: "m0014_receipts",
    up: &[Step {
        name: "echo",
        action: Action::Sql {
            postgres: COLUMN,
            sqlite: COLUMN,
        },
    }],
    finish: &[],
};
