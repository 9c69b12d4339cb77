//! Making links. What a request may say is read in [`super::request`].

use api_http::{Caller, Code, Problem, QUICK, Result, parse_id, within};
use axum::Json;
use axum::extract::{Path, Request};
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::{IntoResponse, Response};
use chrono::Utc;
use domain::form::FormStatus;
use domain::link::{BusPropIds, BusPropIdsError, Token};
use serde::Deserialize;
use store::form::NewLink;

use super::request::{LinkRequest, read_pairs};
use super::{InPath, LinkResponse};
use crate::PATH;

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
    let form = within(QUICK, app.store.form(account_id, form_id)).await?;
    let form = form.ok_or_else(Problem::not_found)?;
    let pairs = read_pairs(app.memory.permit(account_id), request).await?;
    let bus_prop_ids: BusPropIds = path.bus_prop_id.parse().map_err(bus_prop_ids_problem)?;
    if form.status != FormStatus::Published {
        let status = form.status.as_str();
        return Err(Problem::new(
            Code::FormNotPublished,
            format!("the form is {status}; only a PUBLISHED one has links"),
        ));
    }
    bus_prop_ids
        .check_for_new_link(&form.content)
        .map_err(bus_prop_ids_problem)?;
    let request = LinkRequest::read(&pairs, Utc::now())?;
    let link = NewLink {
        account_id,
        form_id,
        token: Token::new(rand::random()),
        bus_prop_ids,
        track_fields: request.track_fields,
        expires_at: request.expires_at,
        max_responses: request.max_responses,
    };
    let link = within(QUICK, app.store.create_link(&link)).await?;
    tracing::info!(link.id = %link.link_id, form.id = %form_id, "link made");
    let location = [(LOCATION, format!("{PATH}/link/{}", link.token))];
    let body = Json(LinkResponse::new(app, &link, &form.content));
    Ok((StatusCode::CREATED, location, body).into_response())
}

fn bus_prop_ids_problem(error: BusPropIdsError) -> Problem {
    Problem::invalid_parameter(format!("bus_prop_id: {error}"))
}
