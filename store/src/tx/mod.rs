//! The database under every other module: connections ([`pool`]), the [`Store`] that shares them, transactions ([`Tx`]), and
//! what can go wrong ([`Error`]).
//!
//! What is *not* here: any statement about a table.

mod error;
mod list;
mod pool;
mod schema;
mod store;
mod transaction;

pub use self::error::{Error, Source};
pub use self::list::{ListPage, PAGE_BYTES};
pub(crate) use self::list::{bytes_of, rows_that_fit};
pub use self::pool::Workload;
pub use self::store::Store;
pub(crate) use self::transaction::Patience;
pub use self::transaction::{Committed, Tx};
pub(crate) use self::transaction::{Inner, get, sqlite_now};
