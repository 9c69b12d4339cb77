//! The database under every other module: connections ([`pool`]), the [`Store`] that shares them, transactions ([`Tx`]), and
//! what can go wrong ([`Error`]).
//!
//! What is *not* here: any statement about a table.

mod error;
mod pool;
mod schema;
mod store;
mod transaction;

pub use self::error::{Error, Source};
pub use self::store::Store;
pub use self::transaction::{Committed, Tx};
pub(crate) use self::transaction::{Inner, Patience, get, sqlite_now};
