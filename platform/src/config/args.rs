//! Flags and variables as text, and how they become a [`Config`].

use std::env;
use std::ffi::OsString;
use std::fs;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use domain::pepper::Pepper;
use sender::setting::{self, Setting};

use super::memory::{self, MemoryParts};
use super::oidc::{OIDC, OidcSetting};
use super::proxies::TrustedProxies;
use super::tls::TlsFiles;
use super::url::{AmqpUrl, DatabaseUrl, PublicUrl, RedisUrl};
use super::{Config, ConfigError, DATA_DIR, MEMORY, ProcessRole, sending};
use crate::authorities;

/// The settings as flags and variables, to flatten into a binary's own command line. An empty value counts as unset,
/// as compose files like to set them; but for the data directory, which would then be somewhere unexpected. What is secret
/// has no flag, because everybody on the machine sees the flags of a process.
#[derive(Clone, Default, clap::Args)]
#[command(next_help_heading = "Settings")]
pub struct Args {
    /// Where the service answers [default: 127.0.0.1:8080]
    #[arg(long, env = "FEEDBACK_LISTEN", value_name = "ADDRESS")]
    listen: Option<String>,
    /// PEM files of a certificate and of its key: HTTPS, and both are read again when they change [default: plain HTTP]
    #[arg(long, env = "FEEDBACK_TLS", value_name = "CERT,KEY")]
    tls: Option<String>,
    /// Where /metrics and the reasons in /health/ready answer [default: serve: as --listen; api, worker: nowhere]
    #[arg(long, env = "FEEDBACK_OPS_LISTEN", value_name = "ADDRESS")]
    ops_listen: Option<String>,
    /// Seconds after SIGTERM in which new requests are still taken, at most 15 [default: api: 3; serve: 0]
    #[arg(long, env = "FEEDBACK_DRAIN_SECONDS", value_name = "NUMBER")]
    drain_seconds: Option<String>,
    /// Directory of the embedded database [default: ./data]
    #[arg(long, env = "FEEDBACK_DATA_DIR", value_name = "DIRECTORY")]
    data_dir: Option<OsString>,
    /// postgres://… or sqlite:… [default: SQLite in the data directory]
    #[arg(skip = variable("DATABASE_URL"))]
    database_url: Option<String>,
    /// postgres://… of standbys that answer reports, lists and exports [default: none]
    #[arg(skip = variable("DATABASE_READ_URL"))]
    read_url: Option<String>,
    /// postgres://… of a role that may change the schema [default: as the database]
    #[arg(skip = variable("FEEDBACK_MIGRATE_URL"))]
    migrate_url: Option<String>,
    /// amqp://… or amqps://… [default: a queue in process]
    #[arg(skip = variable("AMQP_URL"))]
    amqp_url: Option<String>,
    /// redis://… or rediss://… [default: no shared cache]
    #[arg(skip = variable("REDIS_URL"))]
    redis_url: Option<String>,
    /// Whether connections to other machines must have TLS, on or off [default: off, which warns]
    #[arg(long, env = "FEEDBACK_REQUIRE_TLS", value_name = "SWITCH")]
    require_tls: Option<String>,
    /// API requests a second of one key, bursts of 10 s' worth, 0 for no limit [default: 500]
    #[arg(long, env = "FEEDBACK_KEY_RATE", value_name = "NUMBER")]
    key_rate: Option<String>,
    /// What links to forms begin with, as people outside reach the service [default: http://, with a certificate https://, and --listen]
    #[arg(long, env = "FEEDBACK_PUBLIC_URL", value_name = "URL")]
    public_url: Option<String>,
    /// Public requests a second of one link, bursts of 10 s' worth, 0 for no limit [default: 5000]
    #[arg(long, env = "FEEDBACK_LINK_RATE", value_name = "NUMBER")]
    link_rate: Option<String>,
    /// Unknown tokens and keys and refused submissions a second of one address, likewise [default: 100]
    #[arg(long, env = "FEEDBACK_ADDRESS_RATE", value_name = "NUMBER")]
    address_rate: Option<String>,
    /// Answers an hour of one address to one link, 0 for no limit [default: 200]
    #[arg(long, env = "FEEDBACK_ADDRESS_ANSWERS", value_name = "NUMBER")]
    address_answers: Option<String>,
    /// Minutes after which a session ends whose person does nothing, at most 720 [default: 60]
    #[arg(long, env = "FEEDBACK_SESSION_IDLE", value_name = "MINUTES")]
    session_idle: Option<String>,
    /// JSON of the OpenID Connect provider through which people sign in, or @FILE [default: none]
    #[arg(skip = variable(OIDC))]
    oidc: Option<String>,
    /// Where weaknesses are reported, mailto:… or https://…: stands in /.well-known/security.txt [default: no such file]
    #[arg(long, env = "FEEDBACK_SECURITY_CONTACT", value_name = "URI")]
    security_contact: Option<String>,
    /// Networks of one's own proxies, with commas between: their X-Forwarded-For names the caller [default: none]
    #[arg(long, env = "FEEDBACK_TRUSTED_PROXIES", value_name = "CIDRS")]
    trusted_proxies: Option<String>,
    /// Open connections [default: by the limit of descriptors]
    #[arg(long, env = "FEEDBACK_CONNECTIONS", value_name = "NUMBER")]
    connections: Option<String>,
    /// Open connections of one address, trusted proxies excepted [default: a quarter]
    #[arg(long, env = "FEEDBACK_ADDRESS_CONNECTIONS", value_name = "NUMBER")]
    address_connections: Option<String>,
    /// Memory of all pools and caches together [default: 256 MiB]
    #[arg(long, env = "FEEDBACK_MEMORY", value_name = "SIZE")]
    memory: Option<String>,
    /// Decoded bytes of one import [default: 268435456]
    #[arg(long, env = "FEEDBACK_MAX_BODY", value_name = "BYTES")]
    max_body: Option<String>,
    /// Records of one import [default: 1000000]
    #[arg(long, env = "FEEDBACK_MAX_RECORDS", value_name = "NUMBER")]
    max_records: Option<String>,
    /// Directory of the temporary files of spreadsheets [default: the system's]
    #[arg(long, env = "FEEDBACK_TMP_DIR", value_name = "DIRECTORY")]
    tmp_dir: Option<String>,
    /// Who carries messages: NAME=URL, with spaces between [default: serve: demo=demo:; api, worker: nobody]
    #[arg(skip = variable("FEEDBACK_SENDERS"))]
    senders: Option<String>,
    /// Secret of 32 bytes under which phones are hashed, as 64 hex digits [default: serve: in the data directory]
    #[arg(skip = variable("FEEDBACK_PEPPER"))]
    pepper: Option<String>,
    /// Secrets of the same shape from which the addresses of hooks are made [default: the pepper]
    #[arg(skip = variable("FEEDBACK_HOOK_KEY"))]
    hook_key: Option<String>,
}

