//! Messages that may have been sent or not, sent again because a person asks for it.

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use domain::invalid::code;
use store::send::{CampaignChange, CampaignKey};
use utoipa::ToSchema;

use super::body::CampaignBody;
use super::change::done;
use super::{answer, find};
use crate::member::{FEW, invalid, texts};
use crate::state::SendState;
use api_http::auth::Caller;
use api_http::body::json;
use api_http::error::{Code, Problem};
use api_http::extract::PathId;

/// Which messages are sent again.
#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResendRequest {
    #[schema(pattern = "^unknown$", example = "unknown")]
    status: String,
}

/// Send messages again of which nobody knows whether they were sent.
///
/// Whoever got the first one gets a second.
#[utoipa::path(
    post,
    path = "/api_v1/sms/campaign/{campaign_id}/resend",
    params(("campaign_id" = Uuid, Path)),
    request_body = ResendRequest,
    responses(
        (status = 200, description = "The campaign as it is now", body = CampaignBody),
        (status = 400, description = "`invalid_parameter`, `invalid_json`"),
        (status = 409, description = "`campaign_not_running`"),
    ),
)]
pub async fn resend_messages(
    State(state): State<SendState>,
    caller: Caller,
    PathId(campaign_id): PathId,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let account_id = caller.account_id();
    let key = CampaignKey::new(account_id, campaign_id);
    find(&state, key).await?;
    let permit = state.app.memory().permit(account_id);
    let body = json(permit, &headers, body, FEW).await?;
    let [status] = texts(&body, ["status"])?;
    if status != "unknown" {
        let wrong = invalid("status", code::NOT_OFFERED, "status must be unknown");
        return Err(Problem::invalid(vec![wrong]));
    }
    let campaign = match state.app.store().resend_unknown(key).await? {
        CampaignChange::Refused(status) => return Err(not_running(status.as_str())),
        change => done(change, "send again")?,
    };
    tracing::info!(campaign.id = %campaign_id, "uncertain messages are sent again");
    answer(&state, account_id, &campaign).await
}

/// Nothing of the campaign is sent.
pub fn not_running(status: &str) -> Problem {
    let detail = format!("the campaign is {status} and sends nothing");
    Problem::new(Code::CampaignNotRunning, detail)
}
