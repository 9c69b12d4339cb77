//! An entry in Redis: the days of a month, of a whole form or of one of its business properties, behind the version at which
//! the month last changed. It may be used if its version equals the month's, whoever wrote it and whenever.

use std::collections::BTreeSet;
use std::time::Duration;

use bytes::Bytes;
use chrono::NaiveDate;
use domain::month::Month;
use domain::rollup::month;
use platform::cache::Cache;
use store::form::FormKey;
use store::report::{Version, WHOLE};
use store::{Error, Store, Tx};

/// The time to live of an entry.
const TTL: Duration = Duration::from_hours(24);

/// Names an entry and the version that it must have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CacheEntry {
    pub form: FormKey,
    pub bus_prop_id: i64,
    pub month: Month,
    pub version: Version,
}

impl CacheEntry {
    /// The entries of the months of a form, from one to another, that have data.
    pub async fn of_form(
        snapshot: &mut Tx,
        form: FormKey,
        bus_prop_id: i64,
        months: (Month, Month),
    ) -> Result<Vec<Self>, Error> {
        let months = snapshot.form_months(form, months).await?.into_iter();
        let entries = months.map(|(month, version)| Self {
            form,
            bus_prop_id,
            month,
            version,
        });
        Ok(entries.collect())
    }

    /// Its name: the account, what is kept and the version of its shape, form, business property and month. The account in braces
    /// is a Redis hash tag: the keys of one account lie on one node of a cluster.
    pub fn key(&self) -> String {
        let (
            FormKey {
                account_id,
                form_id,
            },
            month,
        ) = (self.form, self.month);
        let bus_prop_id = self.bus_prop_id;
        format!("feedback:{{{account_id}}}:days.v3:{form_id}:{bus_prop_id}:{month}")
    }

    /// Decodes a value from Redis, if it is of this version.
    pub fn days<'a>(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        bytes.strip_prefix(&self.prefix())
    }

    /// The entry of these days, whose deltas are encoded.
    pub fn encode(&self, days: &[(NaiveDate, Vec<u8>)]) -> (String, Bytes) {
        let days = month::encode(days.iter().map(|(day, delta)| (*day, delta.as_slice())));
        (self.key(), [&self.prefix()[..], &days].concat().into())
    }

    fn prefix(&self) -> [u8; 16] {
        let Version { number, stamp } = self.version;
        ((u128::from(number.cast_unsigned()) << 64) | u128::from(stamp.cast_unsigned()))
            .to_be_bytes()
    }
}

/// Writes entries before anybody reads them. Errors are ignored.
pub(crate) async fn offer(cache: &Cache, entries: &[(String, Bytes)]) {
    if let Err(error) = cache.set_many(entries, TTL).await {
        tracing::debug!(%error, "counts not cached");
    }
}

/// The most entries that are written ahead. Above it only those of the whole form are, because an answer may name many
/// business properties.
const AHEAD: usize = 16;

/// Writes the entries of the months of a form that a roll-up changed: `bus_prop_id` and month. A cache that is away costs
/// readers a read.
///
/// # Errors
/// The database is unavailable.
pub async fn refresh_months(
    store: &Store,
    cache: &Cache,
    form: FormKey,
    mut touched: BTreeSet<(i64, Month)>,
) -> Result<(), Error> {
    if touched.len() > AHEAD {
        touched.retain(|(bus_prop_id, _)| *bus_prop_id == WHOLE);
    }
    if !cache.is_shared() {
        return Ok(());
    }
    let mut snapshot = store.snapshot().await?;
    let mut entries = Vec::with_capacity(touched.len());
    for (bus_prop_id, month) in touched {
        let months = (month, month);
        for entry in CacheEntry::of_form(&mut snapshot, form, bus_prop_id, months).await? {
            let days = snapshot.form_days(form, bus_prop_id, months).await?;
            entries.push(entry.encode(&days));
        }
    }
    drop(snapshot);
    offer(cache, &entries).await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use domain::rollup::Delta;
    use uuid::Uuid;

    use super::*;

    fn entry(number: i64, stamp: i64) -> CacheEntry {
        CacheEntry {
            form: FormKey::new(Uuid::from_u128(1), Uuid::from_u128(2)),
            bus_prop_id: 3,
            month: Month::of(NaiveDate::default()),
            version: Version { number, stamp },
        }
    }

    #[test]
    fn an_entry_is_of_its_own_version_and_stamp_alone() {
        let (key, bytes) = entry(7, -1).encode(&[]);
        let (account, form) = (Uuid::from_u128(1), Uuid::from_u128(2));
        assert_eq!(
            key,
            format!("feedback:{{{account}}}:days.v3:{form}:3:1970-01")
        );
        let days = entry(7, -1).days(&bytes).unwrap();
        assert_eq!(month::decode::<Delta>(entry(7, -1).month, days), Ok(vec![]));
        for other in [entry(7, 1), entry(8, -1), entry(-1, 7)] {
            assert_eq!(other.key(), key);
            assert_eq!(other.days(&bytes), None, "{other:?}");
        }
        assert_eq!(entry(7, -1).days(b"rubbish"), None);
    }
}
