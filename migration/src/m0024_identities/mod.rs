//! People whom an OpenID Connect provider signs in.

use crate::migration::Migration;
use crate::step::{Action, Step};

pub(crate) const MIGRATION: Migration = Migration {
    number: 24,
    name: "m0024_identities",
    up: &[Step {
        name: "identity",
        action: Action::Sql {
            postgres: "-- Of the OpenID Connect provider that signs them in, issuer and subject with a blank between. Null: they have a password.
ALTER TABLE person ADD COLUMN identity text;
CREATE UNIQUE INDEX person_identity ON person (identity);
",
            sqlite: "ALTER TABLE person ADD COLUMN identity text;
CREATE UNIQUE INDEX person_identity ON person (identity);
",
        },
    }],
    finish: &[],
};
