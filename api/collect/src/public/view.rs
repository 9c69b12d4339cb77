//! The page's beacon: somebody sees it.

use axum::extract::Request;
use axum::http::StatusCode;
use chrono::Utc;
use domain::invalid::{Invalid, MAX_PROBLEMS, code};
use serde_json::{Map, Value};
use store::collect::NewView;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Visitor, gone};
use api_http::body::{Limit, json};
use api_http::memory::MemoryPermit;
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
    params(Visitor),
    request_body = ViewRequest,
    responses(
        (status = 204, description = "Counted, now or before"),
        (status = 410, description = "`link_gone`"),
    ),
)]
pub async fn view_form(visitor: Visitor, request: Request) -> Result<StatusCode> {
    let opened = visitor.enter().await?;
    let (state, link) = (&visitor.state, &opened.link);
    let visit = visit_of(state.memory.permit(link.account_id), request).await;
    let visit = visit.map_err(|problem| visitor.charge(problem))?;
    let now = Utc::now();
    if link.is_gone(now) {
        return Err(visitor.charge(gone()));
    }
    if link.is_test {
        return Ok(StatusCode::NO_CONTENT);
    }
    let view = NewView::new(link, visit, now);
    let committed = state
        .views
        .commit(link.account_id, size_of::<NewView>(), view);
    committed.await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The visit that a body names, and nothing else.
async fn visit_of(permit: MemoryPermit, request: Request) -> Result<Uuid> {
    let members = json(permit, request, BODY).await?;
    let mut wrong = unknown(&members, &["visit"]);
    let visit = visit(&members, &mut wrong);
    if wrong.is_empty() && visit.is_none() {
        wrong.push(Invalid::of_member(
            "visit",
            code::MISSING,
            "visit is absent or null",
        ));
    }
    let visit = visit.filter(|_| wrong.is_empty());
    visit.ok_or_else(|| Problem::invalid(wrong))
}

/// The visit that a body names, if it names one.
pub(super) fn visit(members: &Map<String, Value>, wrong: &mut Vec<Invalid>) -> Option<Uuid> {
    let given = members.get("visit").filter(|given| !given.is_null())?;
    let visit = given.as_str().and_then(parse_uuid);
    if visit.is_none() {
        wrong.push(Invalid::of_member(
            "visit",
            code::MALFORMED,
            "visit is not a UUID",
        ));
    }
    visit
}

/// What a body has besides what is known.
pub(super) fn unknown(members: &Map<String, Value>, known: &[&str]) -> Vec<Invalid> {
    members
        .keys()
        .filter(|name| !known.contains(&name.as_str()))
        .take(MAX_PROBLEMS)
        .map(|name| {
            let detail = format!("not known here; known are: {}", known.join(", "));
            Invalid::of_member(name, code::UNKNOWN_MEMBER, detail)
        })
        .collect()
}
