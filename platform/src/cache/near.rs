//! Copies of what a server has, in the process that asked for them. Only for those who ask for just one version: a copy of it
//! is right however old it is, and spares the way to the server.

use bytes::Bytes;
use moka::future::Cache;

use super::{CacheKey, Versioned};

/// Keys and values together.
const CAPACITY_BYTES: u64 = 32 << 20;
/// What an entry costs besides its bytes, roughly.
const OVERHEAD_BYTES: usize = 128;

/// Clones are the same.
#[derive(Clone, Debug)]
pub(super) struct Near(Cache<CacheKey, Versioned>);

impl Default for Near {
    fn default() -> Self {
        let weigh = |key: &CacheKey, copy: &Versioned| {
            let bytes = key.as_str().len() + copy.bytes.len() + OVERHEAD_BYTES;
            u32::try_from(bytes).unwrap_or(u32::MAX)
        };
        let cache = Cache::builder().max_capacity(CAPACITY_BYTES).weigher(weigh);
        Self(cache.build())
    }
}

impl Near {
    pub(super) async fn get(&self, key: &CacheKey, version: i64) -> Option<Bytes> {
        let copy = self.0.get(key).await;
        copy.filter(|copy| copy.version == version)
            .map(|copy| copy.bytes)
    }

    /// In place of any other version.
    pub(super) async fn keep(&self, key: &CacheKey, copy: Versioned) {
        self.0.insert(key.clone(), copy).await;
    }
}
