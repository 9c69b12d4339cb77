//! What people call an API key, when it ends, and from where it may be used.

use crate::migration::Migration;
use crate::step::{Action, Step};

pub(crate) const MIGRATION: Migration = Migration {
    number: 22,
    name: "m0022_keys",
    up: &[Step {
        name: "columns",
        action: Action::Sql {
            postgres: "ALTER TABLE api_key ADD COLUMN name text;
-- Null: it works for ever.
ALTER TABLE api_key ADD COLUMN expires_at timestamptz;
-- With commas between, such as 10.0.0.0/8. Null: it works from anywhere.
ALTER TABLE api_key ADD COLUMN networks text;
",
            sqlite: "ALTER TABLE api_key ADD COLUMN name text;
ALTER TABLE api_key ADD COLUMN expires_at text;
ALTER TABLE api_key ADD COLUMN networks text;
",
        },
    }],
    finish: &[],
};
