//! The routes of links to forms, as their owner sees them: made, read with what came through them, listed, deleted. What a request
//! for one may say is read in [`crate::link_request`].

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request};
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::{IntoResponse, Response};
use chrono::Utc;
use domain::link::Token;
use serde::Deserialize;

use crate::PATH;
use crate::link_request::{LinkRequest, read_pairs};
use crate::operations::{self, LinkResponse, LinkWithCounts, bus_prop_ids_problem};
use api_http::list::TrackFieldQuery;
use api_http::{Caller, List, Page, PathId, Problem, Result, parse_id};

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
pub async fn read_link(caller: Caller, path: InPath<String>) -> Result<Json<LinkWithCounts>> {
    Ok(Json(operations::read_link(&caller, &token(path)?).await?))
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
    let request = async {
        let (narrowed, list) = (narrowed?, list?);
        let after = list.position()?;
        Ok((narrowed.track_field, list, after))
    };
    let request = caller.unless_missing(form_id, request.await);
    let (track_fields, list, after) = request.await?;
    let links = operations::list_links(&caller, form_id, &track_fields, after, list.limit);
    let (links, permit) = links.await?;
    Ok(permit.hold(list.answer(links.rows, links.next)?))
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
    operations::delete_link(&caller, &token(path)?).await?;
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
    let permit = caller.app.memory.permit(caller.account_id());
    let request = async {
        let pairs = read_pairs(permit, request).await?;
        let bus_prop_ids = path.bus_prop_id.parse();
        Ok((
            bus_prop_ids.map_err(|error| bus_prop_ids_problem(&error))?,
            pairs,
        ))
    };
    let request = caller.unless_missing(form_id, request.await);
    let (bus_prop_ids, pairs) = request.await?;
    let request = LinkRequest::read(&pairs, Utc::now());
    let link = operations::create_link(&caller, form_id, bus_prop_ids, request).await?;
    let location = [(LOCATION, format!("{PATH}/link/{}", link.token))];
    Ok((StatusCode::CREATED, location, Json(link)).into_response())
}
