//! One database on several hosts, of which one takes writes: a primary and its standbys.
//!
//! A URL names them as libpq's do: `postgres://user@a:5433,b/database`. All are asked at once which one takes writes, and only that
//! one is asked again, every [`ASK`], until it no longer does.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use parking_lot::RwLock;
use sea_orm::SqlxError;
use sea_orm::sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use sea_orm::sqlx::{ConnectOptions, query_scalar};
use tokio::sync::watch;
use tokio::time::{error::Elapsed, sleep, timeout};

/// The pause between two questions to the host in use, and to all of them while none takes writes.
const ASK: Duration = Duration::from_millis(500);
/// The name of sessions that do nothing but look.
pub(super) const WATCH: &str = "feedback watch";
/// A host that has not answered by then is away.
const ANSWER: Duration = Duration::from_secs(1);

/// The URLs of one host each that a URL of several stands for, in their order.
pub fn of_each_host(url: &str) -> Vec<String> {
    let Some((scheme, rest)) = url.split_once("://") else {
        return vec![url.to_owned()];
    };
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let (user, hosts) = authority.split_at(authority.rfind('@').map_or(0, |at| at + 1));
    let hosts = hosts.split(',');
    hosts
        .map(|host| format!("{scheme}://{user}{host}{path}"))
        .collect()
}

/// Which connections of a pool lead to the host that takes writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InUse {
    /// No host is known yet.
    None,
    /// Those made since then; all, if nothing is said.
    Since(Option<Instant>),
}

/// The pool of one of several hosts. It is closed once the database has moved to another one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Host(Option<PgPool>);

impl Host {
    /// That of a pool, if the database has others to which it may move.
    pub(super) fn of(pool: &PgPool, has_others: bool) -> Self {
        Self(has_others.then(|| pool.clone()))
    }

    /// Waits for what is asked of the host, until the database has moved to another one: the old one may be frozen, or gone without
    /// a word, and never answer.
    ///
    /// # Errors
    /// It has moved.
    pub(crate) async fn wait<F: Future>(&self, asked: F) -> Result<F::Output, SqlxError> {
        match &self.0 {
            Some(pool) => pool.close_event().do_until(asked).await,
            None => Ok(asked.await),
        }
    }
}

/// Keeps a pool at the host that takes writes, until it is closed by somebody else. After each move it is another pool, because
/// connections to the old host may never come back to theirs.
pub(super) async fn follow(
    pool: Arc<RwLock<PgPool>>,
    options: PgPoolOptions,
    hosts: Vec<PgConnectOptions>,
    in_use: watch::Sender<InUse>,
) {
    let mut at = None;
    loop {
        let current = pool.read().clone();
        let (n, connection) = tokio::select! {
            () = current.close_event() => return,
            found = find_next(at, &hosts) => found,
        };
        if current.is_closed() {
            return;
        }
        if at.replace(n) != Some(n) {
            let host = &hosts[n];
            let (name, port) = (host.get_host(), host.get_port());
            tracing::debug!(database.host = name, database.port = port, "takes writes");
            let moved = options.clone().connect_lazy_with(host.clone());
            let left = std::mem::replace(&mut *pool.write(), moved);
            in_use.send_replace(InUse::Since(None));
            tokio::spawn(async move { left.close().await });
        }
        let current = pool.read().clone();
        tokio::select! {
            () = current.close_event() => return,
            () = watch_writes(connection) => {}
        }
        tracing::warn!("the database's host gave no answer, or takes no writes any more");
    }
}

/// The host that takes writes. The one in use may only have been slow to answer: it is asked again, by a new connection, before
/// the others.
async fn find_next(at: Option<usize>, hosts: &[PgConnectOptions]) -> (usize, PgConnection) {
    loop {
        let again = match at {
            Some(n) => ask(n, hosts).await,
            None => None,
        };
        let found = match again {
            Some(again) => Some(again),
            None => find(hosts).await,
        };
        if let Some(found) = found {
            return found;
        }
        sleep(ASK).await;
    }
}

/// Asks a host, until it no longer takes writes.
async fn watch_writes(mut connection: PgConnection) {
    while let Ok(Ok(true)) = takes_writes(&mut connection).await {
        sleep(ASK).await;
    }
}

/// The first to say that it takes writes.
async fn find(hosts: &[PgConnectOptions]) -> Option<(usize, PgConnection)> {
    let asking: FuturesUnordered<_> = (0..hosts.len()).map(|n| ask(n, hosts)).collect();
    asking.filter_map(async |found| found).boxed().next().await
}

async fn ask(n: usize, hosts: &[PgConnectOptions]) -> Option<(usize, PgConnection)> {
    // Whoever distributes the tables counts the sessions of the others.
    let host = hosts.get(n)?.clone().application_name(WATCH);
    let mut connection = timeout(ANSWER, host.connect()).await.ok()?.ok()?;
    let is_writable = takes_writes(&mut connection).await.ok()?.ok()?;
    is_writable.then_some((n, connection))
}

pub(super) async fn takes_writes(
    connection: &mut PgConnection,
) -> Result<Result<bool, SqlxError>, Elapsed> {
    let is_read_only = query_scalar::<_, String>("SHOW transaction_read_only");
    let asked = timeout(ANSWER, is_read_only.fetch_one(connection)).await?;
    Ok(asked.map(|is_read_only| is_read_only == "off"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_may_name_several_hosts() {
        for (url, each) in [
            ("postgres://h/d", &["postgres://h/d"][..]),
            ("sqlite:a,b", &["sqlite:a,b"]),
            (
                "postgres://u:p,w@a:1,[::1]:2,c/d,e?x=1,2",
                &[
                    "postgres://u:p,w@a:1/d,e?x=1,2",
                    "postgres://u:p,w@[::1]:2/d,e?x=1,2",
                    "postgres://u:p,w@c/d,e?x=1,2",
                ],
            ),
            ("amqp://a,b", &["amqp://a", "amqp://b"]),
        ] {
            assert_eq!(of_each_host(url), each, "{url}");
        }
    }
}
