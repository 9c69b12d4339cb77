//! Forms by their status; publishing and deleting them, and a link to one.

use api_http::{Network, Problem, Result, parse_id};
use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::Method;
use axum::response::{IntoResponse, Redirect, Response};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use url::Url;

use crate::imports::PageQuery;
use crate::page::{Frame, page};
use crate::service::{self, Operation};
use crate::sign_in::Nothing;
use crate::signed_in::{Change, SignedIn};
use crate::state::DashboardState;

const STATUSES: [&str; 3] = ["PUBLISHED", "DRAFT", "DELETED"];

/// Which forms.
#[derive(Deserialize)]
pub struct FormsQuery {
    #[serde(default)]
    status: String,
    #[serde(flatten)]
    page: PageQuery,
}

#[derive(Template)]
#[template(path = "forms.html")]
struct FormsPage<'a> {
    f: &'a Frame,
    status: &'a str,
    forms: Vec<Form>,
    next: Option<String>,
}

#[derive(Deserialize)]
struct Form {
    #[serde(rename = "form_id")]
    id: String,
    title: String,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    fields: Vec<Field>,
}

#[derive(Deserialize)]
struct Field {
    label: String,
}

/// `GET /dashboard/forms`.
pub async fn list(
    State(state): State<DashboardState>,
    person: SignedIn,
    Query(query): Query<FormsQuery>,
) -> Result<Response> {
    let f = person.frame("forms");
    let status = STATUSES.into_iter().find(|status| *status == query.status);
    let status = status.unwrap_or(STATUSES[0]);
    let path = query
        .page
        .path(&format!("/api_v1/form/list/{status}?limit=25"));
    let found: service::List<Form> = service::get(&state, &person, &path).await?;
    let next = found.next(&[("status", status)]);
    let template = FormsPage {
        f: &f,
        status,
        forms: found.items,
        next,
    };
    Ok(page(&f, &template))
}

#[derive(Template)]
#[template(path = "link.html")]
struct LinkPage<'a> {
    f: &'a Frame,
    link: &'a str,
    /// On this host, which may be reached under another name than links have.
    path: &'a str,
}

#[derive(Deserialize)]
struct Made {
    /// Its URL.
    link: String,
}

/// Publishes or deletes a form, or makes a link to it.
pub async fn act(
    State(state): State<DashboardState>,
    person: SignedIn,
    network: Network,
    Path((form_id, action)): Path<(String, String)>,
    Change(Nothing {}): Change<Nothing>,
) -> Result<Response> {
    let id = parse_id("form_id", &form_id)?;
    let (method, path) = match &*action {
        "publish" => (Method::POST, format!("/api_v1/form/{id}/publish")),
        "delete" => (Method::DELETE, format!("/api_v1/form/{id}")),
        "link" => (Method::POST, format!("/api_v1/form/link/{id}")),
        _ => return Err(Problem::not_found()),
    };
    let noted = format!("form.{action}");
    let operation = Operation {
        action: &noted,
        subject: &form_id,
        method,
        path: &path,
        body: None,
    };
    let answer = service::change(&state, &person, network, operation).await?;
    if action == "link" {
        let made: Made = service::read(answer).await?;
        let url = Url::parse(&made.link).map_err(|error| Problem::internal(&error))?;
        let f = person.frame("forms");
        let template = LinkPage {
            f: &f,
            link: &made.link,
            path: url.path(),
        };
        return Ok(page(&f, &template));
    }
    Ok(Redirect::to("/dashboard/forms").into_response())
}
