//! An account's counts by day: of each of its forms, and of its recipients.

use chrono::{DateTime, NaiveDate, Utc};
use domain::date_range::DateRange;
use domain::form::FormStatus;
use domain::rollup::DayCounts;
use store::Store;
use store::report::Version;
use uuid::Uuid;

use super::Source;
use crate::cache::Cache;

/// The counts of an account on the days of a range, all as of one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountSeries {
    pub version: Version,
    /// The commit time of the last change that is counted; `None` before the first.
    pub as_of: Option<DateTime<Utc>>,
    /// All forms, of every status, in the order of their making.
    pub forms: Vec<FormDays>,
    /// Recipients now stored, by the day of their creation, in order; days without any may be missing.
    pub recipients: Vec<(NaiveDate, i64)>,
    pub source: Source,
}

/// One form of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormDays {
    pub form_id: Uuid,
    pub title: String,
    pub status: FormStatus,
    /// Of the whole, in order; days on which nothing was counted may be missing.
    pub days: Vec<(NaiveDate, DayCounts)>,
}

/// The counts of an account.
///
/// # Errors
/// The database is unavailable: without it no copy can be checked.
pub async fn account_series(
    store: &Store,
    _cache: &Cache,
    account_id: Uuid,
    range: DateRange,
) -> Result<AccountSeries, store::Error> {
    let mut read = store
        .account_days(account_id, range, |_, _, _| true, None)
        .await?;
    let recipients = read
        .recipients
        .map(|series| series.days)
        .unwrap_or_default();
    let forms = read.head.forms.into_iter().map(|form| {
        let months = read.read.remove(&form.form_id).unwrap_or_default();
        let days = months.into_iter().flat_map(|month| month.days);
        let days = days.filter(|(day, _)| range.contains(*day));
        FormDays {
            form_id: form.form_id,
            title: form.title,
            status: form.status,
            days: days.map(|(day, delta)| (day, delta.counts)).collect(),
        }
    });
    Ok(AccountSeries {
        version: read.head.version,
        as_of: read.head.as_of,
        forms: forms.collect(),
        recipients: recipients
            .into_iter()
            .filter(|(day, _)| range.contains(*day))
            .collect(),
        source: Source::Database,
    })
}
