//! Changing a campaign: replaced as a whole or deleted while it is a DRAFT, and led through its life: DRAFT → RUNNING ⇄ PAUSED →
//! FINISHED or CANCELLED. Messages that may have been sent or not are sent again because a person asks for it.

use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::campaign::{Action, CampaignContent, CampaignStatus};
use domain::invalid::{Invalid, code};
use domain::members::texts;
use serde_json::Value;
use store::send::{Campaign, CampaignChange};
use utoipa::{IntoResponses, ToSchema};

use super::{
    CAMPAIGN_BODY, CampaignBody, Target, answer, check_batches, check_content, check_sendable,
    form_not_published,
};
use crate::schema::CampaignRequest;
use crate::state::FEW;
use api_http::precondition::{IfMatch, changed};
use api_http::{Code, Problem, QUICK, Result, within};

/// Replace a campaign as a whole.
///
/// Only a DRAFT can be. What is left out gets its default.
#[utoipa::path(
    put,
    path = "/api_v1/sms/campaign/{campaign_id}",
    params(
        Target,
        ("If-Match" = Option<String>, Header, description = "Changes only this version"),
    ),
    request_body(content = CampaignRequest, description = "At most 1 MiB"),
    responses(
        (status = 200, description = "The campaign as it is now", body = CampaignBody),
        (status = 400, description = "`invalid_parameter`, `invalid_json`"),
        (status = 409, description = "`campaign_transition`: it is no DRAFT"),
        (status = 422, description = "`validation_failed`, `sender_unknown`, `sender_not_allowed`"),
    ),
)]
pub async fn replace_campaign(
    target: Target,
    headers: HeaderMap,
    request: Request,
) -> Result<Response> {
    let Target { state, caller, key } = &target;
    let campaign = target.find().await?;
    let body = caller.json(request, CAMPAIGN_BODY).await?;
    let if_match = IfMatch(&headers);
    if_match.check(campaign.revision)?;
    if campaign.status != CampaignStatus::Draft {
        return Err(transition(campaign.status, "be changed"));
    }
    let content = CampaignContent::parse(&Value::Object(body)).map_err(Problem::invalid)?;
    check_content(state, caller, &content).await?;
    check_batches(caller, &content).await?;
    let revision = if_match.names_versions().then_some(campaign.revision);
    let change = state.app.store.replace_campaign(*key, revision, &content);
    let campaign = done(within(QUICK, change).await?, "be changed")?;
    tracing::info!(campaign.id = %key.campaign_id, "campaign replaced");
    answer(caller, &campaign).await
}

/// Delete a campaign.
///
/// Only a DRAFT can be.
#[utoipa::path(
    delete,
    path = "/api_v1/sms/campaign/{campaign_id}",
    params(Target),
    responses(
        (status = 204, description = "Deleted"),
        (status = 409, description = "`campaign_transition`: it is no DRAFT"),
    ),
)]
pub async fn delete_campaign(Target { state, key, .. }: Target) -> Result<StatusCode> {
    done(state.app.store.delete_campaign(key).await?, "be deleted")?;
    tracing::info!(campaign.id = %key.campaign_id, "campaign deleted");
    Ok(StatusCode::NO_CONTENT)
}

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
    check_sendable(&target.state, &target.caller, &campaign.content).await?;
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
    let change = target.caller.app.store.act_on_campaign(target.key, action);
    let campaign = done(change.await?, what)?;
    tracing::info!(campaign.id = %campaign.campaign_id, campaign.status = campaign.status.into_str(), "campaign led on");
    answer(&target.caller, &campaign).await
}

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
pub async fn resend_messages(target: Target, request: Request) -> Result<Response> {
    let Target { caller, key, .. } = &target;
    target.find().await?;
    let body = caller.json(request, FEW).await?;
    let [status] = texts(body, ["status"]).map_err(Problem::invalid)?;
    if status != "unknown" {
        let wrong = Invalid::of_member("status", code::NOT_OFFERED, "status must be unknown");
        return Err(Problem::invalid(vec![wrong]));
    }
    let campaign = match caller.app.store.resend_unknown(*key).await? {
        CampaignChange::Refused(status) => return Err(not_running(status.into_str())),
        change => done(change, "send again")?,
    };
    tracing::info!(campaign.id = %key.campaign_id, "uncertain messages are sent again");
    answer(caller, &campaign).await
}

/// Nothing of the campaign is sent.
pub fn not_running(status: &str) -> Problem {
    let detail = format!("the campaign is {status} and sends nothing");
    Problem::new(Code::CampaignNotRunning, detail)
}

/// The campaign as a change left it.
pub fn done(change: CampaignChange, what: &str) -> Result<Campaign> {
    match change {
        CampaignChange::Done(campaign) => Ok(*campaign),
        CampaignChange::NotFound => Err(Problem::not_found()),
        CampaignChange::Changed => Err(changed()),
        CampaignChange::Refused(status) => Err(transition(status, what)),
        CampaignChange::FormNotPublished => Err(form_not_published()),
    }
}

pub fn transition(status: CampaignStatus, what: &str) -> Problem {
    let status = status.into_str();
    Problem::new(
        Code::CampaignTransition,
        format!("the campaign is {status} and cannot {what}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_has_its_code() {
        for (change, code) in [
            (CampaignChange::NotFound, Code::NotFound),
            (CampaignChange::Changed, Code::PreconditionFailed),
            (
                CampaignChange::Refused(CampaignStatus::Finished),
                Code::CampaignTransition,
            ),
            (CampaignChange::FormNotPublished, Code::FormNotPublished),
        ] {
            let problem = done(change, "be started").unwrap_err();
            assert_eq!(problem.code(), code);
        }
        let problem = transition(CampaignStatus::Running, "be deleted");
        assert_eq!(
            problem.detail(),
            "the campaign is RUNNING and cannot be deleted"
        );
    }
}
