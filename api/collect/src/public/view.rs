//! The page's beacon: somebody sees it.

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use chrono::Utc;
use domain::invalid::{Invalid, code, member};
use serde_json::{Map, Value};
use store::collect::NewView;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{TokenPath, gone, open, refused};
use crate::CollectState;
use api_http::address::Network;
use api_http::body::{Limit, json};
use api_http::error::Problem;
use api_http::extract::parse_uuid;

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
/// The page does so once it is visible. A visit counts once on each day of the account.
#[utoipa::path(
    post,
    path = "/f/{token}/view",
    tag = "public",
    params(("token" = String, Path, pattern = "^[A-Za-z0-9_-]{22}$")),
    request_body = ViewRequest,
    responses(
        (status = 204, description = "Counted, now or before"),
        (status = 400, description = "`invalid_json`"),
        (status = 410, description = "`link_gone`"),
    ),
)]
pub async fn view_form(
    State(state): State<CollectState>,
    network: Network,
    path: TokenPath,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let opened = match open(&state, network, path).await {
        Ok((_, opened)) => opened,
        Err(refused) => return refused.problem(),
    };
    let viewing = async {
        let permit = state.memory.permit(opened.link.account_id);
        let members = json(permit, &headers, body, BODY).await?;
        let mut wrong = unknown(&members, &["visit"]);
        let visit = visit(&members, &mut wrong);
        let Some(visit) = visit.filter(|_| wrong.is_empty()) else {
            if wrong.is_empty() {
                wrong.push(invalid("/visit", code::MISSING, "visit is absent or null"));
            }
            return Err(Problem::invalid(wrong));
        };
        let (link, now) = (&opened.link, Utc::now());
        if link.is_gone(now) {
            return Err(gone());
        }
        let view = NewView::new(link, visit, now);
        let form = (link.account_id, link.form_id);
        state.views.commit(form, view).await?;
        Ok(StatusCode::NO_CONTENT)
    };
    match viewing.await {
        Ok(counted) => counted.into_response(),
        Err(problem) => refused(&state, network, problem),
    }
}

/// The visit that a body names, if it names one.
pub(super) fn visit(members: &Map<String, Value>, wrong: &mut Vec<Invalid>) -> Option<Uuid> {
    let given = members.get("visit").filter(|given| !given.is_null())?;
    let visit = given.as_str().and_then(parse_uuid);
    if visit.is_none() {
        wrong.push(invalid("/visit", code::MALFORMED, "visit is not a UUID"));
    }
    visit
}

/// What a body has besides what is known.
pub(super) fn unknown(members: &Map<String, Value>, known: &[&str]) -> Vec<Invalid> {
    members
        .keys()
        .filter(|name| !known.contains(&name.as_str()))
        .take(domain::invalid::MAX_PROBLEMS)
        .map(|name| {
            let detail = format!("not known here; known are: {}", known.join(", "));
            invalid(&member("", name), code::UNKNOWN_MEMBER, &detail)
        })
        .collect()
}

fn invalid(pointer: &str, code: &'static str, detail: &str) -> Invalid {
    Invalid {
        pointer: pointer.to_owned(),
        code,
        detail: detail.to_owned(),
    }
}
