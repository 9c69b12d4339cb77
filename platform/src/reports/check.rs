//! Copies in the cache against what they are copies of, for those who verify.

use std::collections::BTreeMap;

use bytes::Bytes;
use chrono::NaiveDate;
use domain::month::Month;
use domain::rollup::{Delta, Difference, month};
use futures::{StreamExt, TryStreamExt, stream};
use store::Store;
use store::form::FormKey;
use store::report::Slices;
use uuid::Uuid;

use super::{blocks, recipients};
use crate::Error;
use crate::cache::{Cache, CacheError, CacheKey};

/// A number that a copy has and what it is a copy of has not, though the copy would be believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheDrift {
    pub bus_prop_id: i64,
    pub day: NaiveDate,
    /// `left` is the copy's. A copy that cannot be read differs in `unreadable`.
    pub difference: Difference,
}

/// Who verifies has more time than a report: a cache that is slow for a moment is asked again, so often in all.
const TRIES: u32 = 20;
/// Copies asked for at once.
const AT_ONCE: usize = 16;

/// Every number of a form's believed copies that the rollups have not.
///
/// # Errors
/// The database is unavailable, or the cache does not answer.
pub async fn check_months(
    store: &Store,
    cache: &Cache,
    form: FormKey,
    slices: &Slices,
) -> Result<Vec<CacheDrift>, Error> {
    let mut drifts = Vec::new();
    for bus_prop_id in &slices.bus_prop_ids {
        let months = slices
            .days
            .iter()
            .map(|day| (*bus_prop_id, Month::of(*day)));
        // The versions come before the copies: a copy of one of them cannot know more than was read.
        let read = store.form_blocks(form, &months.collect()).await?;
        let asking = read.blocks.iter().map(|(id, block)| {
            let key = blocks::key(read.epoch, form, *id, block.month);
            async move { believed(cache, &key, block.version).await }
        });
        let copies: Vec<_> = stream::iter(asking).buffered(AT_ONCE).try_collect().await?;
        for ((_, block), bytes) in read.blocks.iter().zip(copies) {
            let Some(bytes) = bytes else { continue };
            let drift = |(day, difference)| CacheDrift {
                bus_prop_id: *bus_prop_id,
                day,
                difference,
            };
            match month::decode(block.month, &bytes) {
                Ok(copy) => drifts.extend(differences(&copy, &block.days).map(drift)),
                Err(_) => drifts.push(drift((block.month.first(), unreadable()))),
            }
        }
    }
    Ok(drifts)
}

/// The copy of just this version, if the cache has one.
async fn believed(
    cache: &Cache,
    key: &CacheKey,
    version: i64,
) -> Result<Option<Bytes>, CacheError> {
    let mut tries = 1;
    loop {
        match cache.get(key).await {
            Ok(found) => {
                let same = found.filter(|copy| copy.version == version);
                return Ok(same.map(|copy| copy.bytes));
            }
            Err(error) if tries == TRIES => return Err(error),
            Err(_) => tries += 1,
        }
    }
}

/// The same of an account's recipients.
///
/// # Errors
/// See [`check_months`].
pub async fn check_recipient_days(
    store: &Store,
    cache: &Cache,
    account_id: Uuid,
) -> Result<Vec<(NaiveDate, Difference)>, Error> {
    let series = store.recipient_series(account_id).await?;
    let key = recipients::key(series.epoch, account_id);
    let Some(bytes) = believed(cache, &key, series.version).await? else {
        return Ok(Vec::new());
    };
    let Some(days) = recipients::days(&bytes) else {
        let day = series.days.first().map(|(day, _)| *day).unwrap_or_default();
        return Ok(vec![(day, unreadable())]);
    };
    let mut by_day: BTreeMap<NaiveDate, (i64, i64)> = BTreeMap::new();
    for (day, recipients) in days {
        by_day.entry(day).or_default().0 = recipients;
    }
    for (day, recipients) in series.days {
        by_day.entry(day).or_default().1 = recipients;
    }
    let different = by_day
        .into_iter()
        .filter(|(_, (left, right))| left != right);
    let drifts = different.map(|(day, (left, right))| {
        let counter = "recipients".to_owned();
        let difference = Difference {
            counter,
            left,
            right,
        };
        (day, difference)
    });
    Ok(drifts.collect())
}

fn unreadable() -> Difference {
    Difference {
        counter: "unreadable".to_owned(),
        left: 1,
        right: 0,
    }
}

fn differences(
    copy: &[(NaiveDate, Delta)],
    stored: &[(NaiveDate, Delta)],
) -> impl Iterator<Item = (NaiveDate, Difference)> {
    let mut by_day: BTreeMap<NaiveDate, (Delta, Delta)> = BTreeMap::new();
    for (day, delta) in copy {
        by_day.entry(*day).or_default().0 = delta.clone();
    }
    for (day, delta) in stored {
        by_day.entry(*day).or_default().1 = delta.clone();
    }
    by_day.into_iter().flat_map(|(day, (copy, stored))| {
        let differences = copy.differences(&stored).into_iter();
        differences.map(move |difference| (day, difference))
    })
}
