//! An account's recipients by day.

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use store::report::RecipientSeries;
use uuid::Uuid;

use super::blocks::{self, Copy};
use crate::cache::key::CacheKey;
use crate::cache::{Cache, CacheError};

/// The series as the cache keeps it. A changed shape needs another cache key.
#[derive(Serialize, Deserialize)]
struct Block {
    as_of: Option<DateTime<Utc>>,
    days: Vec<(NaiveDate, i64)>,
}

pub(super) fn key(epoch: i64, account_id: Uuid) -> CacheKey {
    CacheKey::new(account_id, "recipients.v2").with(epoch)
}

/// A series as the cache keeps it.
pub(super) fn copy(account_id: Uuid, series: &RecipientSeries) -> Option<Copy> {
    let block = Block {
        as_of: series.as_of,
        days: series.days.clone(),
    };
    // Dates and numbers always serialise.
    let bytes = serde_json::to_vec(&block).ok()?;
    Some(Copy {
        key: key(series.epoch, account_id),
        version: series.version,
        bytes: bytes.into(),
    })
}

/// The days of a copy.
pub(super) fn days(bytes: &[u8]) -> Option<Vec<(NaiveDate, i64)>> {
    let block: Block = serde_json::from_slice(bytes).ok()?;
    Some(block.days)
}

/// Gives the cache a series, which it keeps if it has none as new.
///
/// # Errors
/// The cache is away.
pub async fn put_recipient_series(
    cache: &Cache,
    account_id: Uuid,
    series: &RecipientSeries,
) -> Result<(), CacheError> {
    blocks::put(cache, copy(account_id, series).into_iter().collect()).await
}
