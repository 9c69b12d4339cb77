//! Leading a campaign through its life: DRAFT → RUNNING ⇄ PAUSED → FINISHED or CANCELLED.

use axum::response::Response;
use domain::campaign::{Action, CampaignStatus};
use utoipa::IntoResponses;

use super::change::{done, transition};
use super::{CampaignBody, Target, answer, check};
use api_http::{Problem, Result};

/// What leading a campaign on answers.
#[expect(dead_code, reason = "only the document has it")]
#[derive(IntoResponses)]
pub enum Acted<'a> {
    /// The campaign as it is now
    #[response(status = 200)]
    Done(CampaignBody<'a>),
    /// `campaign_transition`
    #[response(status = 409)]
    Refused,
}

/// Start a campaign.
///
/// Its audience is taken once, of recipients created before; one that comes with imports can be imported for from now on.
#[utoipa::path(
    post,
    path = "/api_v1/sms/campaign/{campaign_id}/start",
    params(Target),
    responses(
        (status = 200, description = "The campaign as it is now", body = CampaignBody),
        (status = 409, description = "`campaign_transition`: it is no DRAFT; `form_not_published`"),
        (status = 422, description = "`validation_failed`: the form is DELETED; `sender_unknown`, `sender_not_allowed`, `public_url_local`"),
    ),
)]
pub async fn start_campaign(target: Target) -> Result<Response> {
    let campaign = target.find().await?;
    if campaign.status != CampaignStatus::Draft {
        return Err(transition(campaign.status, "be started"));
    }
    check::sendable(&target.state, &target.caller, &campaign.content).await?;
    act(&target, Action::Start, "be started").await
}

/// Pause a campaign.
///
/// After the answer nothing more is handed over. Messages are still planned.
#[utoipa::path(
    post,
    path = "/api_v1/sms/campaign/{campaign_id}/pause",
    params(Target),
    responses(Acted)
)]
pub async fn pause_campaign(target: Target) -> Result<Response> {
    act(&target, Action::Pause, "be paused").await
}

/// Resume a campaign.
///
/// What waits is sent again, from where it stopped.
#[utoipa::path(
    post,
    path = "/api_v1/sms/campaign/{campaign_id}/resume",
    params(Target),
    responses(Acted)
)]
pub async fn resume_campaign(target: Target) -> Result<Response> {
    act(&target, Action::Resume, "be resumed").await
}

/// Let a campaign finish.
///
/// It takes no more imports, and is FINISHED once nothing is left to plan, to send or to remind of.
#[utoipa::path(
    post,
    path = "/api_v1/sms/campaign/{campaign_id}/finish",
    params(Target),
    responses(Acted)
)]
pub async fn finish_campaign(target: Target) -> Result<Response> {
    act(&target, Action::Finish, "finish").await
}

/// Cancel a campaign.
///
/// After the answer nothing more is handed over, and what had not been is `cancelled`.
#[utoipa::path(
    post,
    path = "/api_v1/sms/campaign/{campaign_id}/cancel",
    params(Target),
    responses(Acted)
)]
pub async fn cancel_campaign(target: Target) -> Result<Response> {
    act(&target, Action::Cancel, "be cancelled").await
}

async fn act(target: &Target, action: Action, what: &str) -> Result<Response> {
    let change = target.state.app.store.act_on_campaign(target.key, action);
    let campaign = done(change.await?, what)?;
    tracing::info!(campaign.id = %campaign.campaign_id, status = campaign.status.as_str(), "campaign led on");
    answer(&target.state, target.key.account_id, &campaign).await
}
