//! Disposable copies of what the database knows, each under a version that never goes back while it lives.
//!
//! An entry may be gone at any moment: expired, pushed out, or lost with its server. Nothing may depend on one.
//! `tests/conformance` holds both backends to the same rules.
//!
//! What is *not* here: what is kept and whether a copy is new enough (`reports`).

pub mod in_process;
pub mod key;
mod near;
pub mod redis;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

pub use self::key::CacheKey;
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

/// A copy, and the version of the data it was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Versioned {
    pub version: i64,
    pub bytes: Bytes,
}

/// The cache of a process. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Cache {
    InProcess(in_process::InProcess),
    Redis(redis::Redis),
}

impl Cache {
    /// A cache in process, or on a server if there is a URL; connects in the background. Wants a tokio runtime.
    ///
    /// # Errors
    /// A URL that cannot be used. A server that is down is no error.
    pub fn open(url: Option<&RedisUrl>) -> Result<Self, CacheError> {
        Ok(match url {
            None => Self::InProcess(in_process::InProcess::default()),
            Some(url) => Self::Redis(redis::Redis::open(url)?),
        })
    }

    /// The copy under a key, if there is one. Takes 50 ms at most.
    ///
    /// # Errors
    /// The cache does not answer.
    pub async fn get(&self, key: &CacheKey) -> Result<Option<Versioned>, CacheError> {
        let result = match self {
            Self::InProcess(cache) => Ok(cache.get(key).await),
            Self::Redis(cache) => cache.get(key).await,
        };
        let outcome = match &result {
            Ok(Some(_)) => "hit",
            Ok(None) => "miss",
            Err(_) => "error",
        };
        metrics::counter!("feedback_cache_gets_total", "outcome" => outcome).increment(1);
        result
    }

    /// The copies under these keys that have just the version given, in their order. What the cache has not, or in another
    /// version, or does not tell within 50 ms, is `None`. A copy that is right may come from this process.
    pub async fn get_many(&self, wanted: &[(CacheKey, i64)]) -> Vec<Option<Bytes>> {
        let found = match self {
            Self::InProcess(cache) => cache.get_many(wanted).await,
            Self::Redis(cache) => cache.get_many(wanted).await,
        };
        let hits = found.iter().flatten().count();
        for (outcome, gets) in [("hit", hits), ("miss", found.len() - hits)] {
            metrics::counter!("feedback_cache_gets_total", "outcome" => outcome)
                .increment(gets as u64);
        }
        found
    }

    /// Whether other processes have the same copies.
    pub fn is_shared(&self) -> bool {
        matches!(self, Self::Redis(_))
    }

    /// Keeps a copy for `ttl` (at least 1 ms), unless there is one of this version or a newer one. Whether it was
    /// kept. Takes 50 ms at most.
    ///
    /// # Errors
    /// The cache does not answer; the copy may have been kept nevertheless.
    pub async fn set_if_newer(
        &self,
        key: &CacheKey,
        version: i64,
        bytes: Bytes,
        ttl: Duration,
    ) -> Result<bool, CacheError> {
        let ttl = ttl.max(Duration::from_millis(1));
        let copy = Versioned { version, bytes };
        match self {
            Self::InProcess(cache) => Ok(cache.set_if_newer(key, copy, ttl).await),
            Self::Redis(cache) => cache.set_if_newer(key, &copy, ttl).await,
        }
    }

    /// Whether the cache answers: one round trip.
    ///
    /// # Errors
    /// Why not.
    pub async fn ping(&self) -> Result<(), CacheError> {
        match self {
            Self::InProcess(_) => Ok(()),
            Self::Redis(cache) => cache.ping().await,
        }
    }
}
