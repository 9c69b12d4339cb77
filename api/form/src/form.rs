//! Forms and their life: DRAFT → PUBLISHED → DELETED. What a form can be is judged in `domain`.

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request};
use axum::http::header::{ETAG, LOCATION};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use domain::form::{BusPropEntry, EditRefused, Field, FormContent, FormInput, FormStatus, Labels};
use serde::Serialize;
use serde_json::{Map, Value};
use store::PAGE_BYTES;
use store::form::{Form, FormChange, FormEdit};
use tokio::task::spawn_blocking;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::PATH;
use crate::schema::FormRequest;
use api_http::body::{Limit, SMALL};
use api_http::deadline::soon;
use api_http::precondition::{IfMatch, changed, etag};
use api_http::{Caller, Code, List, Page, PathId, Problem, QUICK, Result, within};

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
    /// Only where it is: `{name|text}` in a title or label is a tracking field of the link.
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
    ),
)]
pub async fn create_form(caller: Caller, request: Request) -> Result<Response> {
    let judge = |body| FormContent::new(parse(body)?).map_err(Problem::invalid);
    let content = caller.json_as(request, FORM_BODY, judge).await?;
    let form = caller.app.store.create_form(caller.account_id(), &content);
    let form = within(QUICK, form).await?;
    caller.app.recent_changes.record(form.form_id);
    tracing::info!(form.id = %form.form_id, "form made");
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
    let form = caller.app.form(caller.account_id(), form_id).await?;
    answer(&caller, form).await
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
    let mut permit = caller.app.list_memory.permit(account_id);
    permit.grow_to(PAGE_BYTES as u64).await?;
    let forms = &caller.app.store;
    let forms = forms.forms(account_id, status, before, list.limit);
    let forms = within(QUICK, forms).await?;
    // Contents can be large: reading and writing a page of them would hold up other requests on this thread.
    let answer = spawn_blocking(move || {
        let read = forms.rows.into_iter().map(|row| Form::read(&row));
        let read = read.collect::<Result<Vec<_>, _>>()?;
        let items = read.iter();
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
    let form = caller.app.form(account_id, form_id).await?;
    let if_match = IfMatch(&headers);
    // What it is against comes before what is wrong with it.
    let input = caller
        .json_as(request, FORM_BODY, |body| Ok(parse(body)))
        .await?;
    if_match.check(form.revision)?;
    if form.status == FormStatus::Deleted {
        return Err(transition(form.status, "be changed"));
    }
    let change = soon(replace(&caller, form, if_match, input?)).await?;
    done(&caller, change, "be changed").await
}

/// Puts the input in the place of the form, or of what others have made of it meanwhile.
async fn replace(
    caller: &Caller,
    mut form: Form,
    if_match: IfMatch<'_>,
    mut input: FormInput,
) -> Result<FormChange> {
    let (store, account_id) = (&caller.app.store, caller.account_id());
    loop {
        let (form_id, revision) = (form.form_id, Some(form.revision));
        let judge = move || {
            let content = edit(&form, input.clone())?;
            Ok((content, input))
        };
        let content;
        (content, input) = caller.app.work(account_id, judge).await?;
        let edit = FormEdit::Replace(&content);
        let replaced = store.edit_form(account_id, form_id, revision, edit);
        match replaced.await? {
            FormChange::Changed if !if_match.names_versions() => {
                form = caller.app.form(account_id, form_id).await?;
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
    turn(
        &caller,
        form_id,
        &headers,
        FormEdit::Publish,
        "be published",
    )
    .await
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
    turn(&caller, form_id, &headers, FormEdit::Delete, "be deleted").await
}

/// Gives the form another status, if it has the version that the caller named or none was named.
async fn turn(
    caller: &Caller,
    form_id: Uuid,
    headers: &HeaderMap,
    edit: FormEdit<'_>,
    what: &str,
) -> Result<Response> {
    let (store, account_id) = (&caller.app.store, caller.account_id());
    let if_match = IfMatch(headers);
    let revision = if if_match.names_versions() {
        let form = caller.app.form(account_id, form_id).await?;
        if_match.check(form.revision)?;
        Some(form.revision)
    } else {
        None
    };
    let change = store.edit_form(account_id, form_id, revision, edit);
    done(caller, change.await?, what).await
}

/// Answers with what a change came to.
async fn done(caller: &Caller, change: FormChange, what: &str) -> Result<Response> {
    let form = match change {
        FormChange::Done(form) => *form,
        FormChange::NotFound => return Err(Problem::not_found()),
        FormChange::Changed => return Err(changed()),
        FormChange::Refused(status) => return Err(transition(status, what)),
    };
    caller.app.recent_changes.record(form.form_id);
    tracing::info!(form.id = %form.form_id, form.status = form.status.as_str(), "form changed");
    answer(caller, form).await
}

fn transition(status: FormStatus, what: &str) -> Problem {
    let status = status.as_str();
    Problem::new(
        Code::FormTransition,
        format!("the form is {status} and cannot {what}"),
    )
}
