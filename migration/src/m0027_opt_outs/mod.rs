//! What messages that are kept no longer leave to their links, and since when an account keeps less than before.

use crate::migration::Migration;
use crate::step::{Action, Step};

pub(crate) const MIGRATION: Migration = Migration {
    number: 27,
    name: "m0027_opt_outs",
    up: &[
        Step {
            name: "phone_mac",
            action: Action::Sql {
                postgres: "ALTER TABLE link ADD COLUMN phone_mac bytea",
                sqlite: "ALTER TABLE link ADD COLUMN phone_mac blob",
            },
        },
        Step {
            name: "holds_from",
            action: Action::Sql {
                postgres: "ALTER TABLE retention ADD COLUMN holds_from timestamptz",
                sqlite: "ALTER TABLE retention ADD COLUMN holds_from text",
            },
        },
    ],
    // Programs of before do not wait, and their erasures leave the phone: nothing goes by this one until these are no longer admitted.
    finish: &[],
};
