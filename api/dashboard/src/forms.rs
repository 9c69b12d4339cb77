//! Forms by their status; publishing and deleting them.

use api_form::operations;
use api_http::precondition::IfMatch;
use api_http::{Problem, Result, parse_id};
use askama::Template;
use axum::extract::{Path, Query};
use axum::response::Response;
use domain::form::FormStatus;
use serde::Deserialize;
use store::form::Form;

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

/// Publishes or deletes a form.
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
        _ => return Err(Problem::not_found()),
    }
    Ok(done::go("/dashboard/forms", &format!("form.{action}")))
}
