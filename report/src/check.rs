//! Entries in Redis against the rollups, for `feedback verify`.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Context;
use chrono::NaiveDate;
use domain::month::Month;
use domain::rollup::{DecodeCounts, Delta, month};
use platform::cache::Cache;
use store::Store;
use store::form::FormKey;
use store::report::{Drift, Slices};
use tokio::time::sleep;

use crate::entry::CacheEntry;

/// How often a cache that does not answer is asked, with a pause in between.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(100);

/// Every number by which usable entries of a form differ from the rollups: `stored` is the entry's, `recomputed` the
/// rollup's. An entry that cannot be read differs in `unreadable`.
///
/// # Errors
/// The database is unavailable, or the cache does not answer.
pub async fn check_months(
    store: &Store,
    cache: &Cache,
    form: FormKey,
    slices: &Slices,
) -> anyhow::Result<Vec<Drift>> {
    let (Some(first), Some(last)) = (slices.days.first(), slices.days.last()) else {
        return Ok(Vec::new());
    };
    let months = (Month::of(*first), Month::of(*last));
    let mut drifts = Vec::new();
    for bus_prop_id in slices.bus_prop_ids.iter().copied() {
        let drift = |day, (counter, found): (String, _)| Drift {
            part: Some(bus_prop_id.to_string()),
            day: Some(day),
            ..Drift::new("cache", form.form_id, &counter, found)
        };
        let mut snapshot = store.snapshot().await?;
        let entries = CacheEntry::of_form(&mut snapshot, form, bus_prop_id, months).await?;
        let mut stored: BTreeMap<NaiveDate, Delta> = BTreeMap::new();
        for (day, delta) in snapshot.form_days(form, bus_prop_id, months).await? {
            stored.insert(day, Delta::decode(&delta)?);
        }
        drop(snapshot);
        let keys: Vec<String> = entries.iter().map(CacheEntry::key).collect();
        let mut tries = 1;
        let bytes = loop {
            match cache.get_many(&keys).await {
                Err(_) if tries < TRIES => tries += 1,
                bytes => break bytes.context("the cache cannot be used")?,
            }
            sleep(PAUSE).await;
        };
        for (entry, bytes) in entries.iter().zip(bytes) {
            let Some(days) = bytes.as_deref().and_then(|bytes| entry.days(bytes)) else {
                continue;
            };
            let Ok(cached) = month::decode::<Delta>(entry.month, days) else {
                let unreadable = ("unreadable".to_owned(), (1, 0));
                drifts.push(drift(entry.month.first(), unreadable));
                continue;
            };
            let mut cached = BTreeMap::from_iter(cached);
            for (day, stored) in stored.range(entry.month.first()..=entry.month.last()) {
                let cached = cached.remove(day).unwrap_or_default();
                let differences = cached.differences(stored).into_iter();
                drifts.extend(differences.map(|difference| drift(*day, difference)));
            }
            for (day, cached) in cached {
                let differences = cached.differences(&Delta::default()).into_iter();
                drifts.extend(differences.map(|difference| drift(day, difference)));
            }
        }
    }
    Ok(drifts)
}
