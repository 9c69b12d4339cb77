//! Forms and their life: DRAFT → PUBLISHED → DELETED. What a form can be is judged in `domain`.

pub mod change;
mod request;

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request};
use axum::http::StatusCode;
use axum::http::header::{ETAG, LOCATION};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use domain::form::{BusPropEntry, Field, FormContent, FormInput, FormStatus};
use serde::Serialize;
use serde_json::Value;
use store::PAGE_BYTES;
use store::form::Form;
use tokio::task::spawn_blocking;
use utoipa::ToSchema;
use uuid::Uuid;

use self::request::FormRequest;
use crate::PATH;
use api_http::body::{Limit, SMALL};
use api_http::precondition::etag;
use api_http::{Caller, List, Page, PathId, Problem, QUICK, Result, within};

/// The largest form has 100 fields of 100 options, and 1,000 business properties.
const FORM_BODY: Limit = Limit {
    bytes: SMALL,
    values: 60_000,
};

/// A form.
#[derive(Serialize, ToSchema)]
#[schema(as = Form)]
pub struct FormBody<'a> {
    form_id: Uuid,
    title: &'a str,
    #[schema(example = "PUBLISHED", pattern = "^(DRAFT|PUBLISHED|DELETED)$")]
    status: &'static str,
    bus_props: Vec<BusPropBody<'a>>,
    fields: &'a [Field],
    created_at: DateTime<Utc>,
    /// Of the last change of any kind.
    updated_at: DateTime<Utc>,
    #[schema(required = true)]
    published_at: Option<DateTime<Utc>>,
    #[schema(required = true)]
    deleted_at: Option<DateTime<Utc>>,
}

/// A business property.
#[derive(Serialize, ToSchema)]
#[schema(as = BusProp)]
struct BusPropBody<'a> {
    /// Given once in the form and never reused.
    #[schema(example = "1")]
    bus_prop_id: String,
    #[schema(example = "store:Berlin")]
    bus_prop: &'a str,
    /// Only where it is: off new links, still in old ones and in reports.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    retired: bool,
}

impl<'a> FormBody<'a> {
    fn new(form: &'a Form) -> Self {
        Self {
            form_id: form.form_id,
            title: &form.content.title,
            status: form.status.as_str(),
            bus_props: form.content.bus_props.iter().map(bus_prop).collect(),
            fields: &form.content.fields,
            created_at: form.created_at,
            updated_at: form.updated_at,
            published_at: form.published_at,
            deleted_at: form.deleted_at,
        }
    }
}

fn bus_prop(entry: &BusPropEntry) -> BusPropBody<'_> {
    BusPropBody {
        bus_prop_id: entry.id.to_string(),
        bus_prop: entry.text.as_str(),
        retired: entry.retired,
    }
}

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
pub async fn create_form(caller: Caller, request: Request) -> Result<Response> {
    let body = caller.json(request, FORM_BODY).await?;
    let input = FormInput::parse(&Value::Object(body)).map_err(Problem::invalid)?;
    let content = FormContent::new(input).map_err(Problem::invalid)?;
    let form = caller.app.store.create_form(caller.account_id(), &content);
    let form = within(QUICK, form).await?;
    caller.app.recent_changes.record(form.form_id);
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
pub async fn read_form(caller: Caller, PathId(form_id): PathId) -> Result<Response> {
    let form = caller.app.store.form(caller.account_id(), form_id).await?;
    form.as_ref().map(answer).ok_or_else(Problem::not_found)
}

/// List the forms of a status, newest first.
#[utoipa::path(
    get,
    path = "/api_v1/form/list/{status}",
    params(
        ("status" = String, Path, pattern = "^(DRAFT|PUBLISHED|DELETED)$", example = "PUBLISHED"),
        List,
    ),
    responses(
        (status = 200, description = "A page of forms", body = Page<FormBody>),
        (status = 404, description = "`not_found`: no path"),
    ),
)]
pub async fn list_forms(
    caller: Caller,
    status: Result<Path<FormStatus>, PathRejection>,
    list: Result<List>,
) -> Result<Response> {
    let Path(status) = status
        .map_err(|_| Problem::invalid_parameter("status must be DRAFT, PUBLISHED or DELETED"))?;
    let (list, account_id) = (list?, caller.account_id());
    let before = list.position()?;
    let mut permit = caller.app.page_memory.permit(account_id);
    permit.grow_to(PAGE_BYTES as u64).await?;
    let forms = &caller.app.store;
    let forms = forms.forms(account_id, status, before, list.limit);
    let forms = within(QUICK, forms).await?;
    // Contents can be large: reading and writing a page of them would hold up other requests on this thread.
    let answer = spawn_blocking(move || {
        let _held = permit;
        let read = forms.rows.into_iter().map(|row| Form::read(&row));
        let read = read.collect::<Result<Vec<_>, _>>()?;
        let items = read.iter();
        let items = items.map(|form| (form.form_id, FormBody::new(form)));
        list.answer(items, forms.next)
    });
    answer.await.map_err(|error| Problem::internal(&error))?
}
