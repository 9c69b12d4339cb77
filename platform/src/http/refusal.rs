//! What is refused before there is a route: as a problem, as routes answer.

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HOST, RETRY_AFTER};
use axum::http::{HeaderValue, Request, StatusCode, Version};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::request_id::{RequestId, X_REQUEST_ID};

/// Why a request is not for this service, by the host that it names: requests of HTTP/1.1 and later name exactly one. Plain
/// probes that speak HTTP/1.0 name none.
pub(super) fn wrong_host(request: &Request<Body>) -> Option<&'static str> {
    let mut hosts = request.headers().get_all(HOST).iter();
    let authority = request.uri().authority();
    match (hosts.next(), hosts.next(), authority) {
        (_, Some(_), _) => Some("a request names one host"),
        (None, None, None) if request.version() > Version::HTTP_10 => {
            Some("the request names no host")
        }
        (Some(host), None, Some(authority))
            if !host
                .as_bytes()
                .eq_ignore_ascii_case(authority.as_str().as_bytes()) =>
        {
            Some("the request names two hosts")
        }
        _ => None,
    }
}

/// 400.
pub(super) fn invalid(request: &Request<Body>, detail: &str) -> Response {
    let (code, title) = ("invalid_parameter", "A parameter is invalid");
    problem(request, StatusCode::BAD_REQUEST, code, title, detail)
}

/// 431.
pub(super) fn too_many_headers(request: &Request<Body>) -> Response {
    let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
    let (code, title) = ("invalid_parameter", "A parameter is invalid");
    let detail = "the request has more than 100 headers";
    problem(request, status, code, title, detail)
}

/// 503: there is too much at once.
pub(super) fn busy(request: &Request<Body>, detail: &str) -> Response {
    let (code, title) = ("busy", "The account's own share is in use");
    let status = StatusCode::SERVICE_UNAVAILABLE;
    let mut response = problem(request, status, code, title, detail);
    let wait = HeaderValue::from_static("5");
    response.headers_mut().insert(RETRY_AFTER, wait);
    response
}

fn problem(
    request: &Request<Body>,
    status: StatusCode,
    code: &str,
    title: &str,
    detail: &str,
) -> Response {
    let id = RequestId::of(request.headers());
    let body = json!({
        "type": format!("/problems/{code}"),
        "title": title,
        "status": status.as_u16(),
        "detail": detail,
        "code": code,
        "request_id": id.as_str(),
    });
    let kind = HeaderValue::from_static("application/problem+json");
    let headers = [(CONTENT_TYPE, kind), (X_REQUEST_ID, id.value().clone())];
    (status, headers, body.to_string()).into_response()
}
