//! Whether a process would find what it needs: its settings, the servers, their clocks and limits, what looks wrong and what to do
//! about it. It looks as `feedback serve` would. Nothing is made but the queues, as any process makes them.

mod database;

use std::time::Duration;

use chrono::{TimeDelta, Utc};
use nix::sys::resource::{Resource, getrlimit};
use serde::Serialize;
use tokio::time::timeout;

use self::database::{of_database, of_replicas};
use crate::cache::Cache;
use crate::config::Config;
use crate::http::tls::Tls;
use crate::oidc::OidcProvider;
use crate::one_line;
use crate::queue::Queue;

/// A server that has not answered by then counts as away.
const ANSWER: Duration = Duration::from_secs(5);
/// A certificate that is not renewed by then has most likely been forgotten.
const ENDS_SOON: TimeDelta = TimeDelta::days(14);
/// A process with fewer descriptors takes few connections.
const FEW_DESCRIPTORS: u64 = 4_096;

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Ok,
    /// It works, and may not be what is wanted.
    Warning,
    /// The service does not work so.
    Wrong,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub verdict: Verdict,
    /// Such as `database`.
    pub about: &'static str,
    /// What is so, for people, without secrets.
    pub found: String,
    /// What to do; none where all is well.
    pub advice: Option<&'static str>,
}

impl Finding {
    fn ok(about: &'static str, found: impl Into<String>) -> Self {
        Self {
            verdict: Verdict::Ok,
            about,
            found: found.into(),
            advice: None,
        }
    }

    fn warning(about: &'static str, found: impl Into<String>, advice: &'static str) -> Self {
        Self {
            verdict: Verdict::Warning,
            advice: Some(advice),
            ..Self::ok(about, found)
        }
    }

    fn wrong(about: &'static str, found: impl Into<String>, advice: &'static str) -> Self {
        Self {
            verdict: Verdict::Wrong,
            ..Self::warning(about, found, advice)
        }
    }
}

/// Looks at everything that the settings name.
pub async fn examine(config: &Config) -> Vec<Finding> {
    let mut findings = vec![of_public_url(config), of_descriptors()];
    findings.extend(of_database(config).await);
    findings.extend(of_replicas(config).await);
    findings.push(of_queue(config).await);
    findings.push(of_cache(config).await);
    findings.extend(of_oidc(config).await);
    findings.extend(of_connections(config));
    findings.extend(of_certificate(config).await);
    findings
}

fn of_public_url(config: &Config) -> Finding {
    let url = config.public_url.as_str();
    if config.public_url.is_local() {
        let advice = "set FEEDBACK_PUBLIC_URL to what people outside open";
        let found = format!("links begin with {url}, which only this machine can open");
        return Finding::warning("links", found, advice);
    }
    Finding::ok("links", format!("links begin with {url}"))
}

/// Connections that whoever is between can read and change.
fn of_connections(config: &Config) -> Vec<Finding> {
    let about = "tls";
    let plain = config.plain_connections();
    if plain.is_empty() {
        return vec![Finding::ok(
            about,
            "no connection to another machine is plain",
        )];
    }
    let advice = "ask for TLS: sslmode=verify-full of PostgreSQL, amqps://, rediss://, smpps://, https://; SSL_CERT_FILE names authorities \
                  of your own, and FEEDBACK_REQUIRE_TLS=on refuses to start without";
    let found = plain.iter().map(|plain| {
        let found = format!("{plain} is plain");
        Finding::warning(about, found, advice)
    });
    found.collect()
}

/// The certificate of the listener.
async fn of_certificate(config: &Config) -> Option<Finding> {
    let about = "certificate";
    let advice = "put a valid one with its key in place: a process that runs takes it by itself";
    Some(match Tls::end(config.tls.as_ref()?).await {
        Ok(end) => {
            let found = format!("valid until {}", end.format("%F"));
            if end < Utc::now() {
                Finding::wrong(about, found, advice)
            } else if end < Utc::now() + ENDS_SOON {
                Finding::warning(about, found, advice)
            } else {
                Finding::ok(about, found)
            }
        }
        Err(error) => Finding::wrong(about, error.to_string(), advice),
    })
}

/// Whether the provider that signs people in can be asked.
async fn of_oidc(config: &Config) -> Option<Finding> {
    let about = "sign-in";
    let setting = config.oidc.clone()?;
    let found = format!("{} answers", setting.issuer);
    let advice = "correct FEEDBACK_OIDC, or see to the provider; passwords work meanwhile";
    Some(match OidcProvider::new(setting, &config.public_url) {
        Ok(provider) => match provider.check().await {
            Ok(()) => Finding::ok(about, found),
            Err(fault) => Finding::wrong(about, one_line(&fault), advice),
        },
        Err(error) => Finding::wrong(about, format!("{error:#}"), advice),
    })
}

fn of_descriptors() -> Finding {
    let about = "descriptors";
    match getrlimit(Resource::RLIMIT_NOFILE) {
        Ok((_, most)) if most < FEW_DESCRIPTORS => {
            let advice = "raise the limit of open files (LimitNOFILE of systemd, ulimit -n)";
            Finding::warning(about, format!("{most} at most"), advice)
        }
        Ok((_, most)) => Finding::ok(about, format!("{most} at most")),
        Err(error) => Finding::warning(about, error.to_string(), "ask the system why"),
    }
}

async fn of_queue(config: &Config) -> Finding {
    let about = "queue";
    if config.amqp_url.is_none() {
        return Finding::ok(about, "in process: `feedback serve` alone can run so");
    }
    let queue = Queue::open(config.amqp_url.as_ref());
    let answer = timeout(ANSWER, queue.ping()).await;
    let reason = match answer {
        Ok(Ok(())) => return Finding::ok(about, "the broker answers, and its queues are there"),
        Ok(Err(error)) => one_line(&error),
        Err(late) => late.to_string(),
    };
    let advice = "if it runs: host, user, password and virtual host of AMQP_URL; until then imports begin up to a second later";
    Finding::warning(about, reason, advice)
}

async fn of_cache(config: &Config) -> Finding {
    let about = "cache";
    let cache = match Cache::open(config.redis_url.as_ref()) {
        Ok(cache) if cache.is_shared() => cache,
        Ok(_) => return Finding::ok(about, "none that processes share"),
        Err(error) => return Finding::wrong(about, one_line(&error), "correct REDIS_URL"),
    };
    match cache.ping().await {
        Ok(()) => Finding::ok(about, "Redis answers"),
        Err(error) => {
            let advice = "see that it runs and that REDIS_URL names it; until then reports come from the database";
            Finding::warning(about, one_line(&error), advice)
        }
    }
}
