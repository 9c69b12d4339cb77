//! The outermost layer: a request's id, its span, its metrics, and the one place where a panic ends.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::FutureExt;
use metrics::{Counter, Histogram};
use tracing::Instrument;
use tracing::field::Empty;

use crate::error::{self, Code, Problem};
use platform::request_id::{RequestId, X_REQUEST_ID};

/// What is counted for a path that no route has.
const UNMATCHED: &str = "unmatched";

/// The layer. Headers and query values are never recorded: they hold secrets and personal data.
pub async fn observe(mut request: Request, next: Next) -> Response {
    let begin = Instant::now();
    let id = RequestId::of(request.headers());
    request.extensions_mut().insert(id.clone());
    let method = method_name(request.method());
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or(UNMATCHED, MatchedPath::as_str);
    let span = tracing::info_span!(
        "request",
        request.id = id.as_str(),
        http.request.method = method,
        http.route = route,
        http.response.status_code = Empty,
        link.id = Empty,
    );
    let mut response = AssertUnwindSafe(next.run(request))
        .catch_unwind()
        .instrument(span.clone())
        .await
        .unwrap_or_else(|_| panicked(&id));
    let status = response.status().as_u16();
    span.record("http.response.status_code", status);
    span.in_scope(|| {
        let latency = begin.elapsed();
        let seconds = latency.as_secs_f64();
        match (response.status().is_server_error(), method) {
            (true, _) => tracing::warn!(http.latency.seconds = seconds, "request failed"),
            (false, "GET" | "HEAD") => {
                tracing::debug!(http.latency.seconds = seconds, "request answered");
            }
            (false, _) => tracing::info!(http.latency.seconds = seconds, "request answered"),
        }
        Meter::new(route, method, status).count(latency);
    });
    if let Some(value) = id.value() {
        response.headers_mut().insert(X_REQUEST_ID, value);
    }
    response
}

/// The panic's own message went to the log when it happened.
fn panicked(id: &RequestId) -> Response {
    let problem = Problem::new(Code::Internal, Code::Internal.title());
    let body = problem.body(id);
    error::written(problem.into_response().status(), body)
}

/// What is counted of the requests of one kind.
#[derive(Clone)]
pub struct Meter {
    requests: Counter,
    seconds: Histogram,
}

impl Meter {
    /// Looks the metrics up, which takes longer than counting.
    pub fn new(route: &str, method: &'static str, status: u16) -> Self {
        let labels = [
            ("route", route.to_owned()),
            ("method", method.to_owned()),
            ("status", status.to_string()),
        ];
        let requests = metrics::counter!("feedback_http_requests_total", &labels);
        let [route, method, _] = labels;
        let seconds = metrics::histogram!("feedback_http_request_seconds", &[route, method]);
        Self { requests, seconds }
    }

    /// Counts a request that took so long.
    pub fn count(&self, latency: Duration) {
        self.requests.increment(1);
        self.seconds.record(latency);
    }
}

/// A method's name; those that nobody defined count as one.
fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        Method::PATCH => "PATCH",
        Method::TRACE => "TRACE",
        Method::CONNECT => "CONNECT",
        _ => "OTHER",
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::http::{Request, StatusCode};
    use axum::middleware::from_fn;
    use axum::routing::get;
    use tower::ServiceExt;

    use super::*;

    async fn ask(path: &str) -> Response {
        async fn broken() {
            panic!("on purpose");
        }
        let router = Router::new()
            .route("/broken", get(broken))
            .layer(from_fn(observe));
        let request = Request::get(path)
            .header("x-request-id", "r-1")
            .body(Body::empty())
            .unwrap();
        router.oneshot(request).await.unwrap()
    }

    #[tokio::test]
    async fn every_response_carries_the_request_id() {
        let response = ask("/nowhere").await;
        assert_eq!(response.status(), StatusCode::NOT_FOUND);
        assert_eq!(response.headers()[X_REQUEST_ID], "r-1");
    }

    #[tokio::test]
    async fn a_panic_is_a_500() {
        let response = ask("/broken").await;
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(response.headers()[X_REQUEST_ID], "r-1");
    }
}
