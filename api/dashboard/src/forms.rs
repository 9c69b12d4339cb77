//! Forms by their status; publishing and deleting them, and a link to one.

use api_http::{Problem, Result, parse_id};
use askama::Template;
use axum::extract::{Path, Query};
use axum::http::Method;
use axum::response::{IntoResponse, Redirect, Response};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use url::Url;

use crate::page::{Frame, page};
use crate::sent::Change;
use crate::service::{self, List, Operation, PageQuery};
use crate::sign_in::NoFields;
use crate::signed_in::SignedIn;

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
    forms: List<Form>,
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
pub async fn list(person: SignedIn, Query(query): Query<FormsQuery>) -> Result<Response> {
    let f = person.frame("forms");
    let status = STATUSES.into_iter().find(|status| *status == query.status);
    let status = status.unwrap_or(STATUSES[0]);
    let list = format!("/api_v1/form/list/{status}?limit=25");
    let template = FormsPage {
        f: &f,
        status,
        forms: person.get(&query.page.path(&list)).await?,
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
    person: SignedIn,
    Path((form_id, action)): Path<(String, String)>,
    Change(NoFields {}): Change<NoFields>,
) -> Result<Response> {
    let id = parse_id("form_id", &form_id)?;
    let (method, path) = match &*action {
        "publish" => (Method::POST, format!("/api_v1/form/{id}/publish")),
        "delete" => (Method::DELETE, format!("/api_v1/form/{id}")),
        "link" => (Method::POST, format!("/api_v1/form/link/{id}")),
        _ => return Err(Problem::not_found()),
    };
    let operation = Operation::new(method, &path);
    let noted = format!("form.{action}");
    let answer = person.change(&noted, &form_id, operation).await?;
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
