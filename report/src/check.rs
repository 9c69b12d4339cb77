//! Entries in Redis against the rollups, for `feedback verify`.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use chrono::NaiveDate;
use domain::month::Month;
use domain::rollup::{Delta, Difference};
use platform::Error;
use platform::cache::{Cache, CacheError, CacheKey};
use store::Store;
use store::form::FormKey;

use store::report::Slices;
use tokio::time::sleep;

use crate::entry::{Day, Entry};

/// A number that differs in an entry that would be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheDrift {
    pub bus_prop_id: i64,
    pub day: NaiveDate,
    /// `left` is the entry's. One that cannot be read differs in `unreadable`.
    pub difference: Difference,
}

/// A cache that is slow for a moment is asked this often in all, with a pause in between.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(100);

/// Every number of a form's usable entries that the rollups do not have.
///
/// # Errors
/// The database is unavailable, or the cache does not answer.
pub async fn check_months(
    store: &Store,
    cache: &Cache,
    form: FormKey,
    slices: &Slices,
) -> Result<Vec<CacheDrift>, Error> {
    let (Some(first), Some(last)) = (slices.days.first(), slices.days.last()) else {
        return Ok(Vec::new());
    };
    let months = (Month::of(*first), Month::of(*last));
    let mut drifts = Vec::new();
    for bus_prop_id in slices.bus_prop_ids.iter().copied() {
        let mut snapshot = store.report_snapshot().await?;
        let entries = Entry::of_form(&mut snapshot, form, bus_prop_id, months).await?;
        let mut stored: BTreeMap<Month, Vec<(NaiveDate, Delta)>> = BTreeMap::new();
        for (day, delta) in snapshot.form_days(form, bus_prop_id, months).await? {
            let month = stored.entry(Month::of(day)).or_default();
            month.push((day, delta.decode()?));
        }
        drop(snapshot);
        let keys: Vec<CacheKey> = entries.iter().map(Entry::key).collect();
        for (entry, bytes) in entries.iter().zip(patiently(cache, &keys).await?) {
            let Some(days) = bytes.as_deref().and_then(|bytes| entry.days(bytes)) else {
                continue;
            };
            let stored = stored.remove(&entry.month).unwrap_or_default();
            let drift = |(day, difference)| CacheDrift {
                bus_prop_id,
                day,
                difference,
            };
            match Delta::read_month(entry.month, days) {
                Some(cached) => drifts.extend(differences(cached, stored).map(drift)),
                None => drifts.push(drift((entry.month.first(), unreadable()))),
            }
        }
    }
    Ok(drifts)
}

async fn patiently(cache: &Cache, keys: &[CacheKey]) -> Result<Vec<Option<Bytes>>, CacheError> {
    let mut tries = 1;
    loop {
        match cache.get_many(keys).await {
            Err(_) if tries < TRIES => tries += 1,
            result => return result,
        }
        sleep(PAUSE).await;
    }
}

fn unreadable() -> Difference {
    Difference {
        counter: "unreadable".to_owned(),
        left: 1,
        right: 0,
    }
}

fn differences(
    cached: Vec<(NaiveDate, Delta)>,
    stored: Vec<(NaiveDate, Delta)>,
) -> impl Iterator<Item = (NaiveDate, Difference)> {
    let mut by_day: BTreeMap<NaiveDate, (Delta, Delta)> = BTreeMap::new();
    for (day, delta) in cached {
        by_day.entry(day).or_default().0 = delta;
    }
    for (day, delta) in stored {
        by_day.entry(day).or_default().1 = delta;
    }
    by_day.into_iter().flat_map(|(day, (cached, stored))| {
        let differences = cached.differences(&stored).into_iter();
        differences.map(move |difference| (day, difference))
    })
}
