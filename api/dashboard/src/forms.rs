//! Forms by their status; publishing and deleting them, and a link to one.

use api_form::{LinkRequest, operations};
use api_http::precondition::IfMatch;
use api_http::{Problem, Result, parse_id};
use askama::Template;
use axum::extract::{Path, Query};
use axum::response::Response;
use domain::form::FormStatus;
use domain::link::BusPropIds;
use serde::Deserialize;
use store::form::Form;
use url::Url;
use uuid::Uuid;

use crate::done;
use crate::list::{PageQuery, ShownList};
use crate::page::{Frame, page};
use crate::sent::SentChange;
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
    forms: ShownList<Form>,
}

/// `GET /dashboard/forms`.
pub async fn list(person: SignedIn, Query(query): Query<FormsQuery>) -> Result<Response> {
    let f = person.frame("forms");
    let status = query.status.parse().unwrap_or(FormStatus::Published);
    let list = query.page.list(&person, status.as_str(), 25);
    let forms = operations::list_forms(&person.caller, status, list.position()?, list.limit);
    let (forms, _permit) = forms.await?;
    let template = FormsPage {
        f: &f,
        status: status.as_str(),
        forms: ShownList::new(&list, forms),
    };
    Ok(page(&f, &template))
}

#[derive(Template)]
#[template(path = "link.html")]
struct FormLinkPage<'a> {
    f: &'a Frame,
    link: &'a str,
    /// On this host, which may be reached under another name than links have.
    path: &'a str,
}

/// Publishes or deletes a form, or makes a link to it.
pub async fn act(
    person: SignedIn,
    Path((form_id, action)): Path<(String, String)>,
    SentChange(NoFields {}): SentChange<NoFields>,
) -> Result<Response> {
    let (caller, form_id) = (&person.caller, parse_id("form_id", &form_id)?);
    let any = IfMatch::default();
    match &*action {
        "publish" => drop(operations::publish_form(caller, form_id, &any).await?),
        "delete" => drop(operations::delete_form(caller, form_id, &any).await?),
        "link" => return show_link(&person, form_id).await,
        _ => return Err(Problem::not_found()),
    }
    Ok(done::go("/dashboard/forms", &format!("form.{action}")))
}

/// Makes a link, and shows it.
async fn show_link(person: &SignedIn, form_id: Uuid) -> Result<Response> {
    let (all, request) = (BusPropIds::default(), LinkRequest::default());
    let made = operations::create_link(&person.caller, form_id, all, Ok(request));
    let made = made.await?;
    let url = Url::parse(&made.link).map_err(|error| Problem::internal(&error))?;
    let f = person.frame("forms");
    let template = FormLinkPage {
        f: &f,
        link: &made.link,
        path: url.path(),
    };
    Ok(page(&f, &template))
}
