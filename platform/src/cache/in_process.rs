//! The cache of one process: bounded in bytes, each entry with its own time to live.

use std::time::{Duration, Instant};

use bytes::Bytes;
use moka::Expiry;
use moka::future::Cache;
use moka::ops::compute::{CompResult, Op};

use super::{CacheKey, Versioned};

/// Keys and values together.
const CAPACITY_BYTES: u64 = 64 << 20;
/// What an entry costs besides its bytes, roughly.
const OVERHEAD_BYTES: usize = 128;

/// Clones are the same cache.
#[derive(Clone, Debug)]
pub struct InProcess(Cache<CacheKey, Entry>);

#[derive(Clone, Debug)]
struct Entry {
    copy: Versioned,
    ttl: Duration,
}

/// An entry lives its own `ttl` from when it was last set.
struct OwnTtl;

impl Expiry<CacheKey, Entry> for OwnTtl {
    fn expire_after_create(&self, _: &CacheKey, entry: &Entry, _: Instant) -> Option<Duration> {
        Some(entry.ttl)
    }

    fn expire_after_update(
        &self,
        _: &CacheKey,
        entry: &Entry,
        _: Instant,
        _: Option<Duration>,
    ) -> Option<Duration> {
        Some(entry.ttl)
    }
}

impl Default for InProcess {
    fn default() -> Self {
        let weigh = |key: &CacheKey, entry: &Entry| {
            let bytes = key.as_str().len() + entry.copy.bytes.len() + OVERHEAD_BYTES;
            u32::try_from(bytes).unwrap_or(u32::MAX)
        };
        Self(
            Cache::builder()
                .max_capacity(CAPACITY_BYTES)
                .weigher(weigh)
                .expire_after(OwnTtl)
                .build(),
        )
    }
}

impl InProcess {
    pub(super) async fn get(&self, key: &CacheKey) -> Option<Versioned> {
        self.0.get(key).await.map(|entry| entry.copy)
    }

    pub(super) async fn get_many(&self, wanted: &[(CacheKey, i64)]) -> Vec<Option<Bytes>> {
        let mut found = Vec::with_capacity(wanted.len());
        for (key, version) in wanted {
            let copy = self.get(key).await;
            let right = copy.filter(|copy| copy.version == *version);
            found.push(right.map(|copy| copy.bytes));
        }
        found
    }

    pub(super) async fn set_if_newer(
        &self,
        key: &CacheKey,
        copy: Versioned,
        ttl: Duration,
    ) -> bool {
        // One at a time for a key, so that between looking and setting nobody sets.
        let outcome = self
            .0
            .entry_by_ref(key)
            .and_compute_with(|old| {
                let newer = old.is_none_or(|old| old.value().copy.version < copy.version);
                std::future::ready(if newer {
                    Op::Put(Entry { copy, ttl })
                } else {
                    Op::Nop
                })
            })
            .await;
        matches!(
            outcome,
            CompResult::Inserted(_) | CompResult::ReplacedWith(_)
        )
    }
}
