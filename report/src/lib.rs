//! Reports as data: counts by day and what goes with them, all as of one moment, with the version of the data.
//!
//! Each report opens one snapshot of the database, which also tells at which version each month of the range last changed.
//! If Redis has all of these months at just these versions, their days are taken from there, otherwise they are read in
//! the snapshot. What a report counts is never put together from different moments.
//!
//! What is *not* here: figures made from counts (`domain::metrics`), rendered answers (`api`), lists of feedbacks
//! (`store::feedback`), which are not cached.

mod account;
mod check;
mod days;
mod entry;
mod form;
mod refresh;

use store::report::Snapshot;
use store::{Error, Store};
use tokio::sync::{Semaphore, SemaphorePermit};

pub use self::account::{AccountSeries, account_series};
pub use self::check::{CacheDrift, check_months};
pub use self::form::{FormQuery, FormSeries, Found, form_series};
pub use self::refresh::refresh_months;

/// Snapshots that a process reads reports from at once. Each holds a connection, and those who store answers need some too.
static SNAPSHOTS: Semaphore = Semaphore::const_new(8);

/// Where a report came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Cache,
    Database,
}

/// Waits for its turn. Nobody closes the semaphore, so there always is a permit.
async fn snapshot(store: &Store) -> Result<(Snapshot, Option<SemaphorePermit<'static>>), Error> {
    let permit = SNAPSHOTS.acquire().await.ok();
    Ok((store.report_snapshot().await?, permit))
}
