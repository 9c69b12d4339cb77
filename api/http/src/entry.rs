//! The one layer around all routes: what happens to every request, in one place.
//!
//! In this order: the request gets its id and is observed, its body is wrapped (so that an early refusal reads on), the
//! caller is let in or not, the route answers; then whatever is an error becomes a problem, and the id is written. A
//! panic ends here.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_TYPE, ETAG, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::FutureExt;
use platform::request_id::{RequestId, X_REQUEST_ID};
use platform::telemetry::traces::Span;
use tracing::Instrument;

use crate::observe::{Meters, Observation};
use crate::{AppState, auth, drain, error, observe};

/// Keeps pages of other sites out of a page's browsing context group.
const OPENER: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
/// Browsers ask over TLS alone for so long.
const YEAR: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// The layer around the service's own routes.
pub async fn guarded(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let meters = Arc::clone(&state.meters);
    let path = request.uri().path();
    let is_private = auth::is_guarded(path) || path.starts_with("/dashboard");
    let is_secure = state.public_url.starts_with("https://");
    let trace = observe::trace(&request);
    let mut response = answer(&meters, request, trace, |request| {
        auth::guard(state, request, next).map(IntoResponse::into_response)
    })
    .await;
    keep_safe(response.headers_mut(), is_secure, is_private);
    response
}

/// What all pages have, all answers of a service that others reach over TLS, and those for whoever has a key or a session, unless they
/// say themselves who may keep them.
fn keep_safe(headers: &mut HeaderMap, is_secure: bool, is_private: bool) {
    let kind = headers.get(CONTENT_TYPE);
    if kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/html")) {
        headers.insert(OPENER, HeaderValue::from_static("same-origin"));
    }
    if is_secure {
        headers.insert(STRICT_TRANSPORT_SECURITY, YEAR);
    }
    if is_private {
        // What has a tag is asked for again with it.
        let kept = if headers.contains_key(ETAG) {
            "private, no-cache"
        } else {
            "private, no-store"
        };
        let nosniff = HeaderValue::from_static("nosniff");
        headers.entry(X_CONTENT_TYPE_OPTIONS).or_insert(nosniff);
        let kept = HeaderValue::from_static(kept);
        headers.entry(CACHE_CONTROL).or_insert(kept);
    }
}

/// The layer around routes that need no key: health and metrics, which are asked too often to be traced.
pub async fn open(State(meters): State<Arc<Meters>>, request: Request, next: Next) -> Response {
    answer(&meters, request, Span::default(), |request| {
        next.run(request)
    })
    .await
}

async fn answer<F>(
    meters: &Meters,
    mut request: Request,
    trace: Span,
    route: impl FnOnce(Request) -> F,
) -> Response
where
    F: Future<Output = Response>,
{
    let id = RequestId::of(request.headers()).in_trace(trace.context());
    let observation = Observation::begin(&request, &id, trace);
    request.extensions_mut().insert(id.clone());
    let mut response = AssertUnwindSafe(route(drain::read_on(request)))
        .catch_unwind()
        .instrument(observation.span.clone())
        .await
        // The panic's own message went to the log when it happened.
        .unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response());
    let cause = error::render(&mut response, &id);
    observation.end(meters, &id, &response, cause.as_deref());
    let headers = response.headers_mut();
    headers.insert(X_REQUEST_ID, id.value().clone());
    response
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::http::Request;
    use axum::middleware::from_fn_with_state;
    use axum::routing::get;
    use tower::ServiceExt;

    use super::*;

    async fn ask(path: &str) -> Response {
        async fn broken() {
            panic!("on purpose");
        }
        let router = Router::new()
            .route("/broken", get(broken))
            .layer(from_fn_with_state(Arc::default(), open));
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

    #[test]
    fn pages_and_answers_over_tls_have_headers_that_keep_them_safe() {
        for (kind, is_secure, has_opener) in [
            ("text/html; charset=utf-8", true, true),
            ("text/html", false, true),
            ("application/json", true, false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
            keep_safe(&mut headers, is_secure, false);
            assert_eq!(headers.contains_key(OPENER), has_opener, "{kind}");
            let strict = headers.contains_key(STRICT_TRANSPORT_SECURITY);
            assert_eq!(strict, is_secure, "{kind}");
            assert!(!headers.contains_key(CACHE_CONTROL), "{kind}");
        }
    }

    #[test]
    fn nobody_else_keeps_what_is_for_whoever_has_a_key_or_a_session() {
        for (given, kept) in [
            (None, "private, no-store"),
            (Some((ETAG, "\"1\"")), "private, no-cache"),
            (Some((CACHE_CONTROL, "no-store")), "no-store"),
        ] {
            let given = given.map(|(name, value)| (name, HeaderValue::from_static(value)));
            let mut headers = HeaderMap::from_iter(given);
            keep_safe(&mut headers, false, true);
            assert_eq!(headers[CACHE_CONTROL], kept);
            assert_eq!(headers[X_CONTENT_TYPE_OPTIONS], "nosniff");
        }
    }

    #[tokio::test]
    async fn a_panic_is_a_500() {
        let response = ask("/broken").await;
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(response.headers()[X_REQUEST_ID], "r-1");
    }
}
