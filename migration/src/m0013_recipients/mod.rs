//! How far the recipients that an import created are erased, where somebody asked for that.

use crate::migration::Migration;
use crate::step::{Action, Step};

pub(crate) const MIGRATION: Migration = Migration {
    number: 13,
    name: "m0013_recipients",
    up: &[
        Step {
            name: "columns",
            action: Action::Sql {
                postgres: "ALTER TABLE import_batch ADD COLUMN erased bigint NOT NULL DEFAULT 0,
                           ADD COLUMN erase_seq bigint, ADD COLUMN erase_after text",
                sqlite: "ALTER TABLE import_batch ADD COLUMN erased integer NOT NULL DEFAULT 0;
                         ALTER TABLE import_batch ADD COLUMN erase_seq integer;
                         ALTER TABLE import_batch ADD COLUMN erase_after text;",
            },
        },
        // Each chunk of an import looks for them, and there are hardly ever any.
        Step {
            name: "import_batch_erased",
            action: Action::Index {
                name: "import_batch_erased",
                on: "import_batch (account_id, erase_seq) WHERE erase_seq IS NOT NULL",
            },
        },
    ],
    finish: &[],
};
