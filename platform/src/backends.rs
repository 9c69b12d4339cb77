//! The only place that chooses a backend: each by the scheme of its URL, once.

use std::future;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use domain::pepper::Pepper;
use store::{Store, Workload};
use tokio_util::sync::CancellationToken;

use crate::away::why;
use crate::cache::Cache;
use crate::config::{Config, ConfigError, PEPPER};
use crate::health::Check;
use crate::oidc::OidcProvider;
use crate::one_line;
use crate::queue::Queue;

/// The database, the queue, the cache, the pepper and the provider of sign-ins of one process. Cheap to clone.
#[derive(Clone)]
pub struct Backends {
    pub store: Store,
    pub queue: Queue,
    pub cache: Cache,
    /// The secret under which phones are hashed. Without it nothing is sent.
    pub pepper: Option<Arc<Pepper>>,
    /// Through whom people sign in, if not with passwords alone.
    pub oidc: Option<Arc<OidcProvider>>,
}

/// Pause before a database that is away is tried again.
const AWAY: Duration = Duration::from_secs(1);

/// Why a pepper is refused: opt-outs under the other one would not be found.
const OTHER_PEPPER: &str = "not the one that hashed the phones in the database; to change it, put the new one before the old one";

/// The database alone, for a process that needs no more.
///
/// # Errors
/// It cannot be reached, or another version made it.
pub async fn open_store(config: &Config, workload: Workload) -> anyhow::Result<Store> {
    let store = connect(config, workload)?;
    if let Err(error) = store.make_schema().await {
        let why = why(config, &error).await;
        return Err(ConfigError::new(config.database_variable, why).into());
    }
    Ok(store)
}

/// As [`open_store`], but never creates a file, so that a mistyped directory is an error and not an empty service.
///
/// # Errors
/// As [`open_store`], or there is no file.
pub async fn open_existing_store(config: &Config, workload: Workload) -> anyhow::Result<Store> {
    match Store::file(config.database.expose()) {
        Ok(Some(file)) if !file.exists() => bail!("there is no database at {}", file.display()),
        _ => open_store(config, workload).await,
    }
}

/// As [`open_store`], but waits for a server that is away, as it is while everything starts at once.
async fn wait_for_store(config: &Config, pepper: Option<&Pepper>) -> anyhow::Result<Store> {
    let store = connect(config, Workload::Requests)?;
    let fingerprints: Vec<String> = pepper.into_iter().flat_map(Pepper::fingerprints).collect();
    let mut logged = String::new();
    loop {
        let accepted = async {
            store.make_schema().await?;
            store.accept_pepper(&fingerprints).await
        };
        let error = match accepted.await {
            Ok(true) => return Ok(store),
            Ok(false) => return Err(ConfigError::new(PEPPER, OTHER_PEPPER).into()),
            Err(error) => error,
        };
        if !error.is_unavailable() || error.is_of_tls() || config.database.is_sqlite() {
            return Err(unusable(config, &error).into());
        }
        let line = why(config, &error).await;
        if line != logged {
            tracing::warn!(error = line, "waiting for the database");
            logged = line;
        }
        tokio::time::sleep(AWAY).await;
    }
}

/// A new pepper would not find who opted out under the one before.
async fn ensure_no_pepper_is_lost(config: &Config) -> anyhow::Result<()> {
    let (Some(pepper), Ok(Some(database))) =
        (config.pepper_file(), Store::file(config.database.expose()))
    else {
        return Ok(());
    };
    if pepper.exists() || !database.exists() {
        return Ok(());
    }
    let store = open_existing_store(config, Workload::Maintenance(1)).await?;
    let known = store.known_pepper().await?;
    store.close().await;
    ensure!(
        known.is_none(),
        "{} is missing, and the phones in {} are hashed under it: put it back from where it is kept, or from a backup, which is a tar \
         archive that has it",
        pepper.display(),
        database.display()
    );
    Ok(())
}

pub(crate) fn connect(config: &Config, workload: Workload) -> Result<Store, ConfigError> {
    if config.database.is_sqlite() {
        config.make_data_dir()?;
    }
    let url = config.database.expose();
    if workload == Workload::Migration && store::pool_mode(url) == Ok(store::PoolMode::Transaction)
    {
        let message = "this needs a session of its own: name the database itself and not the pooler (`feedback migrate` reads \
                       FEEDBACK_MIGRATE_URL)";
        return Err(ConfigError::new(config.database_variable, message));
    }
    let store = Store::connect(url, workload);
    store.map_err(|error| unusable(config, &error))
}

pub(crate) fn unusable(config: &Config, error: &store::Error) -> ConfigError {
    ConfigError::new(config.database_variable, one_line(error))
}

impl Backends {
    /// Opens all three and makes the schema of an empty database. Waits for a database that is away until the `shutdown`, after
    /// which there are none; broker and cache are connected to once they are there.
    ///
    /// # Errors
    /// A setting cannot be used, such as a wrong password.
    pub async fn open(
        config: &Config,
        shutdown: &CancellationToken,
    ) -> anyhow::Result<Option<Self>> {
        ensure_no_pepper_is_lost(config).await?;
        let plain = config.plain_connections();
        if !plain.is_empty() {
            let plain: Vec<_> = plain.iter().map(ToString::to_string).collect();
            let plain = plain.join(", ");
            tracing::warn!("connections to other machines have no TLS: {plain}");
        }
        let pepper = config.pepper()?;
        let provider = |setting| OidcProvider::new(setting, &config.public_url);
        let oidc = config.oidc.clone().map(provider).transpose()?;
        let store = wait_for_store(config, pepper.as_deref());
        let Some(store) = shutdown.run_until_cancelled(store).await else {
            return Ok(None);
        };
        let mut store = store?;
        if let Some(url) = &config.read_url {
            let with_replicas = store.with_replicas(url.expose());
            store = with_replicas
                .map_err(|error| ConfigError::new("DATABASE_READ_URL", one_line(&error)))?;
        }
        Ok(Some(Self {
            store,
            queue: Queue::open(config.amqp_url.as_ref()),
            cache: Cache::open(config.redis_url.as_ref()).context("the cache cannot be used")?,
            pepper,
            oidc: oidc.map(Arc::new),
        }))
    }

    /// The health of all three. Only the database is required: without the broker workers find their chunks in the
    /// database, without the cache reports come from there.
    pub fn checks(&self) -> Vec<Check> {
        let mut checks = vec![
            Check::new("database", self.store.clone(), |store| async move {
                store.ping().await.map_err(|error| error.to_string())
            }),
            Check::new("disk", (), |()| {
                let full = store::is_disk_full();
                future::ready(if full {
                    Err("the disk of the database is full".to_owned())
                } else {
                    Ok(())
                })
            })
            .optional(),
            Check::new("queue", self.queue.clone(), |queue| async move {
                queue.ping().await.map_err(|error| error.to_string())
            })
            .optional(),
            Check::new("cache", self.cache.clone(), |cache| async move {
                cache.ping().await.map_err(|error| error.to_string())
            })
            .optional(),
        ];
        if self.store.has_nodes() {
            let nodes = Check::new("nodes", self.store.clone(), |store| async move {
                let away = store
                    .nodes_away()
                    .await
                    .map_err(|error| error.to_string())?;
                if away.is_empty() {
                    return Ok(());
                }
                Err(format!("no answer from {}", away.join(", ")))
            });
            checks.push(nodes.optional());
        }
        checks
    }
}
