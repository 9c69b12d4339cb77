//! Authentication and rate limits: the checks before everything else under `/api_v1`, in the order 401, 429. An address that
//! failed too often gets 429 instead of 401 where the answer would need the database. The key is also watched while a body
//! arrives or leaves. Keys themselves are in `store`.

use std::time::Duration;

use axum::body::HttpBody as _;
use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::Response;
use chrono::{SecondsFormat, Utc};
use domain::key::ends_soon;
use store::account::{KeyRecord, hash_secret};
use tokio::time::sleep;

use crate::address;
use crate::cut::{cut_when, finish_arrived, is_preview};
use crate::extract::header;
use crate::keys::Used;
use crate::{AppState, Caller, Network, Problem, Result};

/// Where the guarded part of the service begins.
pub const API_PREFIX: &str = "/api_v1";
/// Where imports arrive.
const IMPORT: &str = "/api_v1/sms/import";

const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");
const X_SECRET_KEY: HeaderName = HeaderName::from_static("x-secret-key");
/// When a key ends that ends soon.
const X_KEY_EXPIRES: HeaderName = HeaderName::from_static("x-key-expires");

/// Notes where a request comes from, and lets only known callers, at their rate, into what lies under [`API_PREFIX`], whether
/// there is such a path or not.
///
/// # Errors
/// 401; 429; 503, also where too many changes of the account go on though their clients are gone.
pub async fn guard(app: AppState, mut request: Request, next: Next) -> Result<Response> {
    let (extensions, headers) = (request.extensions(), request.headers());
    let address = address::address(extensions, headers, &app.trusted_proxies);
    let network = Network::around(address);
    request.extensions_mut().insert(network);
    if !is_guarded(request.uri().path()) {
        return Ok(next.run(request).await);
    }
    let (key, secret) = credentials(request.headers()).ok_or_else(Problem::unauthenticated)?;
    let used = Used {
        secret: hash_secret(secret),
        address,
    };
    let failures = &app.key_failures;
    let key = app.keys.verify(&app.store, failures, (key, &used)).await?;
    app.usage.note(&key.api_key);
    let allowance = app.key_rate.check(&key.api_key)?;
    let caller = Caller::key(app.clone(), key.clone(), network, &request);
    request.extensions_mut().insert(caller);
    let revoked = || revoked(app.clone(), key.api_key.clone(), used);
    let mut response = if changes(&request) {
        let begun = app.abandoned.begin(key.account_id, &key.api_key)?;
        // Boxed, because requests that only read do not need it.
        Box::pin(finish_arrived(&app.tasks, begun, request, next, revoked())).await?
    } else if request.body().is_end_stream() {
        next.run(request).await
    } else {
        tokio::select! {
            biased;
            response = next.run(request) => response,
            // Drops what the route had begun, as when the client disconnects. Boxed for the same reason.
            () = Box::pin(revoked()) => return Err(Problem::unauthenticated()),
        }
    };
    response = cut_when(revoked(), response);
    if let Some(allowance) = allowance {
        allowance.write(response.headers_mut());
    }
    warn_of_end(&key, response.headers_mut());
    Ok(response)
}

/// Whether a request may change something, and goes on when its client is gone. An import ends then: its body is long, and only its commit
/// is to be finished, which has a task of its own.
fn changes(request: &Request) -> bool {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let path = request.extensions().get::<MatchedPath>();
    !reads && !is_preview(request) && path.is_some_and(|path| path.as_str() != IMPORT)
}

/// Tells when the key ends, if that is soon.
fn warn_of_end(key: &KeyRecord, headers: &mut HeaderMap) {
    let end = key
        .expires_at
        .filter(|_| ends_soon(key.expires_at, Utc::now()));
    let end = end.map(|end| end.to_rfc3339_opts(SecondsFormat::Secs, true));
    if let Some(Ok(end)) = end.map(HeaderValue::try_from) {
        headers.insert(X_KEY_EXPIRES, end);
    }
}

/// Whether a path lies under [`API_PREFIX`].
pub(crate) fn is_guarded(path: &str) -> bool {
    path.strip_prefix(API_PREFIX)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn credentials(headers: &HeaderMap) -> Option<(&str, &str)> {
    let text = |name| header(headers, name).ok()?;
    Some((text(X_API_KEY)?, text(X_SECRET_KEY)?))
}

/// How often a key is looked up. With the time for which a key that was found is fresh and the time of one query, it stays
/// below the 5 s in which a revocation holds.
const INTERVAL: Duration = Duration::from_millis(500);

/// Ends once a key, which has just been found good as it is used, is found revoked or has ended.
async fn revoked(app: AppState, api_key: String, used: Used) {
    loop {
        sleep(INTERVAL).await;
        let found = app.keys.look_up(&app.store, &api_key, &used);
        // While the database does not answer, keys stay valid.
        if let Ok(None) = found.await {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_under_the_prefix_is_guarded() {
        for path in [
            "/api_v1",
            "/api_v1/",
            "/api_v1//",
            "/api_v1/sms/import",
            "/api_v1/no/such/path",
        ] {
            assert!(is_guarded(path), "{path}");
        }
        for path in ["/", "/api_v2/x", "/api_v10", "/docs/api_v1", "/f/token"] {
            assert!(!is_guarded(path), "{path}");
        }
    }
}
