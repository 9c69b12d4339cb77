//! The one mapping from what can go wrong to `application/problem+json` (RFC 9457).
//!
//! A handler returns a [`Problem`]; [`render`] writes its body at the end, because only there the request's id is known.
//! Whatever else answers with an error status (the router, a library) becomes one there too, so that nothing reaches a
//! caller as plain text. What is wrong with a single record lives in `domain::record`.

mod code;

use std::borrow::Cow;
use std::error::Error;
use std::io;
use std::sync::Arc;

use axum::body::Body;
use axum::http::header::{
    CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use domain::invalid::Invalid;
use domain::record::RecordError;
use serde::Serialize;
use utoipa::ToSchema;

pub use self::code::Code;
use platform::health::Readiness;
use platform::one_line;
use platform::request_id::RequestId;

/// The result of a handler.
pub type Result<T, E = Problem> = std::result::Result<T, E>;

/// The media type of every error.
pub const PROBLEM_JSON: &str = "application/problem+json";

const API_KEY_CHALLENGE: HeaderValue = HeaderValue::from_static("ApiKey realm=\"feedback\"");

/// An error as it is answered: RFC 9457.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{detail}")]
pub struct Problem {
    code: Code,
    detail: Cow<'static, str>,
    /// What goes with it, such as when to come again.
    headers: Vec<(HeaderName, HeaderValue)>,
    wrong: Option<Box<InputErrors>>,
    /// For the log, never for the caller.
    cause: Option<Arc<str>>,
}

/// What is wrong with the input.
#[derive(Clone, Debug)]
struct InputErrors {
    /// Of a refused import: records received, records rejected, errors that are not kept.
    counts: Option<[u64; 3]>,
    errors: Errors,
}

/// One by one.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum Errors {
    Records(Vec<RecordError>),
    Members(Vec<Invalid>),
}

/// What is wrong with the input, one by one.
#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
#[schema(as = InputError)]
pub struct InputErrorSchema {
    /// Of an import: which record of the body, from 0.
    #[schema(required = false, nullable = false)]
    index: Option<u64>,
    /// Of an import: the record's docid, if it has a string there.
    #[schema(required = false)]
    docid: Option<String>,
    /// Where in the body, as a JSON pointer.
    #[schema(example = "/fields/0/key")]
    pointer: String,
    /// What is wrong, for programs.
    #[schema(example = "malformed")]
    code: String,
    /// What is wrong, for people.
    detail: String,
}

/// A problem as it is sent.
#[derive(Serialize, ToSchema)]
#[schema(as = Problem)]
pub struct ProblemBody<'a> {
    /// `/problems/` and the code.
    #[serde(rename = "type")]
    #[schema(example = "/problems/not_found")]
    kind: String,
    title: &'a str,
    #[schema(example = 404)]
    status: u16,
    /// What is wrong with this request, for people.
    detail: &'a str,
    /// What is wrong, for programs.
    #[schema(example = "not_found")]
    code: &'a str,
    /// Also in the header `x-request-id`.
    request_id: &'a str,
    /// Of a refused import: the records of the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    received: Option<u64>,
    /// Of a refused import: the records that are invalid.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    rejected: Option<u64>,
    /// Of a refused import: the errors that are not kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    errors_dropped: Option<u64>,
    /// What is invalid, the first 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false, value_type = Vec<InputErrorSchema>)]
    errors: Option<&'a Errors>,
}

