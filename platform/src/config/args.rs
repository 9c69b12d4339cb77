//! Flags and variables as text, and how they become a [`Config`].

use std::fmt::Display;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::str::FromStr;

use super::url::{AmqpUrl, DatabaseUrl, RedisUrl};
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
        let database = match url("DATABASE_URL", self.database_url, DatabaseUrl::parse)? {
            Some(database) => database,
            None => DatabaseUrl::in_folder(&data_dir).map_err(|reason| ConfigError {
                variable: "FEEDBACK_DATA_DIR",
                reason,
            })?,
        };
        let key_rate = number("FEEDBACK_KEY_RATE", self.key_rate)?.unwrap_or(500);
        let config = Config {
            listen,
            ops_listen: address("FEEDBACK_OPS_LISTEN", self.ops_listen)?
                .filter(|ops| *ops != listen),
            data_dir,
            database,
            amqp_url: url("AMQP_URL", self.amqp_url, AmqpUrl::parse)?,
            redis_url: url("REDIS_URL", self.redis_url, RedisUrl::parse)?,
            key_rate: NonZeroU32::new(key_rate),
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

fn number(variable: &'static str, value: Option<String>) -> Result<Option<u32>, ConfigError> {
    parsed(variable, value, "a whole number from 0 to 4294967295")
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

fn url<T>(
    variable: &'static str,
    value: Option<String>,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, ConfigError> {
    set(value)
        .map(|text| parse(&text).map_err(|reason| ConfigError { variable, reason }))
        .transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(args: Args) -> String {
        args.config(Role::Serve).unwrap_err().to_string()
    }

    #[test]
    fn nothing_set_gives_the_documented_defaults() {
        let config = Args::default().config(Role::Serve).unwrap();
        assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
        assert_eq!(config.ops_listen, None);
        assert_eq!(config.database_url(), "sqlite:data/feedback.db");
        assert!(config.amqp_url.is_none() && config.redis_url.is_none());
        assert_eq!(config.key_rate, NonZeroU32::new(500));
        assert_eq!(
            (config.max_body, config.max_records),
            (268_435_456, 1_000_000)
        );
    }

    #[test]
    fn empty_values_count_as_unset() {
        let args = Args {
            listen: Some(String::new()),
            amqp_url: Some("  ".to_owned()),
            redis_url: Some(String::new()),
            database_url: Some(String::new()),
            data_dir: Some(PathBuf::new()),
            ..Args::default()
        };
        let config = args.config(Role::Serve).unwrap();
        assert!(config.amqp_url.is_none() && config.redis_url.is_none());
        assert_eq!(config.database_url(), "sqlite:data/feedback.db");
    }

    #[test]
    fn a_bad_setting_is_one_line_that_names_its_variable() {
        let cases = [
            (
                Args {
                    listen: Some("localhost".to_owned()),
                    ..Args::default()
                },
                "FEEDBACK_LISTEN: \"localhost\" is not an IP address and a port, such as 127.0.0.1:8080",
            ),
            (
                Args {
                    key_rate: Some("-1".to_owned()),
                    ..Args::default()
                },
                "FEEDBACK_KEY_RATE: \"-1\" is not a whole number from 0 to 4294967295",
            ),
            (
                Args {
                    max_body: Some("0".to_owned()),
                    ..Args::default()
                },
                "FEEDBACK_MAX_BODY: 0 would refuse every import",
            ),
            (
                Args {
                    database_url: Some("mysql://u:geheim@h/d".to_owned()),
                    ..Args::default()
                },
                "DATABASE_URL: scheme \"mysql\" is not one of postgres, postgresql, sqlite",
            ),
        ];
        for (args, line) in cases {
            assert_eq!(refused(args), line);
        }
    }

    #[test]
    fn no_refusal_shows_a_password() {
        let secrets = [
            "mysql://u:geheim@h/d",
            "u:geheim@h",
            "postgres://u:geheim@h:99999/d",
            "geheim",
            "amqp:geheim",
            "amqp://u:geheim@h/%2f?heartbeat=x",
            "redis://u:geheim@h/x",
            "http://:geheim@h",
        ];
        for secret in secrets {
            for (database_url, amqp_url, redis_url) in [
                (Some(secret.to_owned()), None, None),
                (None, Some(secret.to_owned()), None),
                (None, None, Some(secret.to_owned())),
            ] {
                let args = Args {
                    database_url,
                    amqp_url,
                    redis_url,
                    ..Args::default()
                };
                if let Err(error) = args.config(Role::Serve) {
                    let line = format!("{error} {error:?}");
                    assert!(!line.contains("geheim"), "{line}");
                    assert!(!line.contains('\n'), "{line}");
                }
            }
        }
    }

    #[test]
    fn debug_never_shows_a_password() {
        let args = Args {
            database_url: Some("postgres://u:geheim@db/d?password=geheim".to_owned()),
            amqp_url: Some("amqps://u:geheim@mq/v".to_owned()),
            redis_url: Some("rediss://:geheim@cache/0".to_owned()),
            ..Args::default()
        };
        let shown = format!("{:?}", args.config(Role::Api).unwrap());
        assert!(!shown.contains("geheim"), "{shown}");
        assert!(shown.contains("postgres://db"), "{shown}");
    }

    #[test]
    fn api_and_worker_refuse_a_queue_in_process_and_say_why() {
        for role in [Role::Api, Role::Worker] {
            let line = Args::default().config(role).unwrap_err().to_string();
            assert!(
                line.starts_with("AMQP_URL: unset, which means a queue inside this process: "),
                "{line}"
            );
        }
    }

    #[test]
    fn ops_on_the_same_address_are_the_same() {
        let args = Args {
            ops_listen: Some("127.0.0.1:8080".to_owned()),
            ..Args::default()
        };
        assert_eq!(args.config(Role::Serve).unwrap().ops_listen, None);
    }

    #[test]
    fn a_rate_of_zero_is_no_limit() {
        let args = Args {
            key_rate: Some("0".to_owned()),
            ..Args::default()
        };
        assert_eq!(args.config(Role::Serve).unwrap().key_rate, None);
    }
}
