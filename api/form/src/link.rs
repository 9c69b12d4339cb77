//! Links to forms, as their owner sees them: made, read with what came through them, listed, deleted. What a request for one may
//! say is read in [`request`].

mod request;

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request};
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use domain::form::{BusProp, FormContent, FormStatus};
use domain::invalid::Fault;
use domain::link::{BusPropIds, Token, TrackFields};
use serde::{Deserialize, Serialize};
use store::form::{FormKey, Link, NewLink};
use utoipa::ToSchema;
use uuid::Uuid;

use self::request::{LinkRequest, read_pairs};
use crate::PATH;
use api_http::lines::page_permit;
use api_http::list::TrackFieldQuery;
use api_http::{
    AppState, Caller, Code, List, Page, PathId, Problem, QUICK, Result, found, parse_id, within,
};

/// A link.
#[derive(Serialize, ToSchema)]
#[schema(as = Link)]
pub struct LinkResponse<'a> {
    /// What is sent to people.
    #[schema(example = "https://feedback.example/f/AAECAwQFBgcICQoLDA0ODw")]
    link: String,
    #[schema(value_type = String, example = "AAECAwQFBgcICQoLDA0ODw")]
    token: Token,
    form_id: Uuid,
    /// In the order of the path.
    #[schema(example = json!(["store:Berlin"]))]
    bus_props: Vec<&'a str>,
    #[schema(value_type = std::collections::BTreeMap<String, String>)]
    track_fields: &'a TrackFields,
    #[schema(required = true)]
    expires_at: Option<DateTime<Utc>>,
    #[schema(required = true)]
    max_responses: Option<i64>,
    /// What its owner calls it.
    #[schema(required = true, example = json!("Counter, ground floor"))]
    name: Option<&'a str>,
    /// Many people answer it from one address, so that no limit of answers by address holds.
    kiosk: bool,
    created_at: DateTime<Utc>,
}

/// A link with what came through it.
#[derive(Serialize, ToSchema)]
#[schema(as = LinkWithCounts)]
pub struct LinkWithCounts<'a> {
    #[serde(flatten)]
    link: LinkResponse<'a>,
    /// Since then it is gone for everybody but its owner.
    #[schema(required = true)]
    deleted_at: Option<DateTime<Utc>>,
    /// The days on which a visit saw or answered it, of all visits together. As fresh as reports.
    views: i64,
    /// As fresh as reports.
    responses: i64,
}

impl<'a> LinkResponse<'a> {
    fn new(state: &AppState, link: &'a Link, form: &'a FormContent) -> Self {
        Self {
            link: state.link_url(link.token),
            token: link.token,
            form_id: link.form_id,
            bus_props: link.bus_prop_ids.texts(form).map(BusProp::as_str).collect(),
            track_fields: &link.track_fields,
            expires_at: link.expires_at,
            max_responses: link.max_responses,
            name: link.name.as_deref(),
            kiosk: link.kiosk,
            created_at: link.created_at,
        }
    }
}

impl<'a> LinkWithCounts<'a> {
    fn new(state: &AppState, link: &'a Link, form: &'a FormContent) -> Self {
        Self {
            link: LinkResponse::new(state, link, form),
            deleted_at: link.deleted_at,
            views: link.views,
            responses: link.responses,
        }
    }
}

/// What a path names; it need not be UTF-8.
type InPath<T> = Result<Path<T>, PathRejection>;

/// The token of a path. A text that is no token names a link that nobody has.
fn token(path: InPath<String>) -> Result<Token> {
    path.ok()
        .and_then(|Path(token)| token.parse().ok())
        .ok_or_else(Problem::not_found)
}

/// Read a link, with its views and responses.
///
/// A deleted link is there for its owner.
#[utoipa::path(
    get,
    path = "/api_v1/form/link/{id}",
    params(("id" = String, Path, pattern = "^([A-Za-z0-9_-]{22}|[A-Za-z0-9]{11})$", description = "The link's `token`")),
    responses((status = 200, description = "The link", body = LinkWithCounts)),
)]
pub async fn read_link(caller: Caller, path: InPath<String>) -> Result<Response> {
    let token = token(path)?;
    let (store, account_id) = (&caller.app.store, caller.account_id());
    let link = found(store.link(account_id, &token)).await?;
    let form = caller.app.form(account_id, link.form_id).await?;
    Ok(Json(LinkWithCounts::new(&caller.app, &link, &form.content)).into_response())
}

/// List a form's links, newest first.
///
/// Deleted ones too. With several tracking fields a page may be empty before the end.
#[utoipa::path(
    get,
    path = "/api_v1/form/{form_id}/link",
    params(("form_id" = Uuid, Path), TrackFieldQuery, List),
    responses((status = 200, description = "A page of links", body = Page<LinkWithCounts>)),
)]
pub async fn list_links(
    caller: Caller,
    PathId(form_id): PathId,
    narrowed: Result<TrackFieldQuery>,
    list: Result<List>,
) -> Result<Response> {
    let (store, key) = (
        &caller.app.store,
        FormKey::new(caller.account_id(), form_id),
    );
    let form = caller.app.form(key.account_id, form_id).await?.content;
    let (track_fields, list) = (narrowed?.track_field, list?);
    let permit = page_permit(&caller.app, key.account_id).await?;
    let links = store.links(key, &track_fields, list.position()?, list.limit);
    let links = links.await?;
    let items = links.rows.iter().map(|link| {
        let item = LinkWithCounts::new(&caller.app, link, &form);
        (link.link_id, item)
    });
    Ok(permit.hold(list.answer(items, links.next)?))
}

