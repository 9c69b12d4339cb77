//! What is recorded of every request: one line in the log, counters and latencies by route.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request};
use axum::http::header::LOCATION;
use axum::http::{Method, StatusCode};
use axum::response::Response;
use metrics::{Counter, Histogram};
use parking_lot::RwLock;
use platform::request_id::RequestId;
use platform::telemetry::traces::{self, SpanKind};
use tracing::field::Empty;
use tracing::{Level, Span};
use uuid::Uuid;

use crate::auth;

/// The label of paths that no route has.
const UNMATCHED: &str = "unmatched";
/// Any method that nobody defined.
const OTHER: &str = "OTHER";
/// Where pages lead those who are not signed in.
const SIGN_IN: &[u8] = b"/dashboard/sign-in";

/// The span of a request in its trace, which is the caller's if that sent one.
pub fn trace(request: &Request) -> traces::Span {
    let caller = traces::of_caller(request.headers());
    traces::Span::begin("request", SpanKind::Server, caller.as_ref())
}

/// A request that is being answered. Headers and query values are never recorded: they hold secrets and personal data.
pub struct Observation {
    pub span: Span,
    trace: traces::Span,
    began: Instant,
    method: &'static str,
    route: Option<MatchedPath>,
}

impl Observation {
    /// Begins with a request that the router has matched.
    pub fn begin(request: &Request, id: &RequestId, mut trace: traces::Span) -> Self {
        let method = method_name(request.method());
        let route = request.extensions().get::<MatchedPath>().cloned();
        // Requests that only read are logged when debugging, so otherwise they need no span.
        let span = if writes(method) || tracing::enabled!(Level::DEBUG) {
            span(id, method, name(route.as_ref()), &trace)
        } else {
            Span::none()
        };
        match &route {
            Some(route) => {
                trace.rename(format_args!("{method} {}", route.as_str()));
                trace.set("http.route", route.as_str());
            }
            None => trace.rename(method),
        }
        let convention = if method == OTHER { "_OTHER" } else { method };
        trace.set("http.request.method", convention);
        // A caller may have put anything into it.
        if Uuid::try_parse(id.as_str()).is_ok() {
            trace.set("request.id", id.as_str());
        }
        Self {
            span,
            trace,
            began: Instant::now(),
            method,
            route,
        }
    }

    /// Logs and counts the answer. A failure is logged here and nowhere else, with its `cause` if it is known.
    pub fn end(
        mut self,
        meters: &Meters,
        id: &RequestId,
        response: &Response,
        cause: Option<&str>,
    ) {
        let (method, route) = (self.method, name(self.route.as_ref()));
        let status = response.status();
        let latency = self.began.elapsed();
        let seconds = latency.as_secs_f64();
        let span = if self.span.is_none() && status.is_server_error() {
            span(id, method, route, &self.trace)
        } else {
            self.span
        };
        let code = status.as_u16();
        span.record("http.response.status_code", code);
        self.trace.set_number("http.response.status_code", code);
        if status.is_server_error() {
            self.trace.fail(code);
        }
        let error = cause.unwrap_or("none");
        span.in_scope(|| match status {
            StatusCode::SERVICE_UNAVAILABLE => {
                tracing::warn!(http.latency.seconds = seconds, error, "request not served");
            }
            _ if status.is_server_error() => {
                tracing::error!(http.latency.seconds = seconds, error, "request failed");
            }
            _ if writes(method) && !is_of_strangers(route, response) => {
                tracing::info!(http.latency.seconds = seconds, "request answered");
            }
            _ => tracing::debug!(http.latency.seconds = seconds, "request answered"),
        });
        meters.count(route, method, code, latency);
    }
}

/// At the level of errors, because the log of a failure needs the span at any log level.
fn span(id: &RequestId, method: &'static str, route: &str, trace: &traces::Span) -> Span {
    tracing::error_span!(
        "request",
        request.id = id.as_str(),
        trace.id = trace.trace_id().map(tracing::field::display),
        http.request.method = method,
        http.route = route,
        http.response.status_code = Empty,
        link.id = Empty,
    )
}

fn writes(method: &str) -> bool {
    !matches!(method, "GET" | "HEAD")
}

/// Whether it may be refused to whoever is not known, or asks too often: they could fill the log. Only behind a key are other refusals
/// those of somebody known.
fn is_of_strangers(route: &str, response: &Response) -> bool {
    use StatusCode as S;
    let status = response.status();
    if auth::is_guarded(route) {
        return matches!(
            status,
            S::UNAUTHORIZED | S::NOT_FOUND | S::METHOD_NOT_ALLOWED | S::TOO_MANY_REQUESTS
        );
    }
    let leads_to = response.headers().get(LOCATION);
    status.is_client_error() || leads_to.is_some_and(|to| to.as_bytes().starts_with(SIGN_IN))
}

fn name(route: Option<&MatchedPath>) -> &str {
    route.map_or(UNMATCHED, MatchedPath::as_str)
}

/// A method's name; those that nobody defined count as one.
fn method_name(method: &Method) -> &'static str {
    let known = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT",
    ];
    let named = known.into_iter().find(|known| *known == method.as_str());
    named.unwrap_or(OTHER)
}

/// The metrics of all routes, each looked up in the registry once.
#[derive(Default)]
pub struct Meters(RwLock<HashMap<Arc<str>, Vec<Meter>>>);

/// What is counted of the requests of one kind.
struct Meter {
    method: &'static str,
    status: u16,
    requests: Counter,
    seconds: Histogram,
}

impl Meters {
    /// Counts a request that took so long.
    pub fn count(&self, route: &str, method: &'static str, status: u16, latency: Duration) {
        let is_of = |meter: &&Meter| meter.status == status && meter.method == method;
        let known = self.0.read();
        if let Some(meter) = known
            .get(route)
            .and_then(|meters| meters.iter().find(is_of))
        {
            return meter.count(latency);
        }
        drop(known);
        let meter = Meter::new(route, method, status);
        meter.count(latency);
        let mut meters = self.0.write();
        meters.entry(route.into()).or_default().push(meter);
    }
}

impl Meter {
    fn new(route: &str, method: &'static str, status: u16) -> Self {
        let labels = [
            ("route", route.to_owned()),
            ("method", method.to_owned()),
            ("status", status.to_string()),
        ];
        let requests = metrics::counter!("feedback_http_requests_total", &labels);
        let [route, of_method, _] = labels;
        let seconds = metrics::histogram!("feedback_http_request_seconds", &[route, of_method]);
        Self {
            method,
            status,
            requests,
            seconds,
        }
    }

    fn count(&self, latency: Duration) {
        self.requests.increment(1);
        self.seconds.record(latency);
    }
}
