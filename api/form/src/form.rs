//! Forms and their life: DRAFT → PUBLISHED → DELETED. What a form can be is judged in `domain`.

pub mod change;
mod request;
mod shape;

use axum::Json;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::header::{ETAG, LOCATION};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::form::{FormContent, FormInput, FormStatus};
use serde_json::Value;
use store::PAGE_BYTES;
use store::form::Form;
use tokio::task::spawn_blocking;
use uuid::Uuid;

use self::request::FormRequest;
use self::shape::FormBody;
use crate::PATH;
use api_http::AppState;
use api_http::auth::Caller;
use api_http::body::{Limit, SMALL, json};
use api_http::deadline::{QUICK, within};
use api_http::error::Problem;
use api_http::extract::PathId;
use api_http::list::{List, ListQuery, Page};
use api_http::precondition::etag;

/// The largest form has 100 fields of 100 options, and 1,000 business properties.
const FORM_BODY: Limit = Limit {
    bytes: SMALL,
    values: 60_000,
};

/// A form with the tag of its version.
fn answer(form: &Form) -> Response {
    let tag = [(ETAG, etag(form.revision))];
    (tag, Json(FormBody::new(form))).into_response()
}

/// Make a form.
///
/// It is a DRAFT. Business properties get their `bus_prop_id` in the order given, from `"1"`.
#[utoipa::path(
    post,
    path = "/api_v1/form",
    request_body(content = FormRequest, description = "At most 1 MiB"),
    responses(
        (status = 201, description = "The form", body = FormBody, headers(
            ("Location" = String, description = "Where the form is"),
            ("ETag" = String, description = "Of this version, for `If-Match`"),
        )),
        (status = 400, description = "`invalid_json`"),
    ),
)]
pub async fn create_form(
    State(state): State<AppState>,
    caller: Caller,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let permit = state.memory().permit(caller.account_id());
    let body = json(permit, &headers, body, FORM_BODY).await?;
    let input = FormInput::parse(&Value::Object(body)).map_err(Problem::invalid)?;
    let content = FormContent::new(input).map_err(Problem::invalid)?;
    let account_id = caller.account_id();
    let form = within(QUICK, state.store().create_form(account_id, &content)).await?;
    state.recent_changes().record(form.form_id);
    tracing::info!(form.id = %form.form_id, "form made");
    let location = [(LOCATION, format!("{PATH}/{}", form.form_id))];
    Ok((StatusCode::CREATED, location, answer(&form)).into_response())
}

/// Read a form.
#[utoipa::path(
    get,
    path = "/api_v1/form/{form_id}",
    params(("form_id" = Uuid, Path)),
    responses(
        (status = 200, description = "The form", body = FormBody, headers(
            ("ETag" = String, description = "Of this version, for `If-Match`"),
        )),
    ),
)]
pub async fn read_form(
    State(state): State<AppState>,
    caller: Caller,
    PathId(form_id): PathId,
) -> Result<Response, Problem> {
    let form = state.store().form(caller.account_id(), form_id).await?;
    form.as_ref().map(answer).ok_or_else(Problem::not_found)
}

/// List the forms of a status, newest first.
#[utoipa::path(
    get,
    path = "/api_v1/form/list/{status}",
    params(
        ("status" = String, Path, pattern = "^(DRAFT|PUBLISHED|DELETED)$", example = "PUBLISHED"),
        ListQuery,
    ),
    responses(
        (status = 200, description = "A page of forms", body = Page<FormBody>),
        (status = 404, description = "`not_found`: no path"),
    ),
)]
pub async fn list_forms(
    State(state): State<AppState>,
    caller: Caller,
    status: Result<Path<FormStatus>, PathRejection>,
    query: Result<ListQuery, Problem>,
) -> Result<Response, Problem> {
    let Path(status) = status
        .map_err(|_| Problem::invalid_parameter("status must be DRAFT, PUBLISHED or DELETED"))?;
    let query = query?;
    let account_id = caller.account_id();
    let list = List::new(account_id, format!("{PATH}/list/{}", status.as_str()));
    let before = list.position(&query)?.map(Uuid::from_bytes);
    let limit = query.limit.into();
    let mut permit = state.page_memory().permit(account_id);
    permit.grow_to(PAGE_BYTES as u64).await?;
    let store = state.store();
    let forms = within(QUICK, store.forms(account_id, status, before, limit)).await?;
    // Contents can be large: reading and writing a page of them would hold up other requests on this thread.
    let answer = spawn_blocking(move || {
        let _held = permit;
        let read = forms.rows.into_iter().map(|row| Form::read(&row));
        let read = read.collect::<Result<Vec<_>, _>>()?;
        let items = read.iter();
        let items = items.map(|form| (form.form_id.into_bytes(), FormBody::new(form)));
        list.answer(&query, items, forms.next.map(Uuid::into_bytes))
    });
    answer.await.map_err(|error| Problem::internal(&error))?
}
