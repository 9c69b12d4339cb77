//! Links with which people choose a password. Links that no campaign made are found apart from those of messages.

use crate::migration::Migration;
use crate::step::{Action, Step};

/// What an older program does not know is no link of the new kind: it signs in as any other.
const SETS_PASSWORD: &str =
    "ALTER TABLE session ADD COLUMN sets_password boolean NOT NULL DEFAULT false";

pub(crate) const MIGRATION: Migration = Migration {
    number: 12,
    name: "m0012_links",
    up: &[
        Step {
            name: "sets_password",
            action: Action::Sql {
                postgres: SETS_PASSWORD,
                sqlite: SETS_PASSWORD,
            },
        },
        // Campaigns make millions of links, which would stand between the others.
        Step {
            name: "link_of_hand",
            action: Action::Index {
                name: "link_of_hand",
                on: "link (account_id, form_id, link_id) WHERE campaign_id IS NULL",
            },
        },
        // Those of a sheet of QR codes by what each is of, and the one that tries a form.
        Step {
            name: "link_kept",
            action: Action::Index {
                name: "link_kept",
                on: "link (account_id, form_id, is_test, bus_prop_ids, link_id)
                     WHERE campaign_id IS NULL AND (kiosk OR is_test) AND deleted_at IS NULL
                       AND expires_at IS NULL AND max_responses IS NULL AND track_fields = '{}'",
            },
        },
    ],
    finish: &[],
};
