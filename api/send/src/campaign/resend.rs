//! Messages that may have been sent or not, sent again because a person asks for it.

use axum::body::Body;
use axum::http::HeaderMap;
use axum::response::Response;
use domain::invalid::{Invalid, code};
use store::send::CampaignChange;
use utoipa::ToSchema;

use super::change::done;
use super::{CampaignBody, Target, answer};
use api_http::{Code, Problem, Result};

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
    params(Target),
    request_body = ResendRequest,
    responses(
        (status = 200, description = "The campaign as it is now", body = CampaignBody),
        (status = 400, description = "`invalid_parameter`, `invalid_json`"),
        (status = 409, description = "`campaign_not_running`"),
    ),
)]
pub async fn resend_messages(target: Target, headers: HeaderMap, body: Body) -> Result<Response> {
    let Target { state, caller, key } = &target;
    target.find().await?;
    let [status] = state.texts(caller, &headers, body, ["status"]).await?;
    if status != "unknown" {
        let wrong = Invalid::of_member("status", code::NOT_OFFERED, "status must be unknown");
        return Err(Problem::invalid(vec![wrong]));
    }
    let campaign = match state.app.store.resend_unknown(*key).await? {
        CampaignChange::Refused(status) => return Err(not_running(status.as_str())),
        change => done(change, "send again")?,
    };
    tracing::info!(campaign.id = %key.campaign_id, "uncertain messages are sent again");
    answer(state, key.account_id, &campaign).await
}

/// Nothing of the campaign is sent.
pub fn not_running(status: &str) -> Problem {
    let detail = format!("the campaign is {status} and sends nothing");
    Problem::new(Code::CampaignNotRunning, detail)
}
