//! The cache that all processes share, on Redis. An entry is one string: the version in 8 bytes, then the copy.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::io::tcp::TcpSettings;
use redis::{AsyncCommands, Client, IntoConnectionInfo, RedisError, RedisResult, Script};

use super::near::Near;
use super::{CacheError, CacheKey, Versioned};
use crate::config::RedisUrl;

/// Past this the database is the quicker cache.
const ANSWER: Duration = Duration::from_millis(50);
const CONNECT: Duration = Duration::from_secs(1);
/// After a broken connection nobody asks for this long: callers fail at once instead of waiting in a row.
const REST: Duration = Duration::from_millis(100);

/// Keys that one question names at most: an answer to more would take the 50 ms to arrive.
const AT_ONCE: usize = 128;

/// Compares both halves of the version as numbers, since neither is beyond what Lua's doubles hold exactly.
const SET_IF_NEWER: &str = r"
local old = redis.call('GETRANGE', KEYS[1], 0, 7)
if #old == 8 then
  local old_high, old_low = struct.unpack('>I4I4', old)
  local high, low = struct.unpack('>I4I4', ARGV[1])
  if high < old_high or (high == old_high and low <= old_low) then
    return 0
  end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
";

/// A server. Clones share its connection.
#[derive(Clone)]
pub struct Redis {
    connection: ConnectionManager,
    set_if_newer: Arc<Script>,
    rest: Arc<Rest>,
    near: Near,
}

impl Redis {
    /// Begins to connect in the background; a server that is down is found when it is used.
    pub(super) fn open(url: &RedisUrl) -> Result<Self, CacheError> {
        // Many share the connection: a request may not wait until the one before is acknowledged.
        let tcp = TcpSettings::default().set_nodelay(true);
        let server = url.expose().into_connection_info().map_err(unavailable)?;
        let client = Client::open(server.set_tcp_settings(tcp)).map_err(unavailable)?;
        let config = ConnectionManagerConfig::new()
            .set_response_timeout(Some(ANSWER))
            .set_connection_timeout(Some(CONNECT))
            // Each use after a failure is a try, and `REST` spaces them.
            .set_number_of_retries(0);
        let cache = Self {
            connection: ConnectionManager::new_lazy_with_config(client, config)
                .map_err(unavailable)?,
            set_if_newer: Arc::new(Script::new(SET_IF_NEWER)),
            rest: Arc::new(Rest::new()),
            near: Near::default(),
        };
        // The first attempt only goes on while someone waits for it, and callers wait shorter than a connect may take.
        let mut first = cache.connection.clone();
        tokio::spawn(async move {
            if let Err(error) = first.ping::<()>().await {
                tracing::warn!(%error, "the cache is away");
            }
        });
        Ok(cache)
    }

    pub(super) async fn get(&self, key: &CacheKey) -> Result<Option<Versioned>, CacheError> {
        let mut connection = self.connection.clone();
        let found: Option<Vec<u8>> = self.ask(connection.get(key.as_str())).await?;
        Ok(found.and_then(|bytes| decode(bytes.into())))
    }

    pub(super) async fn get_many(&self, wanted: &[(CacheKey, i64)]) -> Vec<Option<Bytes>> {
        let mut found = Vec::with_capacity(wanted.len());
        let mut open = Vec::new();
        for (place, (key, version)) in wanted.iter().enumerate() {
            let near = self.near.get(key, *version).await;
            if near.is_none() {
                open.push(place);
            }
            found.push(near);
        }
        for places in open.chunks(AT_ONCE) {
            let keys: Vec<&str> = places
                .iter()
                .map(|place| wanted[*place].0.as_str())
                .collect();
            let mut connection = self.connection.clone();
            let copies: Vec<Option<Vec<u8>>> = match self.ask(connection.mget(keys)).await {
                Ok(copies) => copies,
                Err(error) => {
                    tracing::debug!(%error, "read without the cache");
                    break;
                }
            };
            for (place, copy) in places.iter().zip(copies) {
                let (key, version) = &wanted[*place];
                let copy = copy.and_then(|bytes| decode(bytes.into()));
                if let Some(copy) = copy.filter(|copy| copy.version == *version) {
                    self.near.keep(key, copy.clone()).await;
                    found[*place] = Some(copy.bytes);
                }
            }
        }
        found
    }

