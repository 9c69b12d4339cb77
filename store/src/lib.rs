//! The only queries of the project: rows in, domain types out.
//!
//! # Layout
//! - [`connect`]: one [`Store`] over PostgreSQL or SQLite, chosen by the URL's scheme; [`tx`]: a transaction over either.
//! - [`key`]: accounts, API keys and their secrets.
//! - the way in: [`idempotency`] (who may answer a key), [`receive`] (a body's chunks, and the one commit that accepts them).
//! - the way through: [`chunk`] (the worker's ledger: claim, finish, fail, park), [`bulk`] (rows into `recipient`, a file a dialect),
//!   [`beat`] (who is alive), [`sweep`] (what time leaves behind).
//! - the way out: [`batch`] (status, list, errors, cancel, retry), [`recipient`] (read, erase), [`series`] (counts by day).
//!
//! What is *not* here: HTTP, queues, caches, and any rule that needs no query (those live in `domain`).
//!
//! Locks are always taken in this order: chunk, recipients (docids in byte order), batch, rollup. An import
//! counter is drawn last before a COMMIT and by nobody who waits for a chunk.

pub mod batch;
pub mod beat;
pub mod bulk;
pub mod chunk;
pub mod connect;
mod error;
pub mod idempotency;
pub mod key;
pub mod receive;
pub mod recipient;
pub mod series;
pub mod sweep;
pub mod tx;

pub use connect::Store;
pub use error::Error;
pub use tx::{Committed, Tx};