impl Problem {
    /// A problem with its occurrence described in a sentence that quotes no phone number.
    pub fn new(code: Code, detail: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            detail: detail.into(),
            headers: Vec::new(),
            wrong: None,
            cause: None,
        }
    }

    /// A path or query value that cannot be.
    pub fn invalid_parameter(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Code::InvalidParameter, detail)
    }

    /// Byte for byte the same for every reason.
    pub fn unauthenticated() -> Self {
        Self::new(
            Code::Unauthenticated,
            "x-api-key and x-secret-key must be those of a key that is not revoked or expired",
        )
        .with([(WWW_AUTHENTICATE, API_KEY_CHALLENGE)])
    }

    /// Also for anything of another account.
    pub fn not_found() -> Self {
        Self::new(Code::NotFound, "there is nothing at this path")
    }

    /// A server that the request needs is down.
    pub fn unavailable() -> Self {
        Self::new(
            Code::Unavailable,
            "a server that is needed does not answer; try again",
        )
        .retry_after(1)
    }

    /// A body of more than `limit` bytes, as they come or decoded.
    pub fn too_large(limit: u64) -> Self {
        let detail = format!("the body may have {limit} bytes here");
        Self::new(Code::BodyTooLarge, detail)
    }

    /// A body below the minimum throughput.
    pub fn body_too_slow() -> Self {
        Self::new(
            Code::BodyTooSlow,
            "others waited for memory, or nothing arrived for a minute; send at least 64 KiB a second",
        )
    }

    /// A fault of the service. `cause` is logged once, with the request, and never shown.
    pub fn internal(cause: &(dyn Error + 'static)) -> Self {
        Self::new(
            Code::Internal,
            "the service failed; the request id leads to the cause in its log",
        )
        .because(cause)
    }

    /// Names the cause, for the log.
    #[must_use]
    pub fn because(self, cause: &(dyn Error + 'static)) -> Self {
        Self {
            cause: Some(one_line(cause).into()),
            ..self
        }
    }

    /// An import of which nothing is kept because of its records: how many were received, how many rejected, how many errors
    /// are not kept, and the first of the errors.
    pub fn refused(counts: [u64; 3], errors: Vec<RecordError>, detail: &'static str) -> Self {
        Self::new(Code::ValidationFailed, detail).wrong(Some(counts), Errors::Records(errors))
    }

    /// Input of which these members are wrong.
    pub fn invalid(errors: Vec<Invalid>) -> Self {
        Self::new(
            Code::ValidationFailed,
            "the input is invalid; nothing of it is kept",
        )
        .about(errors)
    }

    /// Names the members that it is about.
    #[must_use]
    pub fn about(self, errors: Vec<Invalid>) -> Self {
        self.wrong(None, Errors::Members(errors))
    }

    fn wrong(self, counts: Option<[u64; 3]>, errors: Errors) -> Self {
        let wrong = Some(Box::new(InputErrors { counts, errors }));
        Self { wrong, ..self }
    }

    /// Tells when to come again, in seconds.
    #[must_use]
    pub fn retry_after(self, seconds: u64) -> Self {
        self.with([(RETRY_AFTER, seconds.into())])
    }

    /// Adds headers.
    #[must_use]
    pub fn with(mut self, headers: impl IntoIterator<Item = (HeaderName, HeaderValue)>) -> Self {
        self.headers.extend(headers);
        self
    }

    /// What went wrong.
    pub fn code(&self) -> Code {
        self.code
    }

    /// What goes with it, such as when to come again.
    pub fn headers(&self) -> HeaderMap {
        self.headers.iter().cloned().collect()
    }

    /// What is wrong with this request, for people.
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// What is wrong with the members of a body, one by one.
    pub fn members(&self) -> &[Invalid] {
        match self.wrong.as_deref().map(|wrong| &wrong.errors) {
            Some(Errors::Members(members)) => members,
            _ => &[],
        }
    }

    /// The body, for the request of this id.
    pub fn body(&self, request_id: &RequestId) -> Bytes {
        let wrong = self.wrong.as_deref();
        let counts = wrong.and_then(|wrong| wrong.counts);
        let body = ProblemBody {
            kind: format!("/problems/{}", self.code.as_str()),
            title: self.code.title(),
            status: self.code.status().as_u16(),
            detail: &self.detail,
            code: self.code.as_str(),
            request_id: request_id.as_str(),
            received: counts.map(|[received, ..]| received),
            rejected: counts.map(|[_, rejected, _]| rejected),
            errors_dropped: counts.map(|[.., dropped]| dropped),
            errors: wrong.map(|wrong| &wrong.errors),
        };
        // Texts and numbers always serialise.
        Bytes::from(serde_json::to_vec(&body).unwrap_or_default())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = (self.code.status(), self.headers()).into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<io::Error> for Problem {
    /// The problem that the error holds; any other is a fault of the service.
    fn from(error: io::Error) -> Self {
        error
            .downcast()
            .unwrap_or_else(|error| Self::internal(&error))
    }
}

impl From<store::Error> for Problem {
    fn from(error: store::Error) -> Self {
        match error {
            store::Error::UpgradeUnfinished => {
                Self::new(Code::UpgradeUnfinished, error.to_string())
            }
            // Its keys and sessions are gone too.
            store::Error::AccountEnded => Self::unauthenticated(),
            error if error.is_unavailable() => Self::unavailable().because(&error),
            error => Self::internal(&error),
        }
    }
}

/// Writes a problem's body, and makes a problem of whatever else is an error, but not of a page for people nor of the
/// outcome of health checks. Gives the cause, which is for the log alone.
pub fn render(response: &mut Response, request_id: &RequestId) -> Option<Arc<str>> {
    let status = response.status();
    if !status.is_client_error() && !status.is_server_error() {
        return None;
    }
    let problem = response.extensions_mut().remove::<Problem>();
    let kind = response.headers().get(CONTENT_TYPE);
    let has_body =
        kind.is_some_and(|kind| kind == PROBLEM_JSON || kind.as_bytes().starts_with(b"text/html"));
    if has_body || response.extensions().get::<Readiness>().is_some() {
        return problem.and_then(|problem| problem.cause);
    }
    let problem = problem.unwrap_or_else(|| {
        let code = Code::of_status(status);
        Problem::new(code, code.title())
    });
    *response.status_mut() = problem.code.status();
    let headers = response.headers_mut();
    // These describe the body that is replaced.
    headers.remove(CONTENT_LENGTH);
    headers.remove(CONTENT_ENCODING);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
    *response.body_mut() = Body::from(problem.body(request_id));
    problem.cause
}

/// What the router answers where it knows the path but not the method; it adds `Allow`.
pub async fn method_not_allowed() -> Problem {
    Problem::new(
        Code::MethodNotAllowed,
        "the header Allow names the methods of this path",
    )
}

/// A problem whose body is known already: one that is remembered under an idempotency key.
pub fn written(status: StatusCode, body: Bytes) -> Response {
    (status, [(CONTENT_TYPE, PROBLEM_JSON)], body).into_response()
}

#[cfg(test)]
mod tests;
