//! Health and metrics pages, for orchestrators and Prometheus.
//!
//! `/health/live`: the process answers. `/health/ready`: a line per thing it needs; 503 when a required one is missing.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures::FutureExt;
use futures::future::{BoxFuture, join_all};
use tokio::time::Instant;

use crate::request_id::{RequestId, X_REQUEST_ID};
use crate::telemetry::Metrics;

/// A check that has not answered by then failed.
const PATIENCE: Duration = Duration::from_secs(1);

/// Something the process needs.
#[derive(Clone)]
pub struct Check {
    name: &'static str,
    required: bool,
    run: Arc<dyn Fn() -> BoxFuture<'static, Result<(), String>> + Send + Sync>,
}

impl Check {
    /// Without it the process is not ready. The error is shown to whoever asks: no secrets.
    pub fn required<F>(name: &'static str, run: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<(), String>> + Send + 'static,
    {
        Self::new(name, true, run)
    }

    /// Without it the process is slower, and still ready.
    pub fn optional<F>(name: &'static str, run: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<(), String>> + Send + 'static,
    {
        Self::new(name, false, run)
    }

    /// Required: a loop whose last heartbeat is at most `max_age` ago.
    pub fn heartbeat(name: &'static str, heartbeat: Heartbeat, max_age: Duration) -> Self {
        Self::required(name, move || {
            let age = heartbeat.age();
            async move {
                if age <= max_age {
                    Ok(())
                } else {
                    Err(format!("no heartbeat for {} s", age.as_secs()))
                }
            }
        })
    }

    fn new<F>(
        name: &'static str,
        required: bool,
        run: impl Fn() -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<(), String>> + Send + 'static,
    {
        Self {
            name,
            required,
            run: Arc::new(move || run().boxed()),
        }
    }

    async fn outcome(&self) -> Result<(), String> {
        tokio::time::timeout(PATIENCE, (self.run)())
            .await
            .unwrap_or_else(|_| Err("no answer within 1 s".to_owned()))
    }
}

/// The last sign of life of a loop. Clones share it.
#[derive(Clone, Debug)]
pub struct Heartbeat(Arc<LastHeartbeat>);

#[derive(Debug)]
struct LastHeartbeat {
    since: Instant,
    /// Milliseconds after `since`.
    last: AtomicU64,
}

impl Heartbeat {
    /// The first heartbeat is now.
    pub fn new() -> Self {
        Self(Arc::new(LastHeartbeat {
            since: Instant::now(),
            last: AtomicU64::new(0),
        }))
    }

    /// A heartbeat, now.
    pub fn record(&self) {
        let now = u64::try_from(self.0.since.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.0.last.fetch_max(now, Ordering::Relaxed);
    }

    /// Time since the last heartbeat.
    pub fn age(&self) -> Duration {
        let last = Duration::from_millis(self.0.last.load(Ordering::Relaxed));
        self.0.since.elapsed().saturating_sub(last)
    }
}

impl Default for Heartbeat {
    fn default() -> Self {
        Self::new()
    }
}

#[derive(Clone)]
struct Ops {
    checks: Arc<[Check]>,
    metrics: Metrics,
}

/// The routes `/health/live`, `/health/ready` and `/metrics`.
pub fn router(checks: Vec<Check>, metrics: Metrics) -> Router {
    Router::new()
        .route("/health/live", get(async || "ok\n"))
        .route("/health/ready", get(ready))
        .route("/metrics", get(render))
        .layer(from_fn(identify))
        .with_state(Ops {
            checks: checks.into(),
            metrics,
        })
}

/// Gives every answer its request's id, also where no other layer stands before these pages.
async fn identify(request: Request, next: Next) -> Response {
    let id = RequestId::of(request.headers());
    let mut response = next.run(request).await;
    if let Some(value) = id.value() {
        response.headers_mut().entry(X_REQUEST_ID).or_insert(value);
    }
    response
}

async fn ready(State(ops): State<Ops>) -> impl IntoResponse {
    let outcomes = join_all(ops.checks.iter().map(Check::outcome)).await;
    let mut status = StatusCode::OK;
    let mut lines = String::new();
    for (check, outcome) in ops.checks.iter().zip(outcomes) {
        let name = check.name;
        // Writing to a String cannot fail.
        let _ = match outcome {
            Ok(()) => writeln!(lines, "{name} ok"),
            Err(reason) if check.required => {
                status = StatusCode::SERVICE_UNAVAILABLE;
                writeln!(lines, "{name} failed: {reason}")
            }
            Err(reason) => writeln!(lines, "{name} degraded: {reason}"),
        };
    }
    (status, [(header::CACHE_CONTROL, "no-store")], lines)
}

async fn render(State(ops): State<Ops>) -> impl IntoResponse {
    let text = "text/plain; version=0.0.4; charset=utf-8";
    ([(header::CONTENT_TYPE, text)], ops.metrics.render())
}
