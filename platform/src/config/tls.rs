//! What has TLS: the listener, by files of its own, and the connections that leave this machine.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;

use lapin::uri::AMQPScheme;
use redis::ConnectionAddr;
use store::plain_hosts;

use super::{Config, ConfigError};

/// The PEM files of the listener's certificate, with those that lead to its authority, and of its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

impl TlsFiles {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (certificate, key) = text.split_once(',').unwrap_or_default();
        let [certificate, key] = [certificate, key].map(|path| PathBuf::from(path.trim()));
        if certificate.as_os_str().is_empty() || key.as_os_str().is_empty() {
            return Err("not CERT,KEY: the PEM files of a certificate and of its key".to_owned());
        }
        Ok(Self { certificate, key })
    }
}

/// A connection to another machine that has no TLS, or might have none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainConnection {
    /// The setting that says so.
    pub variable: &'static str,
    /// The other machine.
    pub host: String,
}

impl fmt::Display for PlainConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.variable, self.host)
    }
}

impl Config {
    /// The connections to other machines that have no TLS, each once, in the order of the settings. A name counts as another
    /// machine's, but for `localhost`.
    pub fn plain_connections(&self) -> Vec<PlainConnection> {
        let database = (self.database_variable, Some(&self.database));
        let read = ("DATABASE_READ_URL", self.read_url.as_ref());
        let migrate = ("FEEDBACK_MIGRATE_URL", self.migrate_url.as_ref());
        let databases = [database, read, migrate]
            .into_iter()
            .filter_map(|(variable, url)| Some((variable, plain_hosts(url?.expose()))));
        let mut all: Vec<_> = databases
            .flat_map(|(variable, hosts)| hosts.into_iter().map(move |host| (variable, host)))
            .collect();
        let nodes = self.amqp_url.iter().flat_map(|url| &url.0);
        let nodes = nodes.filter(|node| matches!(node.scheme, AMQPScheme::AMQP));
        all.extend(nodes.map(|node| ("AMQP_URL", node.authority.host.clone())));
        if let Some(ConnectionAddr::Tcp(host, _)) = self.redis_url.as_ref().map(|url| url.0.addr())
        {
            all.push(("REDIS_URL", host.clone()));
        }
        let senders = self.senders.iter();
        let senders = senders.filter_map(|sender| sender.plain_host.clone());
        all.extend(senders.map(|host| ("FEEDBACK_SENDERS", host)));
        let mut found = Vec::new();
        for (variable, host) in all {
            let plain = PlainConnection { variable, host };
            if !is_this_machine(&plain.host) && !found.contains(&plain) {
                found.push(plain);
            }
        }
        found
    }

    /// The same settings.
    ///
    /// # Errors
    /// TLS is required, and a connection has none.
    pub(super) fn with_tls_where_required(self) -> Result<Self, ConfigError> {
        match self.plain_connections().first() {
            Some(plain) if self.requires_tls => {
                let reason = format!(
                    "the connection to {} has no TLS, which FEEDBACK_REQUIRE_TLS=on requires",
                    plain.host
                );
                Err(ConfigError::new(plain.variable, reason))
            }
            _ => Ok(self),
        }
    }
}

fn is_this_machine(host: &str) -> bool {
    match host.trim_matches(['[', ']']).parse::<IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => host.is_empty() || host == "localhost" || host.ends_with(".localhost"),
    }
}