    pub(super) async fn set_if_newer(
        &self,
        key: &CacheKey,
        copy: &Versioned,
        ttl: Duration,
    ) -> Result<bool, CacheError> {
        let ttl = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX >> 1);
        let mut connection = self.connection.clone();
        let mut script = self.set_if_newer.key(key.as_str());
        script.arg(encode(copy)).arg(ttl.max(1));
        self.ask(script.invoke_async(&mut connection)).await
    }

    pub(super) async fn ping(&self) -> Result<(), CacheError> {
        let mut connection = self.connection.clone();
        self.ask(connection.ping()).await
    }

    /// One question; bounded as a whole, since the client library lets callers wait for its reconnect.
    async fn ask<T>(&self, asking: impl Future<Output = RedisResult<T>>) -> Result<T, CacheError> {
        if self.rest.resting() {
            return Err(CacheError::Resting);
        }
        match tokio::time::timeout(ANSWER, asking).await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) if error.is_timeout() => Err(CacheError::TimedOut),
            Ok(Err(error)) => {
                if error.is_unrecoverable_error() || error.is_io_error() {
                    self.rest.begin();
                }
                Err(unavailable(error))
            }
            Err(_elapsed) => Err(CacheError::TimedOut),
        }
    }
}

impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redis").finish_non_exhaustive()
    }
}

fn unavailable(error: RedisError) -> CacheError {
    CacheError::Unavailable(Arc::new(error))
}

/// Until when nobody asks.
struct Rest {
    since: Instant,
    /// Milliseconds after `since`.
    until: AtomicU64,
}

impl Rest {
    fn new() -> Self {
        Self {
            since: Instant::now(),
            until: AtomicU64::new(0),
        }
    }

    fn resting(&self) -> bool {
        self.since.elapsed().as_millis() < u128::from(self.until.load(Ordering::Relaxed))
    }

    fn begin(&self) {
        let until = (self.since.elapsed() + REST).as_millis();
        self.until
            .store(u64::try_from(until).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

/// Big-endian, the sign bit turned: the order of the bytes is the order of the versions.
fn encode(copy: &Versioned) -> Vec<u8> {
    let version = copy.version.cast_unsigned() ^ (1 << 63);
    let mut bytes = Vec::with_capacity(8 + copy.bytes.len());
    bytes.extend_from_slice(&version.to_be_bytes());
    bytes.extend_from_slice(&copy.bytes);
    bytes
}

/// `None`: nothing of ours, as good as nothing.
fn decode(mut bytes: Bytes) -> Option<Versioned> {
    let (version, _) = bytes.split_first_chunk::<8>()?;
    let version = (u64::from_be_bytes(*version) ^ (1 << 63)).cast_signed();
    Some(Versioned {
        version,
        bytes: bytes.split_off(8),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_survive_the_wire_and_sort_by_version() {
        let versions = [i64::MIN, -1, 0, 1, i64::from(u32::MAX), 1 << 53, i64::MAX];
        let encoded: Vec<_> = versions
            .iter()
            .map(|version| {
                encode(&Versioned {
                    version: *version,
                    bytes: Bytes::from_static(b"copy"),
                })
            })
            .collect();
        assert!(encoded.is_sorted());
        for (version, bytes) in versions.iter().zip(encoded) {
            let copy = decode(bytes.into()).unwrap();
            assert_eq!((copy.version, &copy.bytes[..]), (*version, &b"copy"[..]));
        }
    }

    #[test]
    fn what_is_not_ours_is_nothing() {
        assert_eq!(decode(Bytes::from_static(b"1234567")), None);
    }
}
