//! Read-only pages of a report: a link that whoever has it may open, until it expires or is withdrawn. The page itself is the
//! dashboard's.

use axum::Json;
use axum::extract::Request;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, TimeDelta, Utc};
use domain::campaign::parse_time;
use domain::date_range::DateRange;
use domain::members::texts;
use serde::Serialize;
use store::account::Share;
use store::form::Form;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::operations;
use api_http::body::Limit;
use api_http::{
    Caller, List, Page, Parameters, PathId, Problem, QUICK, Result, parse_uuid, within,
};

/// Of a body.
const LIMIT: Limit = Limit {
    bytes: 4 << 10,
    values: 10,
};
/// The longest life of a share.
pub const LIFE: TimeDelta = TimeDelta::days(400);
/// The days of a page that counts until today.
const DAYS: std::ops::RangeInclusive<u16> = 1..=1_830;
/// The parameters of a page of a report.
const PARAMETERS: [&str; 4] = ["days", "from", "to", "bus_prop"];

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

/// A page that is shared.
#[derive(Serialize, ToSchema)]
#[schema(as = Share)]
pub struct ShareItem {
    pub share_id: Uuid,
    #[schema(example = "/dashboard?days=30")]
    pub path: String,
    created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    /// What is given to readers: only where the page was just shared, and never again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        nullable = false,
        example = "https://feedback.example/dashboard/shared/0f1e2d"
    )]
    pub url: Option<String>,
}

impl ShareItem {
    pub(crate) fn new(share: Share, url: Option<String>) -> Self {
        Self {
            share_id: share.share_id,
            path: share.path,
            created_at: share.created_at,
            expires_at: share.expires_at,
            url,
        }
    }
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

/// Whether the account has such a page of a report.
pub async fn has_page(caller: &Caller, path: &str) -> Result<bool> {
    let Some((form_id, bus_prop)) = read_path(path) else {
        return Ok(false);
    };
    let Some(form_id) = form_id else {
        return Ok(bus_prop.is_none());
    };
    let form = caller.app.store.form(caller.account_id(), form_id);
    let form = within(QUICK, form).await?;
    let has =
        |form: Form| bus_prop.is_none_or(|text| form.content.bus_prop_by_text(&text).is_some());
    Ok(form.is_some_and(has))
}

/// The form and the business property that a page of a report is about; `None`: there is no such page.
fn read_path(path: &str) -> Option<(Option<Uuid>, Option<String>)> {
    let uri: Uri = path.parse().ok()?;
    let form_id = match uri.path().strip_prefix("/dashboard")? {
        "" => None,
        rest => Some(parse_uuid(rest.strip_prefix("/form/")?)?),
    };
    let parameters = Parameters::of(&uri).ok()?;
    let [days, from, to, bus_prop] = PARAMETERS.map(|name| parameters.one(name).ok());
    let is_range = match (days?, from?, to?) {
        (None, None, None) => true,
        (Some(days), None, None) => days.parse().is_ok_and(|days| DAYS.contains(&days)),
        (None, Some(from), Some(to)) => DateRange::parse(from, to).is_ok(),
        _ => false,
    };
    let are_known = parameters
        .pairs()
        .all(|(name, _)| PARAMETERS.contains(&name));
    let bus_prop = bus_prop?.filter(|text| !text.is_empty());
    // Neither a host nor a fragment.
    let is_whole = uri
        .path_and_query()
        .is_some_and(|whole| whole.as_str() == path);
    (is_range && are_known && is_whole).then(|| (form_id, bus_prop.map(ToOwned::to_owned)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_reports_are_shared() {
        let form_id = Uuid::from_u128(7);
        let of_form = format!("/dashboard/form/{form_id}");
        let all = (None, None);
        for path in [
            "/dashboard",
            "/dashboard?days=1830",
            "/dashboard?from=2026-01-01&to=2026-01-31&bus_prop=",
        ] {
            assert_eq!(read_path(path), Some(all.clone()), "{path}");
        }
        let of_store = format!("{of_form}?bus_prop=store%3ABerlin+Mitte&days=7");
        let store = "store:Berlin Mitte".to_owned();
        assert_eq!(read_path(&of_form), Some((Some(form_id), None)));
        assert_eq!(read_path(&of_store), Some((Some(form_id), Some(store))));
        for path in [
            "",
            "dashboard",
            "/dashboard/",
            "/dashboards",
            "/dashboard/form",
            "/dashboard/form/7",
            "/dashboard/answers",
            "/dashboard/recipients?days=7",
            "//dashboard",
            "https://evil.example/dashboard",
            "/dashboard#x",
            "/dashboard?days=0",
            "/dashboard?days=1831",
            "/dashboard?days=7&days=8",
            "/dashboard?days=7&from=2026-01-01&to=2026-01-31",
            "/dashboard?from=2026-01-01",
            "/dashboard?from=2026-01-31&to=2026-01-01",
            "/dashboard?token=x",
            "/dashboard?bus_prop=%FF",
            "/dashboard?\u{0}",
            &format!("{of_form}/edit"),
        ] {
            assert_eq!(read_path(path), None, "{path}");
        }
    }
}
