//! The layers through which every error leaves, and what the router itself answers.

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{ALLOW, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::Response;

use super::{Code, PROBLEM_JSON, Problem};
use platform::request_id::RequestId;

/// The layer that writes the bodies of problems.
pub async fn render(request_id: RequestId, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let Some(problem) = response.extensions_mut().remove::<Problem>() else {
        return response;
    };
    let headers = response.headers_mut();
    headers.remove(CONTENT_LENGTH);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
    *response.body_mut() = Body::from(problem.body(&request_id));
    response
}

/// The layer below [`render`] that makes a problem of whatever else answers with an error; but not of a page for people.
pub async fn adopt(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let status = response.status();
    if (status.is_client_error() || status.is_server_error()) && !is_told(&response) {
        let code = Code::of_status(status);
        *response.status_mut() = code.status();
        response
            .extensions_mut()
            .insert(Problem::new(code, code.title()));
    }
    response
}

fn is_told(response: &Response) -> bool {
    response.extensions().get::<Problem>().is_some()
        || response
            .headers()
            .get(CONTENT_TYPE)
            .is_some_and(|kind| kind == PROBLEM_JSON || kind.as_bytes().starts_with(b"text/html"))
}

/// The router names the methods of a path on whatever is answered to a wrong one, also where a layer refused it before
/// the method was looked at. Only a 405 may tell.
pub async fn only_405_allows(mut response: Response) -> Response {
    if response.status() != StatusCode::METHOD_NOT_ALLOWED {
        response.headers_mut().remove(ALLOW);
    }
    response
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
