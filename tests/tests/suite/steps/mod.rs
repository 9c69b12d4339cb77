//! The worker stepped by hand, on the store of either set of backends: which value stands whatever order chunks run in,
//! what the ledger does with chunks that fail, what links collect and how it is rolled up, and races that only show when
//! both sides run at once.
//!
//! Unlike the rest of the suite this uses the service's own code, because only then a test decides which chunk runs when.

mod backlog;
mod chain;
mod collecting;
mod drafts;
mod erasing;
mod files;
mod fixture;
mod forms;
mod ledger;
mod lists;
mod model;
mod ordering;
mod races;
mod readers;
mod rebuilding;
mod recount;
mod reports;
#[cfg(feature = "demo")]
mod retention;
mod rolling_up;
mod schema;
mod sending;
mod sheets;
mod sqlite;
mod statements;
mod survey;
mod turns;
mod waiting;
