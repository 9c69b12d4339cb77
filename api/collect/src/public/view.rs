//! The page's beacon: somebody sees it.

use axum::extract::Request;
use axum::http::StatusCode;
use chrono::Utc;
use domain::invalid::{Invalid, code};
use domain::members::texts;
use store::collect::NewView;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{PublicRequest, gone};
use crate::CollectState;
use api_http::body::{Limit, json};
use api_http::{Problem, Result, parse_uuid};

/// A body that names one visit is far smaller.
const BODY: Limit = Limit {
    bytes: 4 << 10,
    values: 100,
};

/// A visit.
#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ViewRequest {
    visit: Uuid,
}

/// Count a view.
///
/// The page does so once it is visible. A visit counts once on each day of the account. That of a test message's link is not
/// counted.
#[utoipa::path(
    post,
    path = "/f/{token}/view",
    tag = "public",
    params(PublicRequest),
    request_body = ViewRequest,
    responses(
        (status = 204, description = "Counted, now or before; of one address a link counts at most 2,000 an hour"),
        (status = 410, description = "`link_gone`"),
    ),
)]
pub async fn view_form(visitor: PublicRequest, request: Request) -> Result<StatusCode> {
    let account_id = visitor.enter().await?.link.account_id;
    let state = &visitor.state;
    let visit = visit_of(state, account_id, request).await;
    let visit = visit.map_err(|problem| visitor.charge(problem))?;
    // The form, which can be large, was let go of while the body arrived.
    let opened = visitor.find().await?;
    let (link, now) = (&opened.link, Utc::now());
    if link.is_gone(now) {
        return Err(visitor.charge(gone()));
    }
    if link.is_test {
        return Ok(StatusCode::NO_CONTENT);
    }
    let views = &state.address_views;
    let Ok(_place) = views.take(link.link_id, link.kiosk, visitor.network) else {
        return Ok(StatusCode::NO_CONTENT);
    };
    let view = NewView::new(link, visit, now);
    let committed = state
        .views
        .commit(link.account_id, size_of::<NewView>(), view);
    committed.await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The visit that a body names, and nothing else.
async fn visit_of(state: &CollectState, account_id: Uuid, request: Request) -> Result<Uuid> {
    let permit = state.memory.permit(account_id);
    let body = json(&state.app, permit, request, BODY).await?;
    let [visit] = texts(body, ["visit"]).map_err(Problem::invalid)?;
    parse_uuid(&visit).ok_or_else(|| Problem::invalid(vec![no_visit()]))
}

/// What a body names as its visit is none.
pub(super) fn no_visit() -> Invalid {
    Invalid::of_member("visit", code::MALFORMED, "visit is not a UUID")
}
