//! The routes of forms and their life: DRAFT → PUBLISHED → DELETED.

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request};
use axum::http::header::{ETAG, LOCATION};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use domain::form::{BusPropEntry, Field, FormInput, FormLink, FormStatus, Labels};
use serde::Serialize;
use serde_json::{Map, Value};
use store::form::Form;
use tokio::task::spawn_blocking;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::PATH;
use crate::operations;
use crate::schema::FormRequest;
use api_http::body::{Limit, SMALL};
use api_http::precondition::{IfMatch, etag};
use api_http::{Caller, List, Page, PathId, Problem, Result};

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
    /// The title in other languages.
    #[serde(skip_serializing_if = "Labels::is_empty")]
    #[schema(required = false)]
    labels: &'a Labels,
    /// Of its own texts: two or three small letters. Only where somebody said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'a str>,
    /// Before the first question.
    #[serde(skip_serializing_if = "Option::is_none")]
    intro: Option<&'a str>,
    #[serde(skip_serializing_if = "Labels::is_empty")]
    #[schema(required = false)]
    intro_labels: &'a Labels,
    /// After the answers are sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    thanks: Option<&'a str>,
    #[serde(skip_serializing_if = "Labels::is_empty")]
    #[schema(required = false)]
    thanks_labels: &'a Labels,
    /// At its end: privacy, imprint.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    #[schema(required = false, value_type = Vec<crate::schema::FormLink>)]
    links: &'a [FormLink],
    /// Only where it is: `{name|text}` in any of its texts is a tracking field of the link, or its business property of that
    /// name.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    piping: bool,
    #[schema(example = "PUBLISHED", pattern = "^(DRAFT|PUBLISHED|DELETED)$")]
    status: &'static str,
    bus_props: Vec<BusPropBody<'a>>,
    #[schema(value_type = Vec<crate::schema::Field>)]
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
            labels: &form.content.labels,
            language: form.content.language.as_deref(),
            intro: form.content.intro.as_deref(),
            intro_labels: &form.content.intro_labels,
            thanks: form.content.thanks.as_deref(),
            thanks_labels: &form.content.thanks_labels,
            links: &form.content.links,
            piping: form.content.piping,
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

/// A form with the tag of its version. A content can be large, so it is written when it is the account's turn.
async fn answer(caller: &Caller, form: Form) -> Result<Response> {
    let write = move || {
        let tag = [(ETAG, etag(form.revision))];
        Ok((tag, Json(FormBody::new(&form))).into_response())
    };
    caller.app.work(caller.account_id(), write).await
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
        (status = 409, description = "`upgrade_unfinished`: programs of an older release could not read the answers"),
    ),
)]
pub async fn create_form(caller: Caller, request: Request) -> Result<Response> {
    let input = caller.json_as(request, FORM_BODY, parse).await?;
    let form = operations::create_form(&caller, "", Ok(input)).await?;
    let location = [(LOCATION, format!("{PATH}/{}", form.form_id))];
    let answer = answer(&caller, form).await?;
    Ok((StatusCode::CREATED, location, answer).into_response())
}

fn parse(body: Map<String, Value>) -> Result<FormInput> {
    FormInput::parse(&Value::Object(body)).map_err(Problem::invalid)
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
    let (form, permit) = operations::held_form(&caller, form_id).await?;
    Ok(permit.hold(answer(&caller, form).await?))
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
    let list = list?;
    let forms = operations::list_forms(&caller, status, list.position()?, list.limit);
    let (forms, permit) = forms.await?;
    // Contents can be large: writing a page of them would hold up other requests on this thread.
    let answer = spawn_blocking(move || {
        let items = forms.rows.iter();
        let items = items.map(|form| (form.form_id, FormBody::new(form)));
        Ok(permit.hold(list.answer(items, forms.next)?))
    });
    answer.await.map_err(|error| Problem::internal(&error))?
}

/// Replace a form as a whole.
///
/// Business properties match by `bus_prop_id`, fields by `key`, options by `value`. Once the form is PUBLISHED, what is left
/// out is retired and comes alive again when it is put back; a changed type, range of grades or `bus_prop`, or an optional
/// field made required, is refused.
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
        (status = 409, description = "`form_in_use`; `form_transition`: it is DELETED; `upgrade_unfinished`"),
    ),
)]
pub async fn replace_form(
    caller: Caller,
    PathId(form_id): PathId,
    headers: HeaderMap,
    request: Request,
) -> Result<Response> {
    let input = caller.json_as(request, FORM_BODY, |body| Ok(parse(body)));
    let input = caller.unless_missing(form_id, input.await).await?;
    let if_match = IfMatch::of(&headers);
    let form = operations::replace_form(&caller, form_id, &if_match, input).await?;
    answer(&caller, form).await
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
    let form = operations::publish_form(&caller, form_id, &IfMatch::of(&headers)).await?;
    answer(&caller, form).await
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
    let form = operations::delete_form(&caller, form_id, &IfMatch::of(&headers)).await?;
    answer(&caller, form).await
}
