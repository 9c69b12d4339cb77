//! Reports read through the cache: what the worker's refresh wrote, where it is of just the version that the database has,
//! and the database itself where the cache has nothing, is away, or has another version.
//!
//! The version is read first, always from the database; then copies of just that version are right whoever made them and
//! however old they are. What is missing is read in one snapshot together with its own version, never with the first one.
//!
//! What is *not* here: figures made from counts (`domain::metrics`), rendered answers (`api`), lists of feedbacks
//! (`store::feedback`), which no copies are kept of.

mod account;
mod blocks;
mod check;
mod form;
mod recipients;
mod refresh;

use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};

pub use self::account::{AccountSeries, FormDays, account_series};
pub use self::check::{CacheDrift, check_months, check_recipient_days};
pub use self::form::{FormSeries, Found, form_series};
pub use self::recipients::put_recipient_series;
pub use self::refresh::refresh_months;

/// Entries that nobody refreshes go after this long.
const TTL: Duration = Duration::from_hours(24);

/// Reports that this process reads from the database at once, of its connections: without a cache all readers come here, and
/// whoever stores answers needs connections too. They wait in turn, as long as their request may take.
static READS: Semaphore = Semaphore::const_new(8);

/// Where a report came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Cache,
    Database,
}

/// Waits for a turn at the database; over when it is dropped. Nobody closes the semaphore, so there always is one.
async fn turn() -> Option<SemaphorePermit<'static>> {
    READS.acquire().await.ok()
}
