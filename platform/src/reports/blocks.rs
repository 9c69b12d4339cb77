//! Copies of a month of a form's counts, of its whole or of one business property. A copy is right if its version is just the
//! month's, so whoever asks knows the month's version first, and labels what it reads with that of the same moment.

use bytes::Bytes;
use domain::month::Month;
use domain::rollup::month;
use futures::{StreamExt, stream};
use store::form::FormKey;
use store::report::{MonthDays, StoredDelta};

use super::TTL;
use crate::cache::key::CacheKey;
use crate::cache::{Cache, CacheError};

/// Copies that one caller gives the cache at once.
const AT_ONCE: usize = 16;

/// A changed shape needs another kind.
pub(super) fn key(epoch: i64, form: FormKey, bus_prop_id: i64, month: Month) -> CacheKey {
    CacheKey::new(form.account_id, "days.v1")
        .with(epoch)
        .with(form.form_id)
        .with(bus_prop_id)
        .with(month)
}

/// A copy to keep.
pub(super) struct Copy {
    pub key: CacheKey,
    pub version: i64,
    pub bytes: Bytes,
}

impl Copy {
    pub(super) fn of(epoch: i64, form: FormKey, bus_prop_id: i64, block: &MonthDays) -> Self {
        let days = block.days.iter().map(|(day, delta)| (*day, delta));
        Self {
            key: key(epoch, form, bus_prop_id, block.month),
            version: block.version,
            bytes: month::encode(days).into(),
        }
    }

    /// Of a block whose fields nobody has read. `None`: a newer process wrote them.
    pub(super) fn of_stored(
        epoch: i64,
        form: FormKey,
        bus_prop_id: i64,
        block: &MonthDays<StoredDelta>,
    ) -> Option<Self> {
        let days = block.days.iter();
        let days = days.map(|(day, stored)| (*day, stored.counts, stored.fields.as_slice()));
        Some(Self {
            key: key(epoch, form, bus_prop_id, block.month),
            version: block.version,
            bytes: month::encode_stored(days).ok()?.into(),
        })
    }
}

/// Gives the cache copies, of which it keeps those that are newer than its own; ends with the first that it does not take.
pub(super) async fn put(cache: &Cache, copies: Vec<Copy>) -> Result<(), CacheError> {
    let puts = copies.into_iter().map(|copy| async move {
        cache
            .set_if_newer(&copy.key, copy.version, copy.bytes, TTL)
            .await
    });
    let mut puts = stream::iter(puts).buffer_unordered(AT_ONCE);
    while let Some(put) = puts.next().await {
        put?;
    }
    Ok(())
}

/// The same after a read that was answered from the database: whether they are kept is not the reader's trouble.
pub(super) async fn offer(cache: &Cache, copies: Vec<Copy>) {
    if let Err(error) = put(cache, copies).await {
        tracing::debug!(%error, "report not cached");
    }
}
