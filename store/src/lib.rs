//! The only queries of the project: rows in, domain types out.
//!
//! # Layout
//! Folders are named after what users do, as the parts of the API are.
//! - [`account`]: accounts, API keys and their secrets.
//! - [`import`]: a body's chunks, the commit that accepts them, the worker's ledger, rows into `recipient`, batches, recipients.
//! - [`form`]: forms and their links.
//! - [`collect`]: views and answers in, a feedback out, with their pending counts.
//! - [`send`]: campaigns and messages, from planning to receipts.
//! - `erasure`: a person is erased, in all of these.
//! - [`report`]: the rollups, what reports and lists are read from, and counts made anew to check and to replace them.
//! - [`retention`]: what accounts keep no longer goes, and what was counted stays.
//! - [`copy`]: all that is stored, from an embedded database to a server.
//! - [`backlog`]: how much work waits, for metrics.
//! - [`server`]: what PostgreSQL says of itself.
//! - `statistics`: PostgreSQL's statistics of tables.
//! - `sweep`: what time leaves behind.
//! - `version`: what counts are labelled with, raised by all that changes one.
//! - [`tx`]: one [`Store`] over PostgreSQL or SQLite, transactions, errors. The others are built on it.
//!
//! What is *not* here: HTTP, queues, caches, and any rule that needs no query (those live in `domain`).
//!
//! Locks are always taken in this order: chunk, recipients (docids in byte order), batch, rollup. An import
//! counter is drawn last before a COMMIT and by nobody who waits for a chunk. And of what is collected: feedback, links,
//! visits, views, each by its key; form, form version, rollup.

pub mod account;
pub mod backlog;
pub mod collect;
pub mod copy;
pub mod erasure;
pub mod form;
pub mod import;
pub mod report;
pub mod retention;
pub mod send;
pub mod server;
mod statistics;
mod sweep;
pub mod tx;
mod version;

pub use migration;
pub use tx::{
    Committed, Connections, Dialect, Error, Gate, Gates, ListPage, PAGE_BYTES, PoolMode,
    Registered, Replica, Result, STATEMENTS, Store, Tx, Workload, is_disk_full, of_each_host,
    on_behalf_of, plain_hosts, pool_mode, reading,
};