/// Delete a link.
///
/// It is gone at once for everybody but its owner; what came through it stays in reports. Deleted again, it stays so.
#[utoipa::path(
    delete,
    path = "/api_v1/form/link/{id}",
    params(("id" = String, Path, pattern = "^([A-Za-z0-9_-]{22}|[A-Za-z0-9]{11})$", description = "The link's `token`")),
    responses((status = 204, description = "Deleted, now or before")),
)]
pub async fn delete_link(caller: Caller, path: InPath<String>) -> Result<StatusCode> {
    let token = token(path)?;
    let deleted = caller.app.store.delete_link(caller.account_id(), &token);
    let link_id = deleted.await?.ok_or_else(Problem::not_found)?;
    caller.app.recent_changes.record(link_id);
    tracing::info!(link.id = %link_id, "link deleted");
    Ok(StatusCode::NO_CONTENT)
}

/// What the path of a new link names.
#[derive(Deserialize)]
pub struct LinkPath {
    /// Without business properties it stands where a link's token does.
    #[serde(alias = "id")]
    form_id: String,
    /// Left out: none.
    #[serde(default)]
    bus_prop_id: String,
}

/// Generate a link without business properties.
///
/// Each call makes a new one. The body may be left out; any member that is not known makes no link.
#[utoipa::path(
    post,
    path = "/api_v1/form/link/{id}",
    params(("id" = Uuid, Path, description = "The form's `form_id`")),
    request_body(content(
        (Option<LinkRequest> = "application/x-www-form-urlencoded"),
        (Option<LinkRequest> = "multipart/form-data"),
    ), description = "At most 1 MiB"),
    responses(
        (status = 201, description = "The link", body = LinkResponse, headers(
            ("Location" = String, description = "Where the link is read"),
        )),
        (status = 400, description = "`invalid_parameter`, `invalid_form`"),
        (status = 409, description = "`form_not_published`"),
        (status = 422, description = "`validation_failed`, `too_many_track_fields`"),
    ),
)]
pub async fn create_plain_link(
    caller: Caller,
    path: InPath<LinkPath>,
    request: Request,
) -> Result<Response> {
    create_link(caller, path, request).await
}

/// Generate a link.
///
/// Each call makes a new one. The body may be left out; any member that is not known makes no link.
#[utoipa::path(
    post,
    path = "/api_v1/form/link/{form_id}/{bus_prop_id}",
    params(
        ("form_id" = Uuid, Path),
        ("bus_prop_id" = String, Path, pattern = "^[1-9][0-9]*(_[1-9][0-9]*)*$", example = "1_2",
            description = "Business properties of the form by their ids, each once, at most 50, joined by `_`"),
    ),
    request_body(content(
        (Option<LinkRequest> = "application/x-www-form-urlencoded"),
        (Option<LinkRequest> = "multipart/form-data"),
    ), description = "At most 1 MiB"),
    responses(
        (status = 201, description = "The link", body = LinkResponse, headers(
            ("Location" = String, description = "Where the link is read"),
        )),
        (status = 400, description = "`invalid_parameter`: also an id that the form has not, or that is retired; `invalid_form`"),
        (status = 409, description = "`form_not_published`"),
        (status = 422, description = "`validation_failed`, `too_many_track_fields`"),
    ),
)]
pub async fn create_link(
    caller: Caller,
    path: InPath<LinkPath>,
    request: Request,
) -> Result<Response> {
    let Path(path) = path.map_err(|_| Problem::invalid_parameter("the path is not UTF-8"))?;
    let form_id = parse_id("form_id", &path.form_id)?;
    let (app, account_id) = (&caller.app, caller.account_id());
    let form = app.form(account_id, form_id).await?;
    let pairs = read_pairs(app.memory.permit(account_id), request).await?;
    let bus_prop_ids: BusPropIds = path
        .bus_prop_id
        .parse()
        .map_err(|error| bus_prop_ids_problem(&error))?;
    if form.status != FormStatus::Published {
        let status = form.status.as_str();
        return Err(Problem::new(
            Code::FormNotPublished,
            format!("the form is {status}; only a PUBLISHED one has links"),
        ));
    }
    bus_prop_ids
        .check_for_new_link(&form.content)
        .map_err(|error| bus_prop_ids_problem(&error))?;
    let request = LinkRequest::read(&pairs, Utc::now())?;
    let link = NewLink {
        account_id,
        form_id,
        token: Token::new(rand::random()),
        bus_prop_ids,
        track_fields: request.track_fields,
        expires_at: request.expires_at,
        max_responses: request.max_responses,
        name: request.name,
        kiosk: request.kiosk.unwrap_or_default(),
    };
    let link = within(QUICK, app.store.create_link(&link)).await?;
    tracing::info!(link.id = %link.link_id, form.id = %form_id, "link made");
    let location = [(LOCATION, format!("{PATH}/link/{}", link.token))];
    let body = Json(LinkResponse::new(app, &link, &form.content));
    Ok((StatusCode::CREATED, location, body).into_response())
}

fn bus_prop_ids_problem(error: &Fault) -> Problem {
    Problem::invalid_parameter(format!("bus_prop_id: {error}"))
}
