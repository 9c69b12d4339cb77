//! Campaigns: made, read and listed, and what they rest on: sender and form. What a campaign can be is judged in `domain`.

pub mod change;
pub mod preview;

use axum::Json;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::StatusCode;
use axum::http::header::{ETAG, LOCATION};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use domain::campaign::{Audience, CampaignContent, CampaignCounts};
use domain::form::FormStatus;
use domain::invalid::{Invalid, code};
use sender::setting::Setting;
use serde::Serialize;
use serde_json::Value;
use store::form::Form;
use store::send::{Campaign, CampaignKey};
use utoipa::ToSchema;

use crate::PATH;
use crate::schema::{self, CampaignRequest};
use crate::state::SendState;
use api_http::body::{Limit, SMALL};
use api_http::lines::page_permit;
use api_http::precondition::etag;
use api_http::{Caller, Code, List, Page, PathId, Problem, QUICK, Result, found, within};

/// The largest campaign has 100 batches, and texts of 2,000 characters.
const CAMPAIGN_BODY: Limit = Limit {
    bytes: SMALL,
    values: 5_000,
};

/// A campaign with the counts of its messages.
#[derive(Serialize, ToSchema)]
#[schema(as = Campaign)]
pub struct CampaignBody<'a> {
    #[serde(flatten)]
    #[schema(value_type = schema::StoredCampaign)]
    campaign: &'a Campaign,
    #[schema(value_type = schema::CampaignCounts)]
    counts: CampaignCounts,
}

/// The campaign that a path names, and who asks for it.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub struct Target {
    #[param(ignore)]
    state: SendState,
    #[param(ignore)]
    caller: Caller,
    #[param(rename = "campaign_id", value_type = Uuid)]
    key: CampaignKey,
}

impl FromRequestParts<SendState> for Target {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &SendState) -> Result<Self> {
        let caller = Caller::from_request_parts(parts, state).await?;
        let PathId(campaign_id) = PathId::from_request_parts(parts, state).await?;
        Ok(Self {
            state: state.clone(),
            key: CampaignKey::new(caller.account_id(), campaign_id),
            caller,
        })
    }
}

impl Target {
    async fn find(&self) -> Result<Campaign> {
        found(self.caller.app.store.campaign(self.key)).await
    }
}

/// A campaign with the tag of its version and the counts of its messages.
async fn answer(caller: &Caller, campaign: &Campaign) -> Result<Response> {
    let body = with_counts(caller, campaign).await?;
    Ok(([(ETAG, etag(campaign.revision))], Json(body)).into_response())
}

async fn with_counts<'a>(caller: &Caller, campaign: &'a Campaign) -> Result<CampaignBody<'a>> {
    let ids = [campaign.campaign_id];
    let counts = &caller.app.store;
    let counts = counts.campaign_counts(caller.account_id(), &ids);
    let counts = within(QUICK, counts).await?.pop().unwrap_or_default();
    Ok(CampaignBody { campaign, counts })
}

/// Make a campaign.
///
/// It is a DRAFT and sends nothing until it is started.
#[utoipa::path(
    post,
    path = "/api_v1/sms/campaign",
    request_body(content = CampaignRequest, description = "At most 1 MiB"),
    responses(
        (status = 201, description = "The campaign", body = CampaignBody, headers(
            ("Location" = String, description = "Where the campaign is"),
            ("ETag" = String, description = "Of this version, for `If-Match`"),
        )),
        (status = 422, description = "`validation_failed`, `sender_unknown`, `sender_not_allowed`"),
    ),
)]
pub async fn create_campaign(
    State(state): State<SendState>,
    caller: Caller,
    request: Request,
) -> Result<Response> {
    let body = caller.json(request, CAMPAIGN_BODY).await?;
    let content = CampaignContent::parse(&Value::Object(body)).map_err(Problem::invalid)?;
    check_content(&state, &caller, &content).await?;
    check_batches(&caller, &content).await?;
    let campaign = caller
        .app
        .store
        .create_campaign(caller.account_id(), &content);
    let campaign = within(QUICK, campaign).await?;
    tracing::info!(campaign.id = %campaign.campaign_id, "campaign made");
    let location = [(LOCATION, format!("{PATH}/{}", campaign.campaign_id))];
    let answer = answer(&caller, &campaign).await?;
    Ok((StatusCode::CREATED, location, answer).into_response())
}

