//! Forms and their life: DRAFT → PUBLISHED → DELETED. What a form can be is judged in `domain`.

pub mod change;
mod shape;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::{ETAG, LOCATION};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::form::{FormContent, FormDraft};
use serde_json::Value;
use store::form::Form;
use uuid::Uuid;

use self::shape::{FormBody, FormRequest};
use api_http::AppState;
use api_http::auth::Caller;
use api_http::body::{Limit, SMALL, json};
use api_http::cursor::List;
use api_http::deadline::{QUICK, within};
use api_http::error::{Problem, ProblemBody};
use api_http::extract::{FormId, Status};
use api_http::list::{ListQuery, Page};
use api_http::precondition::etag;

/// The largest form has 100 fields of 100 options, and 1,000 business properties.
const FORM_BODY: Limit = Limit {
    bytes: SMALL,
    values: 60_000,
};

/// Where this resource is.
const PATH: &str = "/api_v1/form";

/// A form with the tag of its version.
fn answer(form: &Form) -> Response {
    let tag = [(ETAG, etag(form.revision))];
    (tag, Json(FormBody::new(form))).into_response()
}

/// Tells everyone who remembers the form, or shows its title, that it has changed.
fn tell(state: &AppState, account_id: Uuid, form: &Form) {
    state.recent_changes().record(form.form_id);
    state.notifier().account_changed(account_id);
}

/// Make a form.
///
/// It is a DRAFT. Business properties get their `bus_prop_id` in the order given, from `"1"`.
#[utoipa::path(
    post,
    path = "",
    tag = "form",
    request_body(content = FormRequest, description = "At most 1 MiB"),
    responses(
        (status = 201, description = "The form", body = FormBody, headers(
            ("Location" = String, description = "Where the form is"),
            ("ETag" = String, description = "Of this version, for `If-Match`"),
        )),
        (status = 400, description = "`invalid_json`", body = ProblemBody, content_type = "application/problem+json"),
        (status = 413, description = "`body_too_large`", body = ProblemBody, content_type = "application/problem+json"),
        (status = 415, description = "`unsupported_media_type`",
            body = ProblemBody, content_type = "application/problem+json"),
        (status = 422, description = "`validation_failed`",
            body = ProblemBody, content_type = "application/problem+json"),
    ),
)]
pub async fn create_form(
    State(state): State<AppState>,
    caller: Caller,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let body = json(state.buffers(), &headers, body, FORM_BODY).await?;
    let draft = FormDraft::parse(&Value::Object(body)).map_err(Problem::invalid)?;
    let content = FormContent::new(draft).map_err(Problem::invalid)?;
    let account_id = caller.account_id();
    let form = within(QUICK, state.store().create_form(account_id, &content)).await?;
    tell(&state, account_id, &form);
    tracing::info!(form.id = %form.form_id, "form made");
    let mut response = (StatusCode::CREATED, answer(&form)).into_response();
    if let Ok(place) = HeaderValue::from_str(&format!("{PATH}/{}", form.form_id)) {
        response.headers_mut().insert(LOCATION, place);
    }
    Ok(response)
}

/// Read a form.
#[utoipa::path(
    get,
    path = "/{form_id}",
    tag = "form",
    params(("form_id" = Uuid, Path)),
    responses(
        (status = 200, description = "The form", body = FormBody, headers(
            ("ETag" = String, description = "Of this version, for `If-Match`"),
        )),
        (status = 400, description = "`invalid_parameter`",
            body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
    ),
)]
pub async fn read_form(
    State(state): State<AppState>,
    caller: Caller,
    FormId(form_id): FormId,
) -> Result<Response, Problem> {
    let form = state.store().form(caller.account_id(), form_id).await?;
    form.as_ref().map(answer).ok_or_else(Problem::not_found)
}

/// List the forms of a status, newest first.
#[utoipa::path(
    get,
    path = "/list/{status}",
    tag = "form",
    params(
        ("status" = String, Path, pattern = "^(DRAFT|PUBLISHED|DELETED)$", example = "PUBLISHED"),
        ListQuery,
    ),
    responses(
        (status = 200, description = "A page of forms", body = Page<FormBody>, headers(
            ("Link" = String, description = "The next page, `rel=\"next\"`"),
        )),
        (status = 400, description = "`invalid_parameter`",
            body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, description = "`not_found`: no path", body = ProblemBody,
            content_type = "application/problem+json"),
    ),
)]
pub async fn list_forms(
    State(state): State<AppState>,
    caller: Caller,
    Status(status): Status,
    query: ListQuery,
) -> Result<Response, Problem> {
    let list = List {
        account_id: caller.account_id(),
        operation: "forms",
        query: status.as_str().as_bytes(),
    };
    let before = query
        .cursor
        .as_deref()
        .map(|cursor| list.open(cursor))
        .transpose()?
        .map(Uuid::from_bytes);
    let look_ahead = query.look_ahead() as u64;
    let forms = state
        .store()
        .forms(caller.account_id(), status, before, look_ahead)
        .await?;
    let page = Page::new(forms, &query, |form| list.seal(form.form_id.into_bytes()));
    let path = format!("{PATH}/list/{status}");
    let bodies = Page {
        items: page.items.iter().map(FormBody::new).collect(),
        next_cursor: page.next_cursor.clone(),
    };
    Ok(bodies.answer(&path, &query))
}
