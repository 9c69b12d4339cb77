//! Reports as data: counts by day and what goes with them, all as of one moment, with the version of the data.
//!
//! Each report opens one snapshot of the database, which also tells at which version each month of the range last changed.
//! If Redis has all of these months at just these versions, their days are taken from there, otherwise they are read in
//! the snapshot. What a report counts is never put together from different moments.
//!
//! What is *not* here: figures made from counts (`domain::metrics`), rendered answers (`api`), lists of feedbacks
//! (`store::report`), which are not cached.

mod account;
mod check;
mod days;
mod entry;
mod form;

use std::sync::LazyLock;

use platform::places::{Place, Places};
use store::{Error, Store, Tx};
use uuid::Uuid;

pub use self::account::{AccountSeries, account_series};
pub use self::check::check_months;
pub use self::entry::refresh_months;
pub use self::form::{
    BusPropDay, BusPropReader, FormLookup, FormQuery, FormSeries, WrittenAnswers, form_series,
    newest_comments, written_answers,
};

/// Snapshots that a process reads reports from at once. Each holds a connection, and those who store answers need some too.
static SNAPSHOTS: LazyLock<Places> = LazyLock::new(|| Places::shared(8, 4));

/// Where a report came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportSource {
    Cache,
    Database,
}

/// Waits for a place for the account.
async fn snapshot(store: &Store, account_id: Uuid) -> Result<(Tx, Option<Place>), Error> {
    let place = SNAPSHOTS.take(account_id).await;
    Ok((store.snapshot().await?, place))
}
