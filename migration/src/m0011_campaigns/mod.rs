//! A running campaign can be changed: what waits gets another place then.

use crate::migration::Migration;
use crate::step::{Action, Step};

const COLUMN: &str = "-- Of a campaign whose hours or reminder were changed the last message, as JSON, that has its place by the new ones.
ALTER TABLE campaign ADD COLUMN moved_to text;
";

pub(crate) const MIGRATION: Migration = Migration {
    number: 11,
    name: "m0011_campaigns",
    up: &[Step {
        name: "campaigns",
        action: Action::Sql {
            postgres: COLUMN,
            sqlite: COLUMN,
        },
    }],
    finish: &[],
};
