//! What the editors of forms and of campaigns share: a draft begins as what is stored or as a copy of it, and is saved unless
//! somebody else has changed that since the page was drawn.

use api_http::{Code, Problem, Result, parse_id};
use api_language::Text;
use axum::extract::{Path, Query};
use axum::http::header::ETAG;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use crate::sent::{self, Pairs};
use crate::service::{self, Operation};
use crate::signed_in::SignedIn;

/// What the form of an editor has.
pub trait Draft: Sized + Sync + Send {
    /// Of what is stored, in JSON.
    fn read(stored: &Value) -> Self;

    /// Of what the page sends.
    fn sent(pairs: Vec<(String, String)>) -> Self;

    /// In JSON.
    fn write(&self) -> Value;
}

/// A draft with its pages.
pub trait Edit: Draft {
    /// In the audit log.
    const NAME: &'static str;
    /// Where the API has what is stored.
    const STORED: &'static str;

    /// What a new one begins as.
    fn new(t: &Text) -> Self;

    fn title(&self) -> &str;

    /// The page after it was stored.
    fn after(stored: &Value) -> String;

    /// The editor with this draft.
    fn page(
        &self,
        person: &SignedIn,
        editing: &Editing,
    ) -> impl Future<Output = Result<Response>> + Send;
}

/// What an editor is about.
#[derive(Default)]
pub struct Editing {
    /// Of what is stored.
    pub id: Option<String>,
    /// The version of it that is to be changed, as its tag.
    pub version: String,
    /// Why the draft was not stored.
    pub problem: Option<Problem>,
}

impl Editing {
    /// Whether somebody else changed what is stored.
    pub fn is_outdated(&self) -> bool {
        let problem = self.problem.as_ref();
        problem.is_some_and(|problem| problem.code() == Code::PreconditionFailed)
    }

    /// The HTTP status of the page.
    pub fn status(&self) -> StatusCode {
        let problem = self.problem.as_ref();
        problem.map_or(StatusCode::OK, |problem| problem.code().status())
    }
}

/// What a new one begins as a copy of.
#[derive(Deserialize)]
pub struct CopyQuery {
    #[serde(default)]
    copy: String,
}

/// The editor of a new one.
pub async fn new<D: Edit>(
    person: SignedIn,
    Query(CopyQuery { copy }): Query<CopyQuery>,
) -> Result<Response> {
    let draft = if copy.is_empty() {
        D::new(person.t)
    } else {
        find(&person, &copy).await?.0
    };
    draft.page(&person, &Editing::default()).await
}

/// The editor of one that is stored.
pub async fn edit<D: Edit>(person: SignedIn, Path(id): Path<String>) -> Result<Response> {
    show::<D>(&person, id, None).await
}

/// The same, with a problem of something that was tried.
///
/// # Errors
/// 404, 503.
pub async fn show<D: Edit>(
    person: &SignedIn,
    id: String,
    problem: Option<Problem>,
) -> Result<Response> {
    let (draft, version): (D, _) = find(person, &id).await?;
    let editing = Editing {
        id: Some(id),
        version,
        problem,
    };
    draft.page(person, &editing).await
}

/// What is stored, and the tag of its version.
async fn find<D: Edit>(person: &SignedIn, id: &str) -> Result<(D, String)> {
    let path = format!("{}/{}", D::STORED, parse_id("id", id)?);
    let stored = person.run(Operation::new(Method::GET, &path)).await?;
    let tag = stored.headers().get(ETAG);
    let tag = tag.and_then(|tag| tag.to_str().ok()).unwrap_or_default();
    let tag = tag.to_owned();
    let body = service::body(stored).await?;
    let read = || Ok(D::read(&service::of_json(&body)?));
    let app = &person.state.app;
    let draft: Result<_> = app.work_here(person.account_id, body.len(), read).await;
    Ok((draft?, tag))
}

/// Whether what is stored still has this version.
///
/// # Errors
/// 404, 503.
pub async fn is_current<D: Edit>(person: &SignedIn, id: &Uuid, version: &str) -> Result<bool> {
    let (_, stored): (D, _) = find(person, &id.to_string()).await?;
    Ok(stored == version)
}

/// Makes one, or replaces the version of it that the page was drawn from.
pub async fn save<D: Edit>(
    person: SignedIn,
    id: Option<Path<String>>,
    Pairs(pairs): Pairs,
) -> Result<Response> {
    let id = id.map(|Path(id)| id);
    let version = pairs.iter().find(|(name, _)| name == "version");
    let mut version = version.map_or_else(String::new, |(_, tag)| tag.clone());
    let account_id = person.account_id;
    let (app, bytes) = (&person.state.app, sent::size(&pairs));
    let read = || {
        let draft = D::sent(pairs);
        let content = draft.write();
        (draft, content)
    };
    let (draft, content) = app.work_here(account_id, bytes, read).await;
    let (method, path, done, subject) = match &id {
        Some(id) => {
            let path = format!("{}/{}", D::STORED, parse_id("id", id)?);
            (Method::PUT, path, "replace", id.as_str())
        }
        None => (Method::POST, D::STORED.to_owned(), "create", draft.title()),
    };
    let operation = Operation::new(method, &path)
        .body(content)
        .if_match(&version);
    let action = format!("{}.{done}", D::NAME);
    let problem = match person.change(&action, subject, operation).await {
        Ok(stored) => {
            let page = D::after(&service::read(stored).await?);
            return Ok(Redirect::to(&page).into_response());
        }
        Err(problem) => problem,
    };
    if let (Some(id), Code::PreconditionFailed) = (&id, problem.code())
        && let Ok((_, newer)) = find::<D>(&person, id).await
    {
        // Whoever saves again has been told of it.
        version = newer;
    }
    let editing = Editing {
        id,
        version,
        problem: Some(problem),
    };
    draft.page(&person, &editing).await
}
