//! Redis, which all processes share. An entry may be gone at any moment: expired, evicted, or lost with its server.
//! Nothing may depend on one.
//!
//! What is *not* here: what is kept, and whether an entry may be used (the crate `report`).

use std::io;
use std::time::{Duration, Instant};

use bytes::Bytes;
/// Why a cache does not answer. The caller goes to the database instead.
pub use redis::RedisError as CacheError;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::io::tcp::TcpSettings;
use redis::{AsyncCommands, Client, ConnectionAddr, TlsCertificates};
use tokio::sync::watch;

use crate::authorities;
use crate::config::RedisUrl;

/// The time limit of a query, above which the database is faster.
const ANSWER: Duration = Duration::from_millis(50);
const CONNECT: Duration = Duration::from_secs(1);
/// After a failure no query is sent for this long. Callers, who have a snapshot open, fail at once instead of waiting one
/// after the other.
const REST: Duration = Duration::from_millis(100);

/// Keys that one command names at most, half a year of forty forms: an answer to many more would take the 50 ms to arrive.
const AT_ONCE: usize = 256;

/// The cache of a process. Cheap to clone. Where no server is configured it has no entries and keeps none.
#[derive(Clone)]
pub struct Cache(Option<Server>);

/// Clones share its connection.
#[derive(Clone)]
struct Server {
    connection: ConnectionManager,
    /// Until then no query is sent.
    rest_until: watch::Sender<Instant>,
}

impl Cache {
    /// Connects in the background; a server that is down is found when it is used. Needs a tokio runtime.
    ///
    /// # Errors
    /// A URL that cannot be used.
    pub fn open(url: Option<&RedisUrl>) -> Result<Self, CacheError> {
        url.map(Server::open).transpose().map(Self)
    }

    /// Whether there is a server.
    pub fn is_shared(&self) -> bool {
        self.0.is_some()
    }

    /// The entries under these keys, in their order; `None` where there is none. Takes 50 ms at most for 256 keys.
    ///
    /// # Errors
    /// The cache does not answer.
    pub async fn get_many(&self, keys: &[String]) -> Result<Vec<Option<Bytes>>, CacheError> {
        let Some(server) = &self.0 else {
            return Ok(vec![None; keys.len()]);
        };
        let found = async {
            let mut found = Vec::with_capacity(keys.len());
            for keys in keys.chunks(AT_ONCE) {
                let mut connection = server.connection.clone();
                let entries: Vec<Option<Vec<u8>>> = server.ask(connection.mget(keys)).await?;
                found.extend(entries.into_iter().map(|entry| entry.map(Bytes::from)));
            }
            Ok(found)
        };
        let found: Result<Vec<Option<Bytes>>, CacheError> = found.await;
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

    /// Keeps entries for `ttl` (at least a second) in place of those under the same keys. Takes 50 ms at most for 256
    /// entries.
    ///
    /// # Errors
    /// The cache does not answer; entries may have been kept nevertheless.
    pub async fn set_many(
        &self,
        entries: &[(String, Bytes)],
        ttl: Duration,
    ) -> Result<(), CacheError> {
        let Some(server) = &self.0 else { return Ok(()) };
        for entries in entries.chunks(AT_ONCE) {
            let mut sets = redis::pipe();
            for (key, bytes) in entries {
                sets.set_ex(key, &**bytes, ttl.as_secs().max(1)).ignore();
            }
            let mut connection = server.connection.clone();
            server.ask(sets.query_async::<()>(&mut connection)).await?;
        }
        Ok(())
    }

    /// Whether the cache answers: one round trip.
    ///
    /// # Errors
    /// Why not.
    pub async fn ping(&self) -> Result<(), CacheError> {
        let Some(server) = &self.0 else { return Ok(()) };
        server.ask(server.connection.clone().ping()).await
    }
}

impl Server {
    fn open(url: &RedisUrl) -> Result<Self, CacheError> {
        // Many share the connection: a request may not wait until the one before is acknowledged.
        let tcp = TcpSettings::default().set_nodelay(true);
        let server = url.0.clone().set_tcp_settings(tcp);
        let has_tls = matches!(server.addr(), ConnectionAddr::TcpTls { .. });
        let client = match authorities::own() {
            Ok(Some(own)) if has_tls => {
                // What is given takes the place of Mozilla's.
                let root_cert = Some(authorities::with_mozillas(own).into_bytes());
                let client_tls = None;
                Client::build_with_tls(
                    server,
                    TlsCertificates {
                        client_tls,
                        root_cert,
                    },
                )?
            }
            _ => Client::open(server)?,
        };
        let config = ConnectionManagerConfig::new()
            .set_response_timeout(Some(ANSWER))
            .set_connection_timeout(Some(CONNECT))
            // Each use after a failure is a try, and `REST` spaces them.
            .set_number_of_retries(0);
        let connection = ConnectionManager::new_lazy_with_config(client, config)?;
        // The first attempt only goes on while someone waits for it, and callers wait shorter than a connect may take.
        let mut first = connection.clone();
        tokio::spawn(async move {
            if let Err(error) = first.ping::<()>().await {
                tracing::warn!(%error, "the cache is away");
            }
        });
        Ok(Self {
            connection,
            rest_until: watch::Sender::new(Instant::now()),
        })
    }

    /// Sends one query, with a time limit for the whole, because the library lets callers wait for its reconnect.
    async fn ask<T>(
        &self,
        asking: impl Future<Output = Result<T, CacheError>>,
    ) -> Result<T, CacheError> {
        if Instant::now() < *self.rest_until.borrow() {
            return Err(io::Error::other("the cache did not answer a moment ago").into());
        }
        let answer = tokio::time::timeout(ANSWER, asking).await;
        let answer = answer.unwrap_or_else(|late| Err(io::Error::from(late).into()));
        answer.inspect_err(|error| {
            if error.is_unrecoverable_error() || error.is_io_error() {
                self.rest_until.send_replace(Instant::now() + REST);
            }
        })
    }
}
