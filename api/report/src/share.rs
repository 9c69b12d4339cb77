//! The routes of read-only pages of a report: a link that whoever has it may open, until it expires or is withdrawn. The page itself
//! is the dashboard's.

use axum::Json;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use domain::date_range::parse_time;
use domain::members::texts;
use utoipa::ToSchema;

use crate::operations::{self, ShareItem};
use api_http::body::Limit;
use api_http::{Caller, List, Page, PathId, Problem, Result};

/// Of a body.
const LIMIT: Limit = Limit {
    bytes: 4 << 10,
    values: 10,
};

/// A page to share, and until when.
#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ShareRequest {
    /// The overview or a form's page of the dashboard, with the query that says which days.
    #[schema(
        example = "/dashboard?days=30",
        pattern = "^/dashboard(/form/[0-9a-fA-F-]{36})?(\\?.*)?$"
    )]
    path: String,
    /// At most 400 days from now.
    expires_at: DateTime<Utc>,
}

/// Share a page of a report.
///
/// Whoever has its `url` may read the page, without a key, until it expires or is withdrawn.
#[utoipa::path(
    post,
    path = "/api_v1/report/share",
    request_body = ShareRequest,
    responses((status = 201, description = "The page is shared", body = ShareItem)),
)]
pub async fn create_share(caller: Caller, request: Request) -> Result<Response> {
    let body = caller.json(request, LIMIT).await?;
    let [path, expires_at] = texts(body, ["path", "expires_at"]).map_err(Problem::invalid)?;
    let expires_at = parse_time(&expires_at).ok();
    let share = operations::create_share(&caller, &path, expires_at).await?;
    Ok((StatusCode::CREATED, Json(share)).into_response())
}

/// List what is shared, newest first.
///
/// What expired goes within a minute.
#[utoipa::path(
    get,
    path = "/api_v1/report/share",
    params(List),
    responses((status = 200, description = "A page of shares", body = Page<ShareItem>)),
)]
pub async fn list_shares(caller: Caller, list: List) -> Result<Response> {
    let page = operations::list_shares(&caller, list.position()?, list.limit).await?;
    let items = page.rows.into_iter();
    list.answer(items.map(|share| (share.share_id, share)), page.next)
}

/// Withdraw a share.
///
/// From the answer on its `url` shows nothing.
#[utoipa::path(
    delete,
    path = "/api_v1/report/share/{share_id}",
    params(("share_id" = Uuid, Path)),
    responses(
        (status = 204, description = "It is withdrawn"),
        (status = 404, description = "`not_found`, also once it is withdrawn"),
    ),
)]
pub async fn withdraw_share(caller: Caller, PathId(share_id): PathId) -> Result<StatusCode> {
    operations::withdraw_share(&caller, share_id).await?;
    Ok(StatusCode::NO_CONTENT)
}
