//! Operations of the API, called in process for whoever is signed in.

use std::fmt::Display;
use std::iter::once;

use api_http::{Code, Problem, Result};
use api_language::Text;
use axum::body::Body;
use axum::http::header::{ACCEPT, CONTENT_TYPE, IF_MATCH};
use axum::http::{HeaderMap, HeaderValue, Method, Request, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use bytes::Bytes;
use domain::record::RecordError;
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::ListPage;
use tower::ServiceExt;
use url::form_urlencoded::Serializer;

use crate::signed_in::SignedIn;

/// A page of a list of the API.
#[derive(Default, Deserialize)]
pub struct List<T> {
    pub items: Vec<T>,
    next_cursor: Option<String>,
}

/// Which page of a list.
#[derive(Default, Deserialize)]
pub struct PageQuery {
    #[serde(default)]
    cursor: String,
}

impl PageQuery {
    /// The page of at most `limit` items of a list, which has a name of its own.
    pub fn list(&self, person: &SignedIn, name: &str, limit: usize) -> api_http::List {
        let cursor = (!self.cursor.is_empty()).then(|| self.cursor.clone());
        api_http::List::page_of(&person.caller, name, limit, cursor)
    }

    /// The path of the list's page. That of the list has a query.
    pub fn path(&self, list: &str) -> String {
        if self.cursor.is_empty() {
            return list.to_owned();
        }
        let mut query = Serializer::new(String::new());
        format!(
            "{list}&{}",
            query.append_pair("cursor", &self.cursor).finish()
        )
    }
}

impl<T> List<T> {
    /// The page that was asked for as `list`.
    pub fn new<P: Serialize>(list: &api_http::List, page: ListPage<T, P>) -> Self {
        Self {
            items: page.rows,
            next_cursor: page.next.map(|position| list.cursor(&position)),
        }
    }

    /// The query of the next page, after the other parameters of this one.
    pub fn next(&self, keep: impl Display) -> Option<String> {
        let cursor = self.next_cursor.as_deref()?;
        let mut query = Serializer::new(keep.to_string());
        Some(query.append_pair("cursor", cursor).finish())
    }
}

/// An operation of the API.
pub struct Operation<'a> {
    method: Method,
    path: &'a str,
    /// In JSON, if the operation takes one.
    body: Option<Value>,
    /// The version that it changes; empty: any.
    if_match: &'a str,
}

impl<'a> Operation<'a> {
    pub fn new(method: Method, path: &'a str) -> Self {
        Self {
            method,
            path,
            body: None,
            if_match: "",
        }
    }

    pub fn body(self, body: Value) -> Self {
        Self {
            body: Some(body),
            ..self
        }
    }

    pub fn if_match(self, if_match: &'a str) -> Self {
        Self { if_match, ..self }
    }
}

impl SignedIn {
    /// Reads what the API answers at a path.
    ///
    /// # Errors
    /// What the operation answers.
    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T> {
        read(self.run(Operation::new(Method::GET, path)).await?).await
    }

    /// Runs an operation that changes something, and notes it in the audit log: what is done, and what to.
    ///
    /// # Errors
    /// What the operation answers; 503: it cannot be noted, so it is not run.
    pub async fn change(
        &self,
        action: &str,
        subject: &str,
        operation: Operation<'_>,
    ) -> Result<Response> {
        let noted = self.caller.note(action, subject).await?;
        let answer = self.run(operation).await;
        noted.record_status(status(&answer)).await;
        answer
    }

    /// The same, and goes on to a page.
    ///
    /// # Errors
    /// As above.
    pub async fn change_then(
        &self,
        action: &str,
        subject: &str,
        operation: Operation<'_>,
        page: &str,
    ) -> Result<Response> {
        self.change(action, subject, operation).await?;
        Ok(Redirect::to(page).into_response())
    }

    /// Runs an operation that is not noted.
    ///
    /// # Errors
    /// What the operation answers.
    pub async fn run(&self, operation: Operation<'_>) -> Result<Response> {
        let mut headers = HeaderMap::new();
        if !operation.if_match.is_empty() {
            let tag = HeaderValue::from_str(operation.if_match);
            let tag = tag.map_err(|_| Problem::invalid_parameter("the version is none"))?;
            headers.insert(IF_MATCH, tag);
        }
        let body = operation.body.map_or_else(Body::empty, |body| {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            Body::from(body.to_string())
        });
        self.call(operation.method, operation.path, headers, body)
            .await
    }

    /// Calls any operation, with any body.
    ///
    /// # Errors
    /// What the operation answers.
    pub async fn call(
        &self,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: Body,
    ) -> Result<Response> {
        let request = Request::builder().method(method).uri(path).body(body);
        let mut request = request.map_err(|error| Problem::internal(&error))?;
        *request.headers_mut() = headers;
        let accept = request.headers_mut().entry(ACCEPT);
        accept.or_insert(HeaderValue::from_static("application/json"));
        request.extensions_mut().insert(self.caller.clone());
        let request_id = self.caller.request_id.clone();
        request.extensions_mut().insert(request_id);
        let Ok(mut response) = self.state.api.clone().oneshot(request).await;
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
}

/// The body of an answer.
///
/// # Errors
/// 500: it is none of this kind.
pub async fn read<T: DeserializeOwned>(answer: Response) -> Result<T> {
    of_json(&body(answer).await?)
}

/// The bytes of an answer.
///
/// # Errors
/// 500: it breaks off.
pub async fn body(answer: Response) -> Result<Bytes> {
    let body = answer.into_body().collect().await;
    Ok(body.map_err(|error| Problem::internal(&error))?.to_bytes())
}

/// What these bytes say.
///
/// # Errors
/// 500: it is none of this kind.
pub fn of_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|error| Problem::internal(&error))
}

/// The HTTP status that an operation came to.
pub fn status(answer: &Result<Response>) -> StatusCode {
    match answer {
        Ok(answer) => answer.status(),
        Err(problem) => problem.code().status(),
    }
}

/// So many records of a refused import are named.
const RECORDS: usize = 5;

/// What is wrong, member by member if any are, as people read it.
pub fn reasons(t: &Text, problem: &Problem) -> String {
    let reasons = problem.members().iter();
    let reasons: Vec<_> = reasons
        .map(|one| t.refused(one.code, &one.detail))
        .collect();
    if !reasons.is_empty() {
        return reasons.join("; ");
    }
    let whole = t.refused(problem.code().as_str(), problem.detail());
    let records = problem.records().iter().take(RECORDS).map(|one| {
        let why = record_reason(t, one);
        format!("{} {}: {why}", t.get("record"), one.index + 1)
    });
    once(whole).chain(records).collect::<Vec<_>>().join("; ")
}

/// What is wrong with a record, as people read it.
pub fn record_reason(t: &Text, error: &RecordError) -> String {
    t.refused(error.code.into(), &error.detail)
}

/// A value of JSON as people read it.
pub fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(text).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
