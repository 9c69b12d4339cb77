//! The only place that chooses a backend: each by the scheme of its URL, once.

use store::Store;

use crate::Error;
use crate::cache::Cache;
use crate::config::{Config, DatabaseUrl};
use crate::ops::Check;
use crate::queue::Queue;

/// The database, the queue and the cache of one process. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Backends {
    pub store: Store,
    pub queue: Queue,
    pub cache: Cache,
}

/// Connections to the database that one process opens at most.
const CONNECTIONS: u32 = 24;

/// The database alone, for a process that needs no more; at most `connections` at once.
///
/// # Errors
/// It cannot be reached, or another version made it.
pub async fn open_store(config: &Config, connections: u32) -> Result<Store, Error> {
    if let DatabaseUrl::Sqlite(_) = config.database {
        config.make_data_dir()?;
    }
    let store = Store::connect(config.database_url(), connections)?;
    store.make_schema().await?;
    Ok(store)
}

/// As [`open_store`], but never makes a file: a mistyped folder is not a service with nothing stored.
///
/// # Errors
/// As [`open_store`], or there is no file.
pub async fn open_existing_store(config: &Config, connections: u32) -> Result<Store, Error> {
    match Store::file(config.database_url())? {
        Some(file) if !file.exists() => Err(Error::NoDatabase(file)),
        _ => open_store(config, connections).await,
    }
}

impl Backends {
    /// Opens all three and makes the schema of an empty database. A broker or cache that is down is no error: they are
    /// connected to when they are there.
    ///
    /// # Errors
    /// The database cannot be reached, or a URL cannot be used.
    pub async fn open(config: &Config) -> Result<Self, Error> {
        Ok(Self {
            store: open_store(config, CONNECTIONS).await?,
            queue: Queue::open(config.amqp_url.as_ref())?,
            cache: Cache::open(config.redis_url.as_ref())?,
        })
    }

    /// The health of all three. Only the database is required: without the broker chunks wait in the ledger for the
    /// workers' own look, without the cache reports come from the database.
    pub fn checks(&self) -> Vec<Check> {
        let (store, queue, cache) = (self.store.clone(), self.queue.clone(), self.cache.clone());
        vec![
            Check::required("database", move || {
                let store = store.clone();
                async move { store.ping().await.map_err(|error| error.to_string()) }
            }),
            Check::optional("queue", move || {
                let queue = queue.clone();
                async move { queue.ping().await.map_err(|error| error.to_string()) }
            }),
            Check::optional("cache", move || {
                let cache = cache.clone();
                async move { cache.ping().await.map_err(|error| error.to_string()) }
            }),
        ]
    }
}
