//! Reports read through the cache: what the worker's refresh wrote, checked against the version in the database, and
//! the database itself where the cache has nothing, is away, or is behind.

mod account;
mod form;
mod recipients;

use std::time::Duration;

pub use self::account::{AccountSeries, FormDays, account_series};
pub use self::form::{FormSeries, Found, form_series};
pub use self::recipients::{put_recipient_series, recipient_series};

/// Entries that nobody refreshes go after this long.
const TTL: Duration = Duration::from_hours(24);

/// Where a report came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Cache,
    Database,
}
