//! The routes that change a campaign: replaced as a whole or deleted while it is a DRAFT, led through its life, sent again.

use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::campaign::CampaignAction;
use domain::members::texts;
use utoipa::{IntoResponses, ToSchema};

use super::{CAMPAIGN_BODY, CampaignTarget, answer, content, take_add_bus_props, with_bus_props};
use crate::operations::{self, CampaignBody};
use crate::schema::CampaignRequest;
use crate::state::FEW;
use api_http::precondition::IfMatch;
use api_http::{Problem, Result};

/// Replace a campaign as a whole.
///
/// Of one that is RUNNING or PAUSED `name`, `text`, `send_window`, `send_within_hours`, `contact_gap_days`, `max_parts`,
/// `max_messages`, `per_day`, `budget`, `reminder`, `link_expires_after_days` and `sender` may be others: they hold for what is not handed
/// over when this is answered. What is left out gets its default.
#[utoipa::path(
    put,
    path = "/api_v1/sms/campaign/{campaign_id}",
    params(
        CampaignTarget,
        ("If-Match" = Option<String>, Header, description = "Changes only this version"),
    ),
    request_body(content = CampaignRequest, description = "At most 1 MiB"),
    responses(
        (status = 200, description = "The campaign as it is now", body = CampaignBody),
        (status = 400, description = "`invalid_parameter`, `invalid_json`"),
        (status = 409, description = "`campaign_transition`: it is over, or was started and another member differs; `upgrade_unfinished`: it was started, asks only some, has a budget, or names several senders"),
        (status = 422, description = "`validation_failed`, `sender_unknown`, `sender_not_allowed`"),
    ),
)]
pub async fn replace_campaign(
    target: CampaignTarget,
    headers: HeaderMap,
    request: Request,
) -> Result<Response> {
    let body = target.caller.json(request, CAMPAIGN_BODY).await;
    let mut body = target.unless_missing(body).await?;
    let adds = take_add_bus_props(&mut body);
    let adds = target.unless_missing(adds).await?;
    let content = content(body);
    let (state, caller, campaign_id) = target.parts();
    let if_match = IfMatch::of(&headers);
    let campaign = operations::replace_campaign(state, caller, campaign_id, &if_match, content);
    let campaign = with_bus_props(state, caller, campaign.await?, adds).await?;
    Ok(answer(campaign))
}

/// Delete a campaign.
///
/// Only a DRAFT can be.
#[utoipa::path(
    delete,
    path = "/api_v1/sms/campaign/{campaign_id}",
    params(CampaignTarget),
    responses(
        (status = 204, description = "Deleted"),
        (status = 409, description = "`campaign_transition`: it is no DRAFT"),
    ),
)]
pub async fn delete_campaign(target: CampaignTarget) -> Result<StatusCode> {
    operations::delete_campaign(&target.caller, target.campaign_id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What leading a campaign on answers.
#[expect(
    dead_code,
    clippy::large_enum_variant,
    reason = "only the document has it"
)]
#[derive(IntoResponses)]
pub enum Acted {
    /// The campaign as it is now
    #[response(status = 200)]
    Done(CampaignBody),
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
    params(CampaignTarget),
    responses(
        (status = 200, description = "The campaign as it is now", body = CampaignBody),
        (status = 409, description = "`campaign_transition`: it is no DRAFT; `form_not_published`"),
        (status = 422, description = "`validation_failed`: the form is DELETED; `sender_unknown`, `sender_not_allowed`, `public_url_local`"),
    ),
)]
pub async fn start_campaign(target: CampaignTarget) -> Result<Response> {
    act(&target, CampaignAction::Start).await
}

/// Pause a campaign.
///
/// After the answer nothing more is handed over. Messages are still planned.
#[utoipa::path(
    post,
    path = "/api_v1/sms/campaign/{campaign_id}/pause",
    params(CampaignTarget),
    responses(Acted)
)]
pub async fn pause_campaign(target: CampaignTarget) -> Result<Response> {
    act(&target, CampaignAction::Pause).await
}

/// Resume a campaign.
///
/// What waits is sent again, from where it stopped.
#[utoipa::path(
    post,
    path = "/api_v1/sms/campaign/{campaign_id}/resume",
    params(CampaignTarget),
    responses(Acted)
)]
pub async fn resume_campaign(target: CampaignTarget) -> Result<Response> {
    act(&target, CampaignAction::Resume).await
}

/// Let a campaign finish.
///
/// It takes no more imports, and is FINISHED once nothing is left to plan, to send or to remind of.
#[utoipa::path(
    post,
    path = "/api_v1/sms/campaign/{campaign_id}/finish",
    params(CampaignTarget),
    responses(Acted)
)]
pub async fn finish_campaign(target: CampaignTarget) -> Result<Response> {
    act(&target, CampaignAction::Finish).await
}

/// Cancel a campaign.
///
/// After the answer nothing more is handed over, and what had not been is `cancelled`.
#[utoipa::path(
    post,
    path = "/api_v1/sms/campaign/{campaign_id}/cancel",
    params(CampaignTarget),
    responses(Acted)
)]
pub async fn cancel_campaign(target: CampaignTarget) -> Result<Response> {
    act(&target, CampaignAction::Cancel).await
}

async fn act(target: &CampaignTarget, action: CampaignAction) -> Result<Response> {
    let (state, caller, campaign_id) = target.parts();
    let campaign = operations::act_on_campaign(state, caller, campaign_id, action);
    campaign.await.map(answer)
}

/// Which messages are sent again.
#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResendRequest {
    #[schema(
        pattern = "^(unknown|failed|undelivered|expired)$",
        example = "unknown"
    )]
    status: String,
}

/// Send messages again: those of which nobody knows whether they were sent, that failed, or that were not delivered.
///
/// Each is a new attempt of the same message, with its link. Whoever got the first one all the same gets a second; whoever answered gets
/// none. A campaign that is FINISHED runs again.
#[utoipa::path(
    post,
    path = "/api_v1/sms/campaign/{campaign_id}/resend",
    params(CampaignTarget),
    request_body = ResendRequest,
    responses(
        (status = 200, description = "The campaign as it is now", body = CampaignBody),
        (status = 400, description = "`invalid_parameter`, `invalid_json`"),
        (status = 409, description = "`campaign_not_running`"),
    ),
)]
pub async fn resend_messages(target: CampaignTarget, request: Request) -> Result<Response> {
    let status = async {
        let body = target.caller.json(request, FEW).await?;
        let [status] = texts(body, ["status"]).map_err(Problem::invalid)?;
        operations::status_to_resend(&status)
    };
    let status = target.unless_missing(status.await).await?;
    let campaign =
        operations::resend_messages(&target.state, &target.caller, target.campaign_id, status);
    campaign.await.map(answer)
}
