//! The settings: read once at the start, checked, and never looked up again.
//!
//! [`Args`] holds the flags and variables as text, [`Config`] their checked values. Clap does not parse the values
//! itself, because its errors span several lines and quote them: a URL may hold a password.

mod args;
mod memory;
mod oidc;
mod proxies;
mod sending;
mod tls;
mod url;

use std::fs::DirBuilder;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use domain::pepper::Pepper;
use sender::setting::Setting;

pub use self::args::{Args, of_file, variable};
pub use self::memory::{MemoryParts, PoolPart};
pub use self::oidc::OidcSetting;
pub use self::proxies::TrustedProxies;
pub(crate) use self::sending::PEPPER;
pub use self::sending::write_private;
pub use self::tls::{PlainConnection, TlsFiles};
pub use self::url::{AmqpUrl, DatabaseUrl, PublicUrl, RedisUrl};

const DATA_DIR: &str = "FEEDBACK_DATA_DIR";
const MEMORY: &str = "FEEDBACK_MEMORY";

/// A setting that cannot be used: one line that begins with its variable and holds no secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{variable}: {reason}")]
pub struct ConfigError {
    /// As in the environment, such as `DATABASE_URL`.
    pub variable: &'static str,
    pub reason: String,
}

impl ConfigError {
    pub fn new(variable: &'static str, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { variable, reason }
    }
}

/// Which processes a configuration must hold for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessRole {
    /// The whole service in one process: everything may be embedded.
    Serve,
    /// One of several processes: an in-process queue would reach no worker.
    Api,
    /// One of several processes: no api would reach it through an in-process queue.
    Worker,
}

/// The checked settings of one process.
#[derive(Clone)]
pub struct Config {
    /// Where the service answers.
    pub listen: SocketAddr,
    /// Where the detailed `/health/ready` and `/metrics` answer, which may be `listen`; `None`: nowhere.
    pub ops_listen: Option<SocketAddr>,
    /// The certificate of `listen`; `None`: it is plain.
    pub tls: Option<TlsFiles>,
    /// How long after the signal to end new requests are still taken, so that proxies can notice first.
    pub drain: Duration,
    /// The directory of the embedded database and of `first-key.json`.
    pub data_dir: PathBuf,
    pub database: DatabaseUrl,
    /// The variable that says where the database is.
    pub database_variable: &'static str,
    /// Standbys of the database that answer what only reads; `None`: there are none.
    pub read_url: Option<DatabaseUrl>,
    /// The same database as a role that may change its schema; `None`: the service's own may.
    pub migrate_url: Option<DatabaseUrl>,
    /// `None`: the queue is in process.
    pub amqp_url: Option<AmqpUrl>,
    /// `None`: the cache is in process.
    pub redis_url: Option<RedisUrl>,
    /// What links to forms begin with.
    pub public_url: PublicUrl,
    /// API requests a second of one key, bursts of 10 seconds' worth; `None`: no limit.
    pub key_rate: Option<NonZeroU32>,
    /// Public requests a second of one known link, likewise.
    pub link_rate: Option<NonZeroU32>,
    /// Unknown tokens, unknown keys and refused submissions a second of one address, likewise.
    pub address_rate: Option<NonZeroU32>,
    /// Answers an hour of one address to one link; `None`: no limit.
    pub address_answers: Option<NonZeroU32>,
    /// How long somebody stays signed in to the dashboard who does nothing.
    pub session_idle: TimeDelta,
    /// Through whom people sign in; `None`: with passwords alone.
    pub oidc: Option<Arc<OidcSetting>>,
    /// The URI under which weaknesses are reported; `None`: nobody is told.
    pub security_contact: Option<String>,
    /// Networks that may name the caller's address.
    pub trusted_proxies: TrustedProxies,
    /// Open connections; `None`: by the limit of descriptors.
    pub connections: Option<usize>,
    /// Open connections of one address; `None`: a quarter.
    pub address_connections: Option<usize>,
    /// Decoded bytes of one import.
    pub max_body: u64,
    /// Records of one import.
    pub max_records: u64,
    /// The directory of the temporary files of spreadsheets, which have no names.
    pub tmp_dir: PathBuf,
    /// The sizes of all pools and caches.
    pub memory: MemoryParts,
    /// No connection may leave this machine without TLS.
    pub(crate) requires_tls: bool,
    /// Who carries messages.
    pub senders: Arc<[Setting]>,
    given_pepper: Option<Arc<Pepper>>,
    /// `None`: hooks have keys of the pepper.
    hook_secrets: Option<Pepper>,
    /// Without a pepper in the settings one is kept in the data directory.
    keeps_pepper: bool,
}

impl Config {
    /// The same settings with another database: `variable` is what names it, by a URL or as `@FILE`.
    ///
    /// # Errors
    /// It names none, or one without TLS where that is required.
    pub fn with_database(&self, variable: &'static str, url: &str) -> Result<Self, ConfigError> {
        let database = args::read(variable, Some(url.to_owned()), DatabaseUrl::parse)?;
        let config = Self {
            database: database.ok_or_else(|| ConfigError::new(variable, "empty"))?,
            database_variable: variable,
            migrate_url: None,
            read_url: None,
            ..self.clone()
        };
        config.with_tls_where_required()
    }

    /// The same settings with an embedded database in this file.
    ///
    /// # Errors
    /// The file's name is not UTF-8.
    pub fn with_file(&self, file: &Path) -> Result<Self, ConfigError> {
        let database = DatabaseUrl::of_file(file);
        Ok(Self {
            database: database.map_err(|reason| ConfigError::new(DATA_DIR, reason))?,
            migrate_url: None,
            read_url: None,
            ..self.clone()
        })
    }

    /// Makes the data directory, for its owner alone: the embedded database holds phone numbers.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn make_data_dir(&self) -> Result<(), ConfigError> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.data_dir)
            .map_err(|error| {
                ConfigError::new(DATA_DIR, format!("{}: {error}", self.data_dir.display()))
            })
    }
}
