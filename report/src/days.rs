//! The days of a range's months: from Redis if it has all of them, otherwise from the database.

use std::collections::BTreeMap;
use std::iter::repeat;

use bytes::Bytes;
use chrono::NaiveDate;
use domain::month::Month;
use domain::rollup::{DecodeCounts, month};
use platform::cache::Cache;
use store::Error;
use uuid::Uuid;

use super::ReportSource;
use crate::entry::CacheEntry;

/// Above this many entries the database is read at once, because entries would take longer to arrive than rows.
const MOST: usize = 2_048;

/// Days of some months.
pub(crate) struct LoadedDays<T> {
    /// Form, day and counts, in the order of the months that were asked for.
    pub items: Vec<(Uuid, NaiveDate, T)>,
    pub source: ReportSource,
    /// Entries that Redis lacks.
    pub missing: Vec<(String, Bytes)>,
}

/// The days of these months. `read` reads them, those of a form in order and their deltas encoded, in the snapshot that the
/// versions are of.
pub(crate) async fn days<T: DecodeCounts>(
    cache: &Cache,
    months: &[CacheEntry],
    read: impl AsyncFnOnce() -> Result<Vec<(Uuid, NaiveDate, Vec<u8>)>, Error>,
) -> Result<LoadedDays<T>, Error> {
    let found = read_months(cache, months).await;
    let answered = found.is_some();
    let found = found.unwrap_or_default().into_iter().chain(repeat(None));
    let cached = months.iter().zip(found).map(|(entry, bytes)| {
        // Entries of other versions of the service are ignored.
        let days = month::decode::<T>(entry.month, entry.days(&bytes?)?).ok()?;
        let days = days.into_iter();
        Some(days.map(|(day, counts)| (entry.form.form_id, day, counts)))
    });
    let cached: Vec<_> = cached.collect();
    if !cached.is_empty() && cached.iter().all(Option::is_some) {
        return Ok(LoadedDays {
            items: cached.into_iter().flatten().flatten().collect(),
            source: ReportSource::Cache,
            missing: Vec::new(),
        });
    }
    let mut stored = BTreeMap::<_, Vec<_>>::new();
    for (form_id, day, delta) in read().await? {
        let month = stored.entry((form_id, Month::of(day))).or_default();
        month.push((day, delta));
    }
    let mut read = LoadedDays {
        items: Vec::new(),
        source: ReportSource::Database,
        missing: Vec::new(),
    };
    for (entry, cached) in months.iter().zip(cached) {
        let form_id = entry.form.form_id;
        let days = stored.remove(&(form_id, entry.month)).unwrap_or_default();
        if answered && cached.is_none() {
            read.missing.push(entry.encode(&days));
        }
        for (day, delta) in days {
            read.items.push((form_id, day, T::decode(&delta)?));
        }
    }
    Ok(read)
}

/// The values of the entries in Redis. `None`: Redis was not asked, or does not answer.
async fn read_months(cache: &Cache, months: &[CacheEntry]) -> Option<Vec<Option<Bytes>>> {
    if !cache.is_shared() || months.len() > MOST {
        return None;
    }
    let keys: Vec<String> = months.iter().map(CacheEntry::key).collect();
    let found = cache.get_many(&keys).await;
    found
        .inspect_err(|error| tracing::debug!(%error, "read without the cache"))
        .ok()
}
