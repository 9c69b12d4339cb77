//! Health and metrics pages, for orchestrators and Prometheus.
//!
//! `/health/live`: the process answers. `/health/ready`: whether it should get requests, 503 if not. Only operators see
//! the reasons and `/metrics`, where they listen ([`detailed`]); callers of the service see [`bare`] pages.

use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::routing::get;
use axum::{Extension, Router};

use crate::health::{Health, Readiness};
use crate::request_id::{RequestId, X_REQUEST_ID};
use crate::telemetry::Metrics;

/// `/health/live`, and `/health/ready` without reasons.
pub fn bare(health: Health) -> Router {
    let text = |readiness: &Readiness| {
        let not = if readiness.ready { "" } else { "not " };
        format!("{not}ready\n")
    };
    pages(health, text).layer(from_fn(identify))
}

/// `/health/live`, `/health/ready` with a line per check, and `/metrics`.
pub fn detailed(health: Health, metrics: Metrics) -> Router {
    let render = async move || {
        let text = "text/plain; version=0.0.4; charset=utf-8";
        ([(header::CONTENT_TYPE, text)], metrics.render())
    };
    pages(health, |readiness| readiness.report.to_string())
        .route("/metrics", get(render))
        .layer(from_fn(identify))
}

fn pages(health: Health, text: fn(&Readiness) -> String) -> Router {
    let ready = async move || {
        let readiness = health.readiness().await;
        let status = if readiness.ready {
            StatusCode::OK
        } else {
            StatusCode::SERVICE_UNAVAILABLE
        };
        let text = text(&readiness);
        // Tells the layers around that the text of a 503 is the answer.
        let outcome = Extension(readiness);
        (status, outcome, [(header::CACHE_CONTROL, "no-store")], text)
    };
    Router::new()
        .route("/health/live", get(async || "ok\n"))
        .route("/health/ready", get(ready))
}

/// Gives every answer its request's id, also where no other layer does.
async fn identify(request: Request, next: Next) -> Response {
    let id = RequestId::of(request.headers());
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers
        .entry(X_REQUEST_ID)
        .or_insert_with(|| id.value().clone());
    response
}
