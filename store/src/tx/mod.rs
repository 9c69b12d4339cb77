//! The database under every other module: connections ([`pool`], `connect`), the [`Store`] that shares them, transactions ([`Tx`]), whose turn it
//! is at the connections (`gate`), which host they go to (`hosts`, `replicas`), scans over
//! the accounts of several nodes (`nodes`, `scan`, `work`), and what can go wrong ([`crate::Error`]).
//!
//! What is *not* here: any statement about a table.

#![expect(
    clippy::disallowed_methods,
    reason = "here statements of `statement!` and of entities are run"
)]

mod connect;
mod each;
mod error;
mod file;
mod full;
mod gate;
mod hosts;
mod list;
mod nodes;
mod pool;
mod replicas;
mod scan;
mod schema;
mod sql;
mod statement;
mod store;
mod transaction;
mod work;

pub use self::connect::{Connections, plain_hosts, pool_mode};
pub(crate) use self::each::BatchWrites;
pub use self::error::{BoxError, Error, Result};
pub use self::full::is_disk_full;
pub use self::gate::{Gate, Gates, on_behalf_of};
pub use self::hosts::of_each_host;
pub(crate) use self::list::rows_that_fit;
pub use self::list::{ListPage, PAGE_BYTES};
pub(crate) use self::nodes::Part;
pub use self::pool::{PoolMode, Workload};
pub use self::replicas::{Replica, reading};
pub(crate) use self::scan::{Accounts, Parts};
pub(crate) use self::sql::{IntoValues, JsonText, Parsed, Sql, sqlite_now, values};
pub(crate) use self::statement::{
    BatchColumn, BatchRow, BatchStatement, BatchText, Statement, batch_row, register, statement,
};
pub use self::statement::{Dialect, Registered, STATEMENTS};
pub use self::store::Store;
pub(crate) use self::transaction::Inner;
pub use self::transaction::{Committed, Tx};
