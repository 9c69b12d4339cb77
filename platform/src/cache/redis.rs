//! The connection to the server.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::io::tcp::TcpSettings;
use redis::{AsyncCommands, Client, IntoConnectionInfo, RedisError, RedisResult};
use tokio::sync::watch;

use super::{CacheError, CacheKey};
use crate::config::RedisUrl;

/// Past this the database is the quicker cache.
const ANSWER: Duration = Duration::from_millis(50);
const CONNECT: Duration = Duration::from_secs(1);
/// After a failure nobody asks for this long: callers fail at once instead of waiting in a row, with a snapshot open.
const REST: Duration = Duration::from_millis(100);

/// Keys that one command names at most: an answer to more would take the 50 ms to arrive.
const AT_ONCE: usize = 128;

/// A server. Clones share its connection.
#[derive(Clone)]
pub(super) struct Redis {
    connection: ConnectionManager,
    /// Until when nobody asks.
    rest_until: watch::Sender<Instant>,
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
            rest_until: watch::Sender::new(Instant::now()),
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

    pub(super) async fn get_many(
        &self,
        keys: &[CacheKey],
    ) -> Result<Vec<Option<Bytes>>, CacheError> {
        let mut found = Vec::with_capacity(keys.len());
        for keys in keys.chunks(AT_ONCE) {
            let keys: Vec<&str> = keys.iter().map(CacheKey::as_str).collect();
            let mut connection = self.connection.clone();
            let entries: Vec<Option<Vec<u8>>> = self.ask(connection.mget(keys)).await?;
            found.extend(entries.into_iter().map(|entry| entry.map(Bytes::from)));
        }
        Ok(found)
    }

    pub(super) async fn set_many(
        &self,
        entries: &[(CacheKey, Bytes)],
        ttl: Duration,
    ) -> Result<(), CacheError> {
        for entries in entries.chunks(AT_ONCE) {
            let mut sets = redis::pipe();
            for (key, bytes) in entries {
                sets.set_ex(key.as_str(), &**bytes, ttl.as_secs().max(1))
                    .ignore();
            }
            let mut connection = self.connection.clone();
            self.ask(sets.query_async::<()>(&mut connection)).await?;
        }
        Ok(())
    }

    pub(super) async fn ping(&self) -> Result<(), CacheError> {
        let mut connection = self.connection.clone();
        self.ask(connection.ping()).await
    }

    /// One question; bounded as a whole, since the client library lets callers wait for its reconnect.
    async fn ask<T>(&self, asking: impl Future<Output = RedisResult<T>>) -> Result<T, CacheError> {
        if Instant::now() < *self.rest_until.borrow() {
            return Err(CacheError::Resting);
        }
        match tokio::time::timeout(ANSWER, asking).await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) if !error.is_timeout() => {
                if error.is_unrecoverable_error() || error.is_io_error() {
                    self.rest();
                }
                Err(unavailable(error))
            }
            _ => {
                self.rest();
                Err(CacheError::TimedOut)
            }
        }
    }

    fn rest(&self) {
        self.rest_until.send_replace(Instant::now() + REST);
    }
}

fn unavailable(error: RedisError) -> CacheError {
    CacheError::Unavailable(Arc::new(error))
}
