//! How every error leaves, and what the router itself answers.

use std::sync::Arc;

use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::response::Response;

use super::{Code, PROBLEM_JSON, Problem};
use platform::health::Readiness;
use platform::request_id::RequestId;

/// Writes a problem's body, and makes a problem of whatever else is an error, but not of a page for people nor of the
/// outcome of health checks. Gives the cause, which is for the log alone.
pub fn render(response: &mut Response, request_id: &RequestId) -> Option<Arc<str>> {
    let status = response.status();
    if !status.is_client_error() && !status.is_server_error() {
        return None;
    }
    let problem = match response.extensions_mut().remove::<Problem>() {
        Some(problem) => problem,
        None if is_told(response) => return None,
        None => {
            let code = Code::of_status(status);
            *response.status_mut() = code.status();
            Problem::new(code, code.title())
        }
    };
    let headers = response.headers_mut();
    headers.remove(CONTENT_LENGTH);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
    *response.body_mut() = Body::from(problem.body(request_id));
    problem.cause
}

fn is_told(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE);
    response.extensions().get::<Readiness>().is_some()
        || kind
            .is_some_and(|kind| kind == PROBLEM_JSON || kind.as_bytes().starts_with(b"text/html"))
}

/// What the router answers where it knows no path.
pub async fn not_found() -> Problem {
    Problem::not_found()
}

/// What the router answers where it knows the path but not the method; it adds `Allow`.
pub async fn method_not_allowed() -> Problem {
    Problem::new(
        Code::MethodNotAllowed,
        "the header Allow names the methods of this path",
    )
}
