//! The schema of the database, and how one becomes the next while the service runs.
//!
//! Each [`Migration`](migration::Migration) has a number, and so has each program: that of its newest migration. A database has
//! two: that of the newest migration that was applied to it, and the lowest number of the programs that it admits. A program
//! takes a database whose two numbers have its own between them, so that processes of two releases run beside each other.
//!
//! - [`up`] expands: it adds what the newest program needs, and nothing that a program which is still admitted cannot read.
//! - [`finish`] raises the lowest number, then contracts: what older programs could not do with is done from then on.
//!
//! There is no way down. The way back is the older program, before `finish`.
//!
//! # Layout
//! - `m0007_start` and those after it: a folder a migration, in the order of their numbers. One that was published is never
//!   changed: a test knows the SHA-256 of each.
//! - [`step`]: what migrations are made of, and how a step is repeated after a kill.
//! - [`migration`]: a migration; `all`: all of them, as sea-orm-migration applies them, which keeps the table of those that were.
//! - [`numbers`]: what a database says of itself, and whether a program takes it.
//! - [`run`]: an empty database made, a filled one migrated, one at a time, under a `lock`. `watch`: who is told of it. `begin`: how a transaction begins.
//! - [`distribute`]: the tables of a database on several nodes of Citus. `error`: why a database was not migrated, or not distributed.
//!
//! What is *not* here: entities. A migration says what the schema was when it was written, entities say what it is now.

#![expect(
    clippy::disallowed_methods,
    reason = "statements of migrations are of the schema of their time"
)]

pub mod migration;
pub mod numbers;
pub mod run;
pub mod step;

mod all;
mod begin;
mod distribute;
mod error;
mod lock;
mod m0007_start;
mod m0008_links_and_erasure;
mod m0009_erasures;
mod m0010_files;
mod m0011_campaigns;
mod m0012_links;
mod m0013_recipients;
mod m0014_receipts;
mod m0015_sampling;
mod m0016_senders;
mod m0017_reminders;
mod m0018_cost;
mod m0019_senders_of_campaigns;
mod m0020_sender_results;
mod m0021_sessions;
mod m0022_keys;
mod m0023_audit_chain;
mod m0024_identities;
mod m0025_retention;
mod m0026_audit_recipients;
mod m0027_opt_outs;
mod m0028_audit_changes;
mod m0029_made_by;
mod watch;

pub use all::MIGRATIONS;
pub use begin::begin;
pub use distribute::{distribute, distributed_tables, is_distributed, plan_distribution};
pub use error::{Error, Refusal};
pub use numbers::{Misfit, NEWEST, Schema, read};
pub use run::{Plan, finish, make, plan, up};
pub use watch::{Unwatched, Watch};
