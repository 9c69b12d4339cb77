//! Flags and variables as text, and how they become a [`Config`].

use std::fmt::Display;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::str::FromStr;

use super::proxies::TrustedProxies;
use super::url::{AmqpUrl, DatabaseUrl, PublicUrl, RedisUrl};
use super::{Config, ConfigError, Role};

/// The settings as flags and variables, to flatten into a binary's own command line. An empty value counts as unset,
/// as compose files like to set them.
#[derive(Clone, Default, clap::Args)]
#[command(next_help_heading = "Settings")]
pub struct Args {
    /// Where the service answers [default: 127.0.0.1:8080]
    #[arg(long, global = true, env = "FEEDBACK_LISTEN", value_name = "ADDRESS")]
    listen: Option<String>,
    /// Where /health and /metrics answer [default: the same]
    #[arg(
        long,
        global = true,
        env = "FEEDBACK_OPS_LISTEN",
        value_name = "ADDRESS"
    )]
    ops_listen: Option<String>,
    /// Folder of the embedded database [default: ./data]
    #[arg(long, global = true, env = "FEEDBACK_DATA_DIR", value_name = "FOLDER")]
    data_dir: Option<PathBuf>,
    /// postgres://… or sqlite:… [default: SQLite in the data folder]
    #[arg(
        long,
        global = true,
        env = "DATABASE_URL",
        value_name = "URL",
        hide_env_values = true
    )]
    database_url: Option<String>,
    /// amqp://… or amqps://… [default: a queue in process]
    #[arg(
        long,
        global = true,
        env = "AMQP_URL",
        value_name = "URL",
        hide_env_values = true
    )]
    amqp_url: Option<String>,
    /// redis://… or rediss://… [default: a cache in process]
    #[arg(
        long,
        global = true,
        env = "REDIS_URL",
        value_name = "URL",
        hide_env_values = true
    )]
    redis_url: Option<String>,
    /// API requests a second of one key, bursts of 10 s' worth, 0 for no limit [default: 500]
    #[arg(long, global = true, env = "FEEDBACK_KEY_RATE", value_name = "NUMBER")]
    key_rate: Option<String>,
    /// What links to forms begin with, as people outside reach the service [default: http:// and --listen]
    #[arg(long, global = true, env = "FEEDBACK_PUBLIC_URL", value_name = "URL")]
    public_url: Option<String>,
    /// Public requests a second of one link, bursts of 10 s' worth, 0 for no limit [default: 5000]
    #[arg(long, global = true, env = "FEEDBACK_LINK_RATE", value_name = "NUMBER")]
    link_rate: Option<String>,
    /// Unknown tokens and keys and refused submissions a second of one address, likewise [default: 100]
    #[arg(
        long,
        global = true,
        env = "FEEDBACK_ADDRESS_RATE",
        value_name = "NUMBER"
    )]
    address_rate: Option<String>,
    /// Networks whose X-Forwarded-For is believed, with commas between [default: none]
    #[arg(
        long,
        global = true,
        env = "FEEDBACK_TRUSTED_PROXIES",
        value_name = "CIDRS"
    )]
    trusted_proxies: Option<String>,
    /// Decoded bytes of one import [default: 268435456]
    #[arg(long, global = true, env = "FEEDBACK_MAX_BODY", value_name = "BYTES")]
    max_body: Option<String>,
    /// Records of one import [default: 1000000]
    #[arg(
        long,
        global = true,
        env = "FEEDBACK_MAX_RECORDS",
        value_name = "NUMBER"
    )]
    max_records: Option<String>,
}

impl Args {
    /// What the settings mean, for a process of this kind.
    ///
    /// # Errors
    /// The first setting that cannot be used.
    pub fn config(self, role: Role) -> Result<Config, ConfigError> {
        let data_dir = self
            .data_dir
            .filter(|dir| !dir.as_os_str().is_empty())
            .unwrap_or_else(|| PathBuf::from("data"));
        let listen = address("FEEDBACK_LISTEN", self.listen)?
            .unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 8080)));
        let database = match read("DATABASE_URL", self.database_url, DatabaseUrl::parse)? {
            Some(database) => database,
            None => DatabaseUrl::in_folder(&data_dir).map_err(|reason| ConfigError {
                variable: "FEEDBACK_DATA_DIR",
                reason,
            })?,
        };
        let public_url = match read("FEEDBACK_PUBLIC_URL", self.public_url, PublicUrl::parse)? {
            Some(public_url) => public_url,
            None => PublicUrl::of_address(listen),
        };
        let config = Config {
            listen,
            ops_listen: address("FEEDBACK_OPS_LISTEN", self.ops_listen)?
                .filter(|ops| role == Role::Worker || *ops != listen),
            data_dir,
            database,
            amqp_url: read("AMQP_URL", self.amqp_url, AmqpUrl::parse)?,
            redis_url: read("REDIS_URL", self.redis_url, RedisUrl::parse)?,
            public_url,
            key_rate: rate("FEEDBACK_KEY_RATE", self.key_rate, 500)?,
            link_rate: rate("FEEDBACK_LINK_RATE", self.link_rate, 5_000)?,
            address_rate: rate("FEEDBACK_ADDRESS_RATE", self.address_rate, 100)?,
            trusted_proxies: read(
                "FEEDBACK_TRUSTED_PROXIES",
                self.trusted_proxies,
                TrustedProxies::parse,
            )?
            .unwrap_or_default(),
            max_body: limit("FEEDBACK_MAX_BODY", self.max_body)?.unwrap_or(268_435_456),
            max_records: limit("FEEDBACK_MAX_RECORDS", self.max_records)?.unwrap_or(1_000_000),
        };
        config.validate(role)?;
        Ok(config)
    }
}

fn set(value: Option<String>) -> Option<String> {
    value
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty())
}

fn parsed<T: FromStr<Err: Display>>(
    variable: &'static str,
    value: Option<String>,
    wanted: &str,
) -> Result<Option<T>, ConfigError> {
    set(value)
        .map(|text| {
            text.parse().map_err(|_| ConfigError {
                variable,
                reason: format!("{text:?} is not {wanted}"),
            })
        })
        .transpose()
}

fn address(
    variable: &'static str,
    value: Option<String>,
) -> Result<Option<SocketAddr>, ConfigError> {
    parsed(
        variable,
        value,
        "an IP address and a port, such as 127.0.0.1:8080",
    )
}

/// A rate a second; 0 is no limit.
fn rate(
    variable: &'static str,
    value: Option<String>,
    default: u32,
) -> Result<Option<NonZeroU32>, ConfigError> {
    let rate = parsed(variable, value, "a whole number from 0 to 4294967295")?;
    Ok(NonZeroU32::new(rate.unwrap_or(default)))
}

fn limit(variable: &'static str, value: Option<String>) -> Result<Option<u64>, ConfigError> {
    match parsed(variable, value, "a whole number")? {
        Some(0) => Err(ConfigError {
            variable,
            reason: "0 would refuse every import".to_owned(),
        }),
        limit => Ok(limit),
    }
}

fn read<T>(
    variable: &'static str,
    value: Option<String>,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, ConfigError> {
    set(value)
        .map(|text| parse(&text).map_err(|reason| ConfigError { variable, reason }))
        .transpose()
}

#[cfg(test)]
mod tests;