impl Args {
    /// The checked settings, for a process of this kind.
    ///
    /// # Errors
    /// The first setting that cannot be used.
    pub fn config(self, role: ProcessRole) -> Result<Config, ConfigError> {
        let data_dir = match self.data_dir {
            Some(dir) if dir.is_empty() => return Err(ConfigError::new(DATA_DIR, "empty")),
            Some(dir) => match dir
                .to_str()
                .map(|text| of_file(DATA_DIR, text))
                .transpose()?
            {
                Some(Some(text)) => PathBuf::from(text.trim()),
                _ => PathBuf::from(dir),
            },
            None => PathBuf::from("data"),
        };
        let listen = read("FEEDBACK_LISTEN", self.listen, address)?
            .unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 8080)));
        let ops_listen = read("FEEDBACK_OPS_LISTEN", self.ops_listen, address)?
            .or_else(|| (role == ProcessRole::Serve).then_some(listen));
        let tls = read("FEEDBACK_TLS", self.tls, TlsFiles::parse)?;
        refused(authorities::VARIABLE, authorities::own())?;
        let default_drain = Duration::from_secs(if role == ProcessRole::Serve { 0 } else { 3 });
        let database_url = read("DATABASE_URL", self.database_url, DatabaseUrl::parse)?;
        let (database, database_variable) = if let Some(database) = database_url {
            (database, "DATABASE_URL")
        } else {
            let database = DatabaseUrl::in_directory(&data_dir);
            let refused = |reason| ConfigError::new(DATA_DIR, reason);
            (database.map_err(refused)?, DATA_DIR)
        };
        let max_records =
            read("FEEDBACK_MAX_RECORDS", self.max_records, limit)?.unwrap_or(1_000_000);
        let memory = read(MEMORY, self.memory, memory::size)?.unwrap_or(memory::DEFAULT);
        let config = Config {
            listen,
            ops_listen,
            drain: read("FEEDBACK_DRAIN_SECONDS", self.drain_seconds, drain)?
                .unwrap_or(default_drain),
            data_dir,
            database,
            database_variable,
            read_url: read(
                "DATABASE_READ_URL",
                self.read_url,
                DatabaseUrl::parse_servers,
            )?,
            migrate_url: read("FEEDBACK_MIGRATE_URL", self.migrate_url, DatabaseUrl::parse)?,
            amqp_url: read("AMQP_URL", self.amqp_url, AmqpUrl::parse)?,
            redis_url: read("REDIS_URL", self.redis_url, RedisUrl::parse)?,
            public_url: if let Some(url) =
                read("FEEDBACK_PUBLIC_URL", self.public_url, PublicUrl::parse)?
            {
                refused("FEEDBACK_PUBLIC_URL", url.where_https(tls.is_some()))?
            } else {
                let default = PublicUrl::of_address(listen, tls.is_some());
                refused("FEEDBACK_PUBLIC_URL", default)?
            },
            tls,
            key_rate: rate("FEEDBACK_KEY_RATE", self.key_rate, 500)?,
            link_rate: rate("FEEDBACK_LINK_RATE", self.link_rate, 5_000)?,
            address_rate: rate("FEEDBACK_ADDRESS_RATE", self.address_rate, 100)?,
            address_answers: rate("FEEDBACK_ADDRESS_ANSWERS", self.address_answers, 200)?,
            session_idle: read("FEEDBACK_SESSION_IDLE", self.session_idle, idle)?
                .unwrap_or(TimeDelta::hours(1)),
            oidc: read(OIDC, self.oidc, OidcSetting::parse)?,
            security_contact: read("FEEDBACK_SECURITY_CONTACT", self.security_contact, contact)?,
            trusted_proxies: read(
                "FEEDBACK_TRUSTED_PROXIES",
                self.trusted_proxies,
                TrustedProxies::parse,
            )?
            .unwrap_or_default(),
            connections: read("FEEDBACK_CONNECTIONS", self.connections, connections)?,
            address_connections: read(
                "FEEDBACK_ADDRESS_CONNECTIONS",
                self.address_connections,
                connections,
            )?,
            max_body: read("FEEDBACK_MAX_BODY", self.max_body, limit)?.unwrap_or(268_435_456),
            max_records,
            tmp_dir: read("FEEDBACK_TMP_DIR", self.tmp_dir, directory)?
                .unwrap_or_else(env::temp_dir),
            memory: refused(MEMORY, MemoryParts::divide(memory, max_records))?,
            requires_tls: read("FEEDBACK_REQUIRE_TLS", self.require_tls, switch)?.unwrap_or(false),
            senders: match read("FEEDBACK_SENDERS", self.senders, senders)? {
                Some(senders) => senders,
                None if role == ProcessRole::Serve => {
                    refused("FEEDBACK_SENDERS", senders(setting::DEFAULT))?
                }
                None => Arc::default(),
            },
            given_pepper: read("FEEDBACK_PEPPER", self.pepper, sending::parse)?,
            hook_secrets: read("FEEDBACK_HOOK_KEY", self.hook_key, Pepper::parse)?,
            keeps_pepper: role == ProcessRole::Serve,
        };
        if role != ProcessRole::Serve && config.amqp_url.is_none() {
            let reason = "unset, which means a queue inside this process: no other would ever hear what is put into it (name a broker, \
                          or run `feedback serve`)";
            return Err(ConfigError::new("AMQP_URL", reason));
        }
        config.with_tls_where_required()
    }
}

