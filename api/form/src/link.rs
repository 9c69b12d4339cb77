//! Links to forms, as their owner sees them: read with what came through them, listed, deleted. Making them is in `create`.

pub mod create;
mod request;

use api_http::list::TrackFieldQuery;
use api_http::{AppState, Caller, List, Page, PathId, Problem, Result};
use axum::Json;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use domain::form::{BusProp, FormContent};
use domain::link::{Token, TrackFields};
use serde::Serialize;
use store::form::{FormKey, Link};
use utoipa::ToSchema;
use uuid::Uuid;

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
    let link = store.link(account_id, &token).await?;
    let link = link.ok_or_else(Problem::not_found)?;
    let form = store.form(account_id, link.form_id).await?;
    let form = form.ok_or_else(Problem::not_found)?;
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
    let form = store.form(key.account_id, form_id).await?;
    let form = form.ok_or_else(Problem::not_found)?.content;
    let (track_fields, list) = (narrowed?.track_field, list?);
    let links = store.links(key, &track_fields, list.position()?, list.limit);
    let links = links.await?;
    let items = links.rows.iter().map(|link| {
        let item = LinkWithCounts::new(&caller.app, link, &form);
        (link.link_id, item)
    });
    list.answer(items, links.next)
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
