//! Redis, which all processes share. An entry may be gone at any moment: expired, evicted, or lost with its server.
//! Nothing may depend on one.
//!
//! What is *not* here: what is kept, and whether an entry may be used (the crate `report`).

pub mod key;
mod redis;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

pub use self::key::CacheKey;
use self::redis::Redis;
use crate::config::RedisUrl;

/// A cache that does not answer. The caller goes to the database instead.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CacheError {
    /// Not reachable, or out of memory, or not a cache of ours.
    #[error("the cache cannot be used")]
    Unavailable(#[source] Arc<dyn Error + Send + Sync>),
    /// Slower than asking the database.
    #[error("the cache did not answer within 50 ms")]
    TimedOut,
    /// It did not answer a moment ago and is not asked again yet.
    #[error("the cache did not answer a moment ago")]
    Resting,
}

/// The cache of a process. Cheap to clone. Where no server is configured it has no entries and keeps none.
#[derive(Clone)]
pub struct Cache(Option<Redis>);

impl Cache {
    /// Connects in the background. Needs a tokio runtime.
    ///
    /// # Errors
    /// A URL that cannot be used. A server that is down is no error.
    pub fn open(url: Option<&RedisUrl>) -> Result<Self, CacheError> {
        url.map(Redis::open).transpose().map(Self)
    }

    /// Whether there is a server.
    pub fn is_shared(&self) -> bool {
        self.0.is_some()
    }

    /// The entries under these keys, in their order; `None` where there is none. Takes 50 ms at most for 128 keys.
    ///
    /// # Errors
    /// The cache does not answer.
    pub async fn get_many(&self, keys: &[CacheKey]) -> Result<Vec<Option<Bytes>>, CacheError> {
        let Some(redis) = &self.0 else {
            return Ok(vec![None; keys.len()]);
        };
        let found = redis.get_many(keys).await;
        let count = |outcome: &'static str, gets: usize| {
            metrics::counter!("feedback_cache_gets_total", "outcome" => outcome)
                .increment(gets as u64);
        };
        match &found {
            Ok(entries) => {
                let hits = entries.iter().flatten().count();
                count("hit", hits);
                count("miss", entries.len() - hits);
            }
            Err(_) => count("error", keys.len()),
        }
        found
    }

    /// Keeps entries for `ttl` (at least a second) in place of those under the same keys. Takes 50 ms at most for 128
    /// entries.
    ///
    /// # Errors
    /// The cache does not answer; entries may have been kept nevertheless.
    pub async fn set_many(
        &self,
        entries: &[(CacheKey, Bytes)],
        ttl: Duration,
    ) -> Result<(), CacheError> {
        match &self.0 {
            Some(redis) => redis.set_many(entries, ttl).await,
            None => Ok(()),
        }
    }

    /// Whether the cache answers: one round trip.
    ///
    /// # Errors
    /// Why not.
    pub async fn ping(&self) -> Result<(), CacheError> {
        match &self.0 {
            Some(redis) => redis.ping().await,
            None => Ok(()),
        }
    }
}
