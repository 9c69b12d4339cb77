//! Who made an import or a link, and from where, as the audit log names them.

use crate::migration::Migration;
use crate::step::{Action, Step};

pub(crate) const MIGRATION: Migration = Migration {
    number: 29,
    name: "m0029_made_by",
    up: &[
        Step {
            name: "import_batch",
            action: Action::Sql {
                postgres: IMPORT_BATCH,
                sqlite: IMPORT_BATCH,
            },
        },
        Step {
            name: "link",
            action: Action::Sql {
                postgres: LINK,
                sqlite: LINK,
            },
        },
    ],
    finish: &[],
};

const IMPORT_BATCH: &str = "ALTER TABLE import_batch ADD COLUMN made_by text;
ALTER TABLE import_batch ADD COLUMN made_from text;
";
const LINK: &str = "ALTER TABLE link ADD COLUMN made_by text;
ALTER TABLE link ADD COLUMN made_from text;
";
