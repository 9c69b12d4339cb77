//! An account's recipients by day.

use bytes::Bytes;
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use store::Store;
use store::series::RecipientSeries;
use uuid::Uuid;

use super::{Source, TTL};
use crate::cache::key::CacheKey;
use crate::cache::{Cache, CacheError};

/// The series as the cache keeps it. A changed shape needs another cache key.
#[derive(Serialize, Deserialize)]
struct Block {
    as_of: Option<DateTime<Utc>>,
    days: Vec<(NaiveDate, i64)>,
}

fn key(account_id: Uuid) -> CacheKey {
    CacheKey::new(account_id, "recipients.v1")
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
    let block = Block {
        as_of: series.as_of,
        days: series.days.clone(),
    };
    // Dates and numbers always serialise.
    let Ok(bytes) = serde_json::to_vec(&block) else {
        return Ok(());
    };
    cache
        .set_if_newer(&key(account_id), series.version, Bytes::from(bytes), TTL)
        .await
        .map(drop)
}

/// An account's recipients by day, never older than the database's version at the time of the call.
///
/// # Errors
/// The database is unavailable: without it no copy can be checked.
pub async fn recipient_series(
    store: &Store,
    cache: &Cache,
    account_id: Uuid,
) -> Result<(RecipientSeries, Source), store::Error> {
    let version = store.recipient_version(account_id).await?;
    match cache.get(&key(account_id)).await {
        Ok(Some(copy)) if copy.version >= version => {
            if let Ok(block) = serde_json::from_slice::<Block>(&copy.bytes) {
                let series = RecipientSeries {
                    epoch: 1,
                    version: copy.version,
                    as_of: block.as_of,
                    days: block.days,
                };
                return Ok((series, Source::Cache));
            }
        }
        Ok(_) => {}
        Err(error) => tracing::debug!(%error, "report read without the cache"),
    }
    let series = store.recipient_series(account_id).await?;
    if let Err(error) = put_recipient_series(cache, account_id, &series).await {
        tracing::debug!(%error, "report not cached");
    }
    Ok((series, Source::Database))
}