/// The value of a variable that has no flag. What is not UTF-8 is then refused for what it is.
pub fn variable(name: &str) -> Option<String> {
    env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

/// The text of the file that a value `@FILE` names; `None`: the value names none.
///
/// # Errors
/// The file cannot be read.
pub fn of_file(variable: &'static str, value: &str) -> Result<Option<String>, ConfigError> {
    let text = value.trim().strip_prefix('@').map(fs::read_to_string);
    let unreadable = |error: std::io::Error| format!("the file cannot be read: {}", error.kind());
    refused(variable, text.transpose().map_err(unreadable))
}

/// What `parse` makes of a value that is not empty, or of the file that it names.
pub(super) fn read<T>(
    variable: &'static str,
    value: Option<String>,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, ConfigError> {
    let file = value.as_deref().map(|value| of_file(variable, value));
    let value = file.transpose()?.flatten().or(value);
    let set = value.filter(|text| !text.trim().is_empty());
    refused(variable, set.map(|text| parse(text.trim())).transpose())
}

fn refused<T>(variable: &'static str, parsed: Result<T, String>) -> Result<T, ConfigError> {
    parsed.map_err(|reason| ConfigError::new(variable, reason))
}

fn senders(text: &str) -> Result<Arc<[Setting]>, String> {
    let senders = setting::parse(text)?;
    Ok(senders.into())
}

fn address(text: &str) -> Result<SocketAddr, String> {
    parsed(text, "an IP address and a port, such as 127.0.0.1:8080")
}

/// At most 15 s, because the process has to end within 25 s.
fn drain(text: &str) -> Result<Duration, String> {
    match parsed(text, "a whole number")? {
        seconds @ 0..=15 => Ok(Duration::from_secs(seconds)),
        _ => Err("more than 15".to_owned()),
    }
}

/// At most as long as a session lasts in any case.
fn idle(text: &str) -> Result<TimeDelta, String> {
    match parsed(text, "a whole number")? {
        minutes @ 1..=720 => Ok(TimeDelta::minutes(minutes)),
        _ => Err("not from 1 to 720".to_owned()),
    }
}

/// What RFC 9116 takes for a contact, on one line.
fn contact(text: &str) -> Result<String, String> {
    let schemes = ["mailto:", "https://", "tel:"];
    let is_known = schemes.iter().any(|scheme| text.starts_with(scheme));
    if is_known && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        Ok(text.to_owned())
    } else {
        Err("not mailto:ADDRESS, https://… or tel:NUMBER".to_owned())
    }
}

fn switch(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("{text:?} is neither on nor off")),
    }
}

fn connections(text: &str) -> Result<usize, String> {
    match parsed(text, "a whole number")? {
        0 => Err("0 would answer nobody".to_owned()),
        connections => Ok(connections),
    }
}

fn limit(text: &str) -> Result<u64, String> {
    match parsed(text, "a whole number")? {
        0 => Err("0 would refuse every import".to_owned()),
        limit => Ok(limit),
    }
}

fn directory(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if path.is_dir() {
        Ok(path)
    } else {
        Err("no directory".to_owned())
    }
}

/// A rate; 0 is no limit.
fn rate(
    variable: &'static str,
    value: Option<String>,
    default: u32,
) -> Result<Option<NonZeroU32>, ConfigError> {
    let whole = |text: &str| parsed(text, "a whole number from 0 to 4294967295");
    let rate = read(variable, value, whole)?.unwrap_or(default);
    Ok(NonZeroU32::new(rate))
}

fn parsed<T: FromStr>(text: &str, wanted: &str) -> Result<T, String> {
    text.parse()
        .map_err(|_| format!("{text:?} is not {wanted}"))
}

#[cfg(test)]
mod tests;
