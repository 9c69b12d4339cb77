//! Operations of the API, called in process for whoever is signed in.

use api_http::{Code, Network, Problem, Result};
use axum::body::Body;
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, Method, Request};
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tower::ServiceExt;
use url::form_urlencoded::Serializer;

use crate::signed_in::SignedIn;
use crate::state::DashboardState;

/// A page of a list of the API.
#[derive(serde::Deserialize)]
pub struct List<T> {
    pub items: Vec<T>,
    pub next_cursor: Option<String>,
}

impl<T> List<T> {
    /// The query of the next page, with other parameters of the page.
    pub fn next(&self, keep: &[(&str, &str)]) -> Option<String> {
        let cursor = self.next_cursor.as_deref()?;
        let mut query = Serializer::new(String::new());
        Some(
            query
                .extend_pairs(keep)
                .append_pair("cursor", cursor)
                .finish(),
        )
    }
}

/// Reads what the API answers at a path.
///
/// # Errors
/// What the operation answers.
pub async fn get<T: DeserializeOwned>(
    state: &DashboardState,
    person: &SignedIn,
    path: &str,
) -> Result<T> {
    read(
        call(
            state,
            person,
            Method::GET,
            path,
            Body::empty(),
            HeaderMap::new(),
        )
        .await?,
    )
    .await
}

/// The body of an answer.
///
/// # Errors
/// 500: it is none of this kind.
pub async fn read<T: DeserializeOwned>(answer: Response) -> Result<T> {
    let body = answer.into_body().collect().await;
    let body = body.map_err(|error| Problem::internal(&error))?.to_bytes();
    serde_json::from_slice(&body).map_err(|error| Problem::internal(&error))
}

/// An operation that changes something.
pub struct Operation<'a> {
    /// What it is called in the audit log, and what it is done to.
    pub action: &'a str,
    pub subject: &'a str,
    pub method: Method,
    pub path: &'a str,
    /// In JSON, if the operation takes one.
    pub body: Option<Value>,
}

/// Runs an operation that changes something, and notes it in the audit log.
///
/// # Errors
/// What the operation answers; 503: it cannot be noted, so it is not run.
pub async fn change(
    state: &DashboardState,
    person: &SignedIn,
    network: Network,
    operation: Operation<'_>,
) -> Result<Response> {
    let Operation {
        action,
        subject,
        method,
        path,
        body,
    } = operation;
    let noted = person.note(state, network, action, subject).await?;
    let json = [(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    let headers = body
        .as_ref()
        .map(|_| HeaderMap::from_iter(json))
        .unwrap_or_default();
    let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
    let answer = call(state, person, method, path, body, headers).await;
    noted.came_to(state, status(&answer)).await;
    answer
}

/// The HTTP status that an operation came to.
pub fn status(answer: &Result<Response>) -> u16 {
    let status = match answer {
        Ok(answer) => answer.status(),
        Err(problem) => problem.clone().into_response().status(),
    };
    status.as_u16()
}

/// Runs any operation.
///
/// # Errors
/// What the operation answers.
pub async fn call(
    state: &DashboardState,
    person: &SignedIn,
    method: Method,
    path: &str,
    body: Body,
    headers: HeaderMap,
) -> Result<Response> {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(ACCEPT, "application/json");
    let mut request = request
        .body(body)
        .map_err(|error| Problem::internal(&error))?;
    request.headers_mut().extend(headers);
    request.extensions_mut().insert(person.caller(state));
    request.extensions_mut().insert(person.request_id.clone());
    let Ok(mut response) = state.api.clone().oneshot(request).await;
    let status = response.status();
    match response.extensions_mut().remove::<Problem>() {
        Some(problem) => Err(problem),
        None if status.is_client_error() || status.is_server_error() => Err(Problem::new(
            Code::Internal,
            "an operation of the API failed",
        )),
        None => Ok(response),
    }
}

/// What is wrong, member by member, as people read it.
pub fn reasons(problem: &Problem) -> String {
    let reasons = problem.members().iter().map(|one| one.detail.as_str());
    let reasons: Vec<_> = [problem.detail()].into_iter().chain(reasons).collect();
    reasons.join(": ")
}

/// A value of JSON as people read it.
pub fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(text).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
