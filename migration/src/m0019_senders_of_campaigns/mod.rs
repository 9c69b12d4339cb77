//! Campaigns that name several senders: which one each message has, and which list it goes by once that one is away.

use crate::migration::Migration;
use crate::step::{Action, Step};

const OWN_SENDER: &str = "UPDATE message_due SET sender_list = '' WHERE sender_list IS NULL AND (failures > 0 OR phone IS NOT NULL)";

pub(crate) const MIGRATION: Migration = Migration {
    number: 19,
    name: "m0019_senders_of_campaigns",
    up: &[
        Step {
            name: "columns",
            action: Action::Sql {
                postgres: include_str!("postgres.sql"),
                sqlite: include_str!("sqlite.sql"),
            },
        },
        Step {
            name: "campaign_of_several",
            action: Action::Index {
                name: "campaign_of_several",
                on: "campaign (account_id, campaign_id) WHERE senders IS NOT NULL AND status IN ('RUNNING', 'PAUSED')",
            },
        },
        // What waits of campaigns that name one sender, which are most, is not in it.
        Step {
            name: "message_due_of_list",
            action: Action::Index {
                name: "message_due_of_list",
                on: "message_due (account_id, campaign_id, sender, due_at, message_id) WHERE sender_list IS NOT NULL",
            },
        },
    ],
    // What a program of before tried may have been sent, and its tests have the sender of their campaign.
    finish: &[Step {
        name: "own_sender",
        action: Action::Sql {
            postgres: OWN_SENDER,
            sqlite: OWN_SENDER,
        },
    }],
};
