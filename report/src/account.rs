//! An account's counts by day: of each of its forms, and of its recipients.

use chrono::{DateTime, NaiveDate, Utc};
use domain::date_range::DateRange;
use domain::month::Month;
use domain::rollup::DayCounts;
use platform::cache::Cache;
use store::Store;
use store::form::FormKey;
use store::report::{FormEntry, Version, WHOLE};
use uuid::Uuid;

use super::{ReportSource, snapshot};
use crate::days::{LoadedDays, days};
use crate::entry::{CacheEntry, offer};

/// The counts of an account on the days of a range, all as of one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountSeries {
    pub version: Version,
    /// The commit time of the last change that is counted; `None` before the first.
    pub as_of: Option<DateTime<Utc>>,
    /// All forms, of every status, in the order of their creation.
    pub forms: Vec<FormEntry>,
    /// Form, day and counts of each whole form. Days without counts may be missing.
    pub days: Vec<(Uuid, NaiveDate, DayCounts)>,
    /// Recipients now stored, by the day of their creation, in order; days without any may be missing.
    pub recipients: Vec<(NaiveDate, i64)>,
    pub source: ReportSource,
}

/// The counts of an account.
///
/// # Errors
/// The database is unavailable: without it nobody knows which entries of the cache may be used.
pub async fn account_series(
    store: &Store,
    cache: &Cache,
    account_id: Uuid,
    range: DateRange,
) -> Result<AccountSeries, store::Error> {
    let (mut snapshot, place) = snapshot(store, account_id).await?;
    let head = snapshot.account_head(account_id).await?;
    let recipients = snapshot.recipient_days(account_id, range).await?;
    let months = (Month::of(range.start()), Month::of(range.end()));
    let versions = snapshot.account_months(account_id, months).await?;
    let entry = |(form_id, month, version)| CacheEntry {
        form: FormKey::new(account_id, form_id),
        bus_prop_id: WHOLE,
        month,
        version,
    };
    let entries: Vec<CacheEntry> = versions.into_iter().map(entry).collect();
    let read = async || snapshot.account_days(account_id, months).await;
    let LoadedDays {
        items: mut days,
        source,
        missing,
    } = days::<DayCounts>(cache, &entries, read).await?;
    drop((snapshot, place));
    offer(cache, &missing).await;
    days.retain(|(_, day, _)| range.contains(*day));
    Ok(AccountSeries {
        version: head.version,
        as_of: head.as_of,
        forms: head.forms,
        days,
        recipients,
        source,
    })
}
