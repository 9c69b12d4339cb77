//! Writes the entries of months that a roll-up changed before a reader asks for them.

use std::collections::BTreeSet;

use domain::month::Month;
use platform::cache::Cache;
use store::form::FormKey;
use store::report::WHOLE;
use store::{Error, Store};

use crate::entry::{Entry, offer};

/// Entries that are written ahead. Of more only those of the whole: an answer may name many business properties.
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
        for entry in Entry::of_form(&mut snapshot, form, bus_prop_id, months).await? {
            let days = snapshot.form_days(form, bus_prop_id, months).await?;
            entries.push(entry.encode(&days));
        }
    }
    drop(snapshot);
    offer(cache, &entries).await;
    Ok(())
}
