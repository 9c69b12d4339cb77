//! Whether the process can do its work: the checks of what it needs, and their last outcome. The pages are in
//! [`ops`](crate::ops).

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{self, BoxFuture, join_all};
use tokio::sync::{Mutex, watch};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

/// A check that takes longer has failed.
const TIMEOUT: Duration = Duration::from_secs(1);
/// How long an outcome answers for the checks.
const MAX_AGE: Duration = Duration::from_secs(1);

/// Something the process needs.
#[derive(Clone)]
pub struct Check {
    name: &'static str,
    required: bool,
    run: Arc<dyn Fn() -> BoxFuture<'static, Result<(), String>> + Send + Sync>,
}

impl Check {
    /// Whether a server is there, or whatever `run` makes of it. Without it the process is not ready. Operators see the error, so it
    /// holds no secrets.
    pub fn new<S, F>(
        name: &'static str,
        server: S,
        run: impl Fn(S) -> F + Send + Sync + 'static,
    ) -> Self
    where
        S: Clone + Send + Sync + 'static,
        F: Future<Output = Result<(), String>> + Send + 'static,
    {
        Self {
            name,
            required: true,
            run: Arc::new(move || run(server.clone()).boxed()),
        }
    }

    /// Without it the process is slower, and still ready.
    #[must_use]
    pub fn optional(self) -> Self {
        let required = false;
        Self { required, ..self }
    }

    /// A loop whose last heartbeat is at most `max_age` ago.
    pub fn heartbeat(name: &'static str, heartbeat: Heartbeat, max_age: Duration) -> Self {
        Self::new(name, heartbeat, move |heartbeat| {
            let age = heartbeat.age();
            let stopped = || format!("no heartbeat for {} s", age.as_secs());
            future::ready((age <= max_age).then_some(()).ok_or_else(stopped))
        })
    }
}

/// The last heartbeat of a loop. Clones share it.
#[derive(Clone, Debug)]
pub struct Heartbeat(watch::Sender<Instant>);

impl Heartbeat {
    /// A heartbeat, now.
    pub fn record(&self) {
        self.0.send_replace(Instant::now());
    }

    /// Time since the last heartbeat.
    pub fn age(&self) -> Duration {
        self.0.borrow().elapsed()
    }
}

impl Default for Heartbeat {
    /// The first heartbeat is now.
    fn default() -> Self {
        Self(watch::Sender::new(Instant::now()))
    }
}

/// The outcome of the checks.
#[derive(Clone, Debug, Default)]
pub struct Readiness {
    /// Whether nothing required is missing.
    pub ready: bool,
    /// A line per check, for operators.
    pub report: Arc<str>,
}

/// The checks of a process. Clones share the last outcome.
#[derive(Clone)]
pub struct Health {
    checks: Arc<[Check]>,
    last: Arc<Mutex<Option<(Instant, Readiness)>>>,
    shutdown: CancellationToken,
}

impl Health {
    /// Not ready from `shutdown` on, so that proxies send their requests elsewhere.
    pub fn new(checks: Vec<Check>, shutdown: CancellationToken) -> Self {
        Self {
            checks: checks.into(),
            last: Arc::default(),
            shutdown,
        }
    }

    /// The last outcome, at most a second old. However many ask, the checks run one at a time and at most once a second.
    pub async fn readiness(&self) -> Readiness {
        if self.shutdown.is_cancelled() {
            return Readiness {
                ready: false,
                report: "shutting down\n".into(),
            };
        }
        // A task of its own, because the outcome would be lost with a caller that gives up.
        let health = self.clone();
        let outcome = tokio::spawn(async move { health.remembered().await });
        outcome.await.unwrap_or_default()
    }

    async fn remembered(&self) -> Readiness {
        let mut last = self.last.lock().await;
        if let Some((at, readiness)) = &*last
            && at.elapsed() < MAX_AGE
        {
            return readiness.clone();
        }
        let checks = self.checks.iter();
        let outcomes = join_all(checks.map(|check| timeout(TIMEOUT, (check.run)()))).await;
        let mut ready = true;
        let mut report = String::new();
        for (check, outcome) in self.checks.iter().zip(outcomes) {
            let name = check.name;
            let late = |_| Err("no answer within 1 s".to_owned());
            // Writing to a String cannot fail.
            let _ = match outcome.unwrap_or_else(late) {
                Ok(()) => writeln!(report, "{name} ok"),
                Err(reason) if check.required => {
                    ready = false;
                    writeln!(report, "{name} failed: {reason}")
                }
                Err(reason) => writeln!(report, "{name} degraded: {reason}"),
            };
        }
        let report = report.into();
        let readiness = Readiness { ready, report };
        *last = Some((Instant::now(), readiness.clone()));
        readiness
    }
}
