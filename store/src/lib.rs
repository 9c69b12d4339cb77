//! The only queries of the project: rows in, domain types out.
//!
//! # Layout
//! - [`connect`]: one [`Store`] over PostgreSQL or SQLite, chosen by the URL's scheme; [`tx`]: a transaction over either.
//! - [`key`]: accounts, API keys and their secrets.
//! - the way in: [`idempotency`] (who may answer a key), [`receive`] (a body's chunks, and the one commit that accepts them).
//! - the way through: [`chunk`] (the worker's ledger: claim, finish, fail, park), [`bulk`] (rows into `recipient`, a file a dialect),
//!   [`beat`] (who is alive), [`sweep`] (what time leaves behind).
//! - what is asked and answered: [`form`], [`link`], [`collect`] (views and answers in, a feedback out), [`inbox`] (their deltas),
//!   [`fold`] (deltas into the [`rollup`]).
//! - the way out: [`batch`] (status, list, errors, cancel, retry), [`recipient`] (read, erase), [`series`] (counts by day), [`report`] (what
//!   reports are made of, in one snapshot, with its version), [`feedback`] (lists of what was answered);
//!   [`recount`] (counts made anew, to check and to replace them).
//!
//! What is *not* here: HTTP, queues, caches, and any rule that needs no query (those live in `domain`).
//!
//! Locks are always taken in this order: chunk, recipients (docids in byte order), batch, rollup. An import
//! counter is drawn last before a COMMIT and by nobody who waits for a chunk. And of what is collected: feedback, links,
//! visits, views, each by its key; form, form version, rollup.

pub mod batch;
pub mod beat;
pub mod bulk;
pub mod chunk;
pub mod collect;
pub mod connect;
mod error;
pub mod feedback;
pub mod fold;
pub mod form;
pub mod idempotency;
pub mod inbox;
pub mod key;
pub mod link;
pub mod receive;
pub mod recipient;
pub mod recount;
pub mod report;
pub mod rollup;
pub mod series;
pub mod sweep;
pub mod tx;

pub use connect::Store;
pub use error::Error;
pub use tx::{Committed, Tx};
