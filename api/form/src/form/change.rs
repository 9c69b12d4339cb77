//! Changing a form: replaced as a whole, published, deleted.

use axum::extract::Request;
use axum::http::HeaderMap;
use axum::response::Response;
use domain::form::{EditRefused, FormContent, FormInput, FormStatus};
use serde_json::Value;
use store::form::{Form, FormChange};
use uuid::Uuid;

use super::request::FormRequest;
use super::{FORM_BODY, FormBody, answer};
use api_http::deadline::soon;
use api_http::precondition::{IfMatch, changed};
use api_http::{Caller, Code, PathId, Problem, QUICK, Result, within};

/// Replace a form as a whole.
///
/// Business properties match by `bus_prop_id`, fields by `key`, options by `value`. Once the form is PUBLISHED, what is left
/// out is retired and comes alive again when it is put back; a changed type, range of grades or `bus_prop`, or an optional field made
/// required, is refused.
#[utoipa::path(
    put,
    path = "/api_v1/form/{form_id}",
    params(
        ("form_id" = Uuid, Path),
        ("If-Match" = Option<String>, Header, description = "Changes only this version"),
    ),
    request_body(content = FormRequest, description = "At most 1 MiB"),
    responses(
        (status = 200, description = "The form as it is now", body = FormBody),
        (status = 400, description = "`invalid_parameter`, `invalid_json`"),
        (status = 409, description = "`form_in_use`; `form_transition`: it is DELETED"),
    ),
)]
pub async fn replace_form(
    caller: Caller,
    PathId(form_id): PathId,
    headers: HeaderMap,
    request: Request,
) -> Result<Response> {
    let account_id = caller.account_id();
    let form = within(QUICK, caller.app.store.form(account_id, form_id)).await?;
    let form = form.ok_or_else(Problem::not_found)?;
    let if_match = IfMatch::of(&headers);
    let body = caller.json(request, FORM_BODY).await?;
    if_match.check(form.revision)?;
    if form.status == FormStatus::Deleted {
        return Err(transition(form.status, "be changed"));
    }
    let input = FormInput::parse(&Value::Object(body)).map_err(Problem::invalid)?;
    let change = soon(replace(&caller, form, if_match, input)).await?;
    done(&caller, change, "be changed")
}

/// Puts the input in the place of the form, or of what others have made of it meanwhile.
async fn replace(
    caller: &Caller,
    mut form: Form,
    if_match: IfMatch<'_>,
    input: FormInput,
) -> Result<FormChange> {
    let (store, account_id) = (&caller.app.store, caller.account_id());
    loop {
        let content = edit(&form, input.clone())?;
        let replaced = store.replace_form(account_id, form.form_id, form.revision, &content);
        match replaced.await? {
            FormChange::Changed if !if_match.names_versions() => {
                let now = store.form(account_id, form.form_id).await?;
                form = now.ok_or_else(Problem::not_found)?;
            }
            change => return Ok(change),
        }
    }
}

fn edit(form: &Form, input: FormInput) -> Result<FormContent> {
    let published = form.status == FormStatus::Published;
    form.content
        .replaced_by(input, published)
        .map_err(|refused| match refused {
            EditRefused::Invalid(errors) => Problem::invalid(errors),
            EditRefused::InUse(errors) => Problem::new(
                Code::FormInUse,
                "the form is published; what its links, answers and reports rest on cannot change",
            )
            .about(errors),
        })
}

/// Publish a form.
///
/// From then on links can be made and answers are taken.
#[utoipa::path(
    post,
    path = "/api_v1/form/{form_id}/publish",
    params(
        ("form_id" = Uuid, Path),
        ("If-Match" = Option<String>, Header, description = "Publishes only this version"),
    ),
    responses(
        (status = 200, description = "The form as it is now", body = FormBody),
        (status = 409, description = "`form_transition`: it is not a DRAFT"),
    ),
)]
pub async fn publish_form(
    caller: Caller,
    PathId(form_id): PathId,
    headers: HeaderMap,
) -> Result<Response> {
    let revision = expected(&caller, form_id, &headers).await?;
    let store = &caller.app.store;
    let change = store.publish_form(caller.account_id(), form_id, revision);
    done(&caller, change.await?, "be published")
}

/// Delete a form.
///
/// It takes no more answers and its links are gone. It is kept for reports.
#[utoipa::path(
    delete,
    path = "/api_v1/form/{form_id}",
    params(
        ("form_id" = Uuid, Path),
        ("If-Match" = Option<String>, Header, description = "Deletes only this version"),
    ),
    responses(
        (status = 200, description = "The form as it is now", body = FormBody),
        (status = 409, description = "`form_transition`: it is DELETED"),
    ),
)]
pub async fn delete_form(
    caller: Caller,
    PathId(form_id): PathId,
    headers: HeaderMap,
) -> Result<Response> {
    let revision = expected(&caller, form_id, &headers).await?;
    let store = &caller.app.store;
    let change = store.delete_form(caller.account_id(), form_id, revision);
    done(&caller, change.await?, "be deleted")
}

/// The one version that may be changed, if the caller named some.
async fn expected(caller: &Caller, form_id: Uuid, headers: &HeaderMap) -> Result<Option<i64>> {
    let if_match = IfMatch::of(headers);
    if !if_match.names_versions() {
        return Ok(None);
    }
    let form = caller.app.store.form(caller.account_id(), form_id).await?;
    let form = form.ok_or_else(Problem::not_found)?;
    if_match.check(form.revision)?;
    Ok(Some(form.revision))
}

/// Answers with what a change came to.
fn done(caller: &Caller, change: FormChange, what: &str) -> Result<Response> {
    let form = match change {
        FormChange::Done(form) => form,
        FormChange::NotFound => return Err(Problem::not_found()),
        FormChange::Changed => return Err(changed()),
        FormChange::Refused(status) => return Err(transition(status, what)),
    };
    caller.app.recent_changes.record(form.form_id);
    tracing::info!(form.id = %form.form_id, form.status = form.status.as_str(), "form changed");
    Ok(answer(&form))
}

fn transition(status: FormStatus, what: &str) -> Problem {
    let status = status.as_str();
    Problem::new(
        Code::FormTransition,
        format!("the form is {status} and cannot {what}"),
    )
}
