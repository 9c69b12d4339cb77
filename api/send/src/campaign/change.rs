//! Changing a DRAFT: replaced as a whole, or deleted.

use axum::body::Body;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::campaign::{CampaignContent, CampaignStatus};
use serde_json::Value;
use store::send::{Campaign, CampaignChange};

use super::request::CampaignRequest;
use super::{CAMPAIGN_BODY, CampaignBody, Target, answer, check};
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
pub async fn replace_campaign(target: Target, headers: HeaderMap, body: Body) -> Result<Response> {
    let Target { state, caller, key } = &target;
    let campaign = target.find().await?;
    let body = state.body(caller, &headers, body, CAMPAIGN_BODY).await?;
    let if_match = IfMatch::of(&headers);
    if_match.check(campaign.revision)?;
    if campaign.status != CampaignStatus::Draft {
        return Err(transition(campaign.status, "be changed"));
    }
    let content = CampaignContent::parse(&Value::Object(body)).map_err(Problem::invalid)?;
    check::content(state, caller, &content).await?;
    let revision = if_match.names_versions().then_some(campaign.revision);
    let change = state.app.store.replace_campaign(*key, revision, &content);
    let campaign = done(within(QUICK, change).await?, "be changed")?;
    tracing::info!(campaign.id = %key.campaign_id, "campaign replaced");
    answer(state, key.account_id, &campaign).await
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

/// The campaign as a change left it.
pub fn done(change: CampaignChange, what: &str) -> Result<Campaign> {
    match change {
        CampaignChange::Done(campaign) => Ok(*campaign),
        CampaignChange::NotFound => Err(Problem::not_found()),
        CampaignChange::Changed => Err(changed()),
        CampaignChange::Refused(status) => Err(transition(status, what)),
        CampaignChange::FormNotPublished => Err(check::form_not_published()),
    }
}

pub fn transition(status: CampaignStatus, what: &str) -> Problem {
    let status = status.as_str();
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
