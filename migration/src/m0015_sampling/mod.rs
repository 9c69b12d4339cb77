//! Campaigns that ask only some: how many of a business property were asked on a day. Who was left out is found again.

use crate::migration::Migration;
use crate::step::{Action, Step};

pub(crate) const MIGRATION: Migration = Migration {
    number: 15,
    name: "m0015_sampling",
    up: &[
        Step {
            name: "quota",
            action: Action::Sql {
                postgres: include_str!("postgres.sql"),
                sqlite: include_str!("sqlite.sql"),
            },
        },
        // The messages of a phone that wait for nothing as another of the campaign goes there. They are few.
        Step {
            name: "message_same_phone",
            action: Action::Index {
                name: "message_same_phone",
                on: "message (account_id, campaign_id, phone_mac, message_id) WHERE reason = 'duplicate_phone'",
            },
        },
        Step {
            name: "message_left_out",
            action: Action::Index {
                name: "message_left_out",
                on: "message (account_id, campaign_id, message_id) WHERE reason = 'limit_reached'",
            },
        },
    ],
    finish: &[],
};