/// Read a campaign.
///
/// The counts are exact at every moment, and the sum of all statuses is `recipients`.
#[utoipa::path(
    get,
    path = "/api_v1/sms/campaign/{campaign_id}",
    params(Target),
    responses(
        (status = 200, description = "The campaign", body = CampaignBody, headers(
            ("ETag" = String, description = "Of this version, for `If-Match`"),
        )),
    ),
)]
pub async fn read_campaign(target: Target) -> Result<Response> {
    let campaign = target.find().await?;
    answer(&target.caller, &campaign).await
}

/// List campaigns, newest first.
#[utoipa::path(
    get,
    path = "/api_v1/sms/campaign",
    params(List),
    responses((status = 200, description = "A page of campaigns", body = Page<CampaignBody>)),
)]
pub async fn list_campaigns(caller: Caller, list: List) -> Result<Response> {
    let (store, account_id) = (&caller.app.store, caller.account_id());
    let before = list.position()?;
    let permit = page_permit(&caller.app, account_id).await?;
    let page = store.campaigns(account_id, before, list.limit).await?;
    let ids: Vec<_> = page.rows.iter().map(|row| row.campaign_id).collect();
    let counts = store.campaign_counts(account_id, &ids).await?;
    let campaigns = page.rows.iter().zip(counts);
    let items = campaigns.map(|(campaign, counts)| {
        let item = CampaignBody { campaign, counts };
        (campaign.campaign_id, item)
    });
    Ok(permit.hold(list.answer(items, page.next)?))
}

/// Whether a campaign can have this content: the sender, and the form, which may be a DRAFT.
///
/// # Errors
/// 422.
async fn check_content<'s>(
    state: &'s SendState,
    caller: &Caller,
    content: &CampaignContent,
) -> Result<(&'s Setting, Form)> {
    let sender = state.sender(caller, &content.sender)?;
    let form = state.app.store.form(caller.account_id(), content.form_id);
    let form = within(QUICK, form).await?;
    let detail = match form {
        Some(form) if form.status != FormStatus::Deleted => return Ok((sender, form)),
        Some(_) => "the form is DELETED",
        None => "there is no such form",
    };
    let wrong = Invalid::of_member("form_id", code::UNKNOWN_ID, detail);
    Err(Problem::invalid(vec![wrong]))
}

/// Whether the account has the batches of the audience: nobody would be in one that it has not.
///
/// # Errors
/// 422.
async fn check_batches(caller: &Caller, content: &CampaignContent) -> Result<()> {
    let Audience::Batches { batch_ids } = &content.audience else {
        return Ok(());
    };
    let known = caller
        .app
        .store
        .known_batches(caller.account_id(), batch_ids);
    let known = within(QUICK, known).await?;
    let unknown = batch_ids.iter().enumerate();
    let unknown = unknown.filter(|(_, batch_id)| !known.contains(*batch_id));
    let wrong: Vec<Invalid> = unknown
        .map(|(place, _)| Invalid {
            pointer: format!("/audience/batch_ids/{place}"),
            code: code::UNKNOWN_ID,
            detail: "there is no such batch".to_owned(),
        })
        .collect();
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(Problem::invalid(wrong))
    }
}

/// Whether messages of this content can be sent.
///
/// # Errors
/// 422; 409 `form_not_published`.
async fn check_sendable(
    state: &SendState,
    caller: &Caller,
    content: &CampaignContent,
) -> Result<()> {
    let (sender, form) = check_content(state, caller, content).await?;
    state.check_public_url(sender)?;
    match form.status {
        FormStatus::Published => Ok(()),
        _ => Err(form_not_published()),
    }
}

fn form_not_published() -> Problem {
    Problem::new(
        Code::FormNotPublished,
        "the campaign's form is not published, so its links would open nothing",
    )
}
