//! Leading a campaign through its life: DRAFT → RUNNING ⇄ PAUSED → FINISHED or CANCELLED.

use axum::extract::State;
use axum::response::Response;
use domain::campaign::{Action, CampaignStatus};
use store::send::CampaignKey;
use uuid::Uuid;

use super::body::CampaignBody;
use super::change::{done, transition};
use super::{answer, check, find};
use crate::state::SendState;
use api_http::auth::Caller;
use api_http::error::Problem;
use api_http::extract::PathId;

/// Start a campaign.
///
/// Its audience is taken once, of recipients created before; one that comes with imports can be imported for from now on.
#[utoipa::path(
    post,
    path = "/api_v1/sms/campaign/{campaign_id}/start",
    params(("campaign_id" = Uuid, Path)),
    responses(
        (status = 200, description = "The campaign as it is now", body = CampaignBody),
        (status = 409, description = "`campaign_transition`: it is no DRAFT; `form_not_published`"),
        (status = 422, description = "`validation_failed`: the form is DELETED; `sender_unknown`, `sender_not_allowed`, `public_url_local`"),
    ),
)]
pub async fn start_campaign(
    State(state): State<SendState>,
    caller: Caller,
    PathId(campaign_id): PathId,
) -> Result<Response, Problem> {
    let campaign = find(&state, CampaignKey::new(caller.account_id(), campaign_id)).await?;
    if campaign.status != CampaignStatus::Draft {
        return Err(transition(campaign.status, "be started"));
    }
    check::sendable(&state, &caller, &campaign.content).await?;
    act(&state, &caller, campaign_id, Action::Start).await
}

/// Pause a campaign.
///
/// After the answer nothing more is handed over. Messages are still planned.
#[utoipa::path(
    post,
    path = "/api_v1/sms/campaign/{campaign_id}/pause",
    params(("campaign_id" = Uuid, Path)),
    responses(
        (status = 200, description = "The campaign as it is now", body = CampaignBody),
        (status = 409, description = "`campaign_transition`"),
    ),
)]
pub async fn pause_campaign(
    State(state): State<SendState>,
    caller: Caller,
    PathId(campaign_id): PathId,
) -> Result<Response, Problem> {
    act(&state, &caller, campaign_id, Action::Pause).await
}

/// Resume a campaign.
///
/// What waits is sent again, from where it stopped.
#[utoipa::path(
    post,
    path = "/api_v1/sms/campaign/{campaign_id}/resume",
    params(("campaign_id" = Uuid, Path)),
    responses(
        (status = 200, description = "The campaign as it is now", body = CampaignBody),
        (status = 409, description = "`campaign_transition`"),
    ),
)]
pub async fn resume_campaign(
    State(state): State<SendState>,
    caller: Caller,
    PathId(campaign_id): PathId,
) -> Result<Response, Problem> {
    act(&state, &caller, campaign_id, Action::Resume).await
}

/// Let a campaign finish.
///
/// It takes no more imports, and is FINISHED once nothing is left to plan, to send or to remind of.
#[utoipa::path(
    post,
    path = "/api_v1/sms/campaign/{campaign_id}/finish",
    params(("campaign_id" = Uuid, Path)),
    responses(
        (status = 200, description = "The campaign as it is now", body = CampaignBody),
        (status = 409, description = "`campaign_transition`"),
    ),
)]
pub async fn finish_campaign(
    State(state): State<SendState>,
    caller: Caller,
    PathId(campaign_id): PathId,
) -> Result<Response, Problem> {
    act(&state, &caller, campaign_id, Action::Finish).await
}

/// Cancel a campaign.
///
/// After the answer nothing more is handed over, and what had not been is `cancelled`.
#[utoipa::path(
    post,
    path = "/api_v1/sms/campaign/{campaign_id}/cancel",
    params(("campaign_id" = Uuid, Path)),
    responses(
        (status = 200, description = "The campaign as it is now", body = CampaignBody),
        (status = 409, description = "`campaign_transition`"),
    ),
)]
pub async fn cancel_campaign(
    State(state): State<SendState>,
    caller: Caller,
    PathId(campaign_id): PathId,
) -> Result<Response, Problem> {
    act(&state, &caller, campaign_id, Action::Cancel).await
}

async fn act(
    state: &SendState,
    caller: &Caller,
    campaign_id: Uuid,
    action: Action,
) -> Result<Response, Problem> {
    let key = CampaignKey::new(caller.account_id(), campaign_id);
    let what = match action {
        Action::Start => "be started",
        Action::Pause => "be paused",
        Action::Resume => "be resumed",
        Action::Finish => "finish",
        Action::Cancel => "be cancelled",
    };
    let campaign = done(state.app.store().act_on_campaign(key, action).await?, what)?;
    tracing::info!(campaign.id = %campaign_id, status = campaign.status.as_str(), "campaign led on");
    answer(state, key.account_id, &campaign).await
}
