//! Campaigns: made, read and listed. What a campaign can be is judged in `domain`.

pub mod act;
mod body;
pub mod change;
mod check;
pub mod preview;
mod request;
pub mod resend;
pub mod test;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::{ETAG, LOCATION};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::campaign::CampaignContent;
use serde_json::Value;
use store::send::{Campaign, CampaignKey};
use uuid::Uuid;

use self::body::CampaignBody;
use self::request::CampaignRequest;
use crate::PATH;
use crate::state::SendState;
use api_http::auth::Caller;
use api_http::body::{Limit, SMALL, json};
use api_http::deadline::{QUICK, within};
use api_http::error::Problem;
use api_http::extract::PathId;
use api_http::list::{List, ListQuery, Page};
use api_http::precondition::etag;

/// The largest campaign has 100 batches, and texts of 2,000 characters.
const CAMPAIGN_BODY: Limit = Limit {
    bytes: SMALL,
    values: 5_000,
};

/// A campaign with the tag of its version and the counts of its messages.
async fn answer(
    state: &SendState,
    account_id: Uuid,
    campaign: &Campaign,
) -> Result<Response, Problem> {
    let body = with_counts(state, account_id, campaign).await?;
    Ok(([(ETAG, etag(campaign.revision))], Json(body)).into_response())
}

async fn with_counts<'a>(
    state: &SendState,
    account_id: Uuid,
    campaign: &'a Campaign,
) -> Result<CampaignBody<'a>, Problem> {
    let ids = [campaign.campaign_id];
    let counts = state.app.store().campaign_counts(account_id, &ids);
    let counts = within(QUICK, counts).await?.pop().unwrap_or_default();
    Ok(CampaignBody::new(campaign, counts))
}

/// The caller's campaign of an id.
async fn find(state: &SendState, key: CampaignKey) -> Result<Campaign, Problem> {
    let campaign = within(QUICK, state.app.store().campaign(key)).await?;
    campaign.ok_or_else(Problem::not_found)
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
        (status = 400, description = "`invalid_json`"),
        (status = 422, description = "`validation_failed`, `sender_unknown`, `sender_not_allowed`"),
    ),
)]
pub async fn create_campaign(
    State(state): State<SendState>,
    caller: Caller,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let account_id = caller.account_id();
    let permit = state.app.memory().permit(account_id);
    let body = json(permit, &headers, body, CAMPAIGN_BODY).await?;
    let content = CampaignContent::parse(&Value::Object(body)).map_err(Problem::invalid)?;
    check::content(&state, &caller, &content).await?;
    let campaign = within(
        QUICK,
        state.app.store().create_campaign(account_id, &content),
    )
    .await?;
    tracing::info!(campaign.id = %campaign.campaign_id, "campaign made");
    let location = [(LOCATION, format!("{PATH}/{}", campaign.campaign_id))];
    let answer = answer(&state, account_id, &campaign).await?;
    Ok((StatusCode::CREATED, location, answer).into_response())
}

/// Read a campaign.
///
/// The counts are exact at every moment, and the sum of all statuses is `recipients`.
#[utoipa::path(
    get,
    path = "/api_v1/sms/campaign/{campaign_id}",
    params(("campaign_id" = Uuid, Path)),
    responses(
        (status = 200, description = "The campaign", body = CampaignBody, headers(
            ("ETag" = String, description = "Of this version, for `If-Match`"),
        )),
    ),
)]
pub async fn read_campaign(
    State(state): State<SendState>,
    caller: Caller,
    PathId(campaign_id): PathId,
) -> Result<Response, Problem> {
    let account_id = caller.account_id();
    let campaign = find(&state, CampaignKey::new(account_id, campaign_id)).await?;
    answer(&state, account_id, &campaign).await
}

/// List campaigns, newest first.
#[utoipa::path(
    get,
    path = "/api_v1/sms/campaign",
    params(ListQuery),
    responses(
        (status = 200, description = "A page of campaigns", body = Page<CampaignBody>),
    ),
)]
pub async fn list_campaigns(
    State(state): State<SendState>,
    caller: Caller,
    query: ListQuery,
) -> Result<Response, Problem> {
    let (store, account_id) = (state.app.store(), caller.account_id());
    let list = List::new(account_id, PATH);
    let before = list.position(&query)?.map(Uuid::from_bytes);
    let page = store
        .campaigns(account_id, before, query.limit.into())
        .await?;
    let ids: Vec<Uuid> = page
        .rows
        .iter()
        .map(|campaign| campaign.campaign_id)
        .collect();
    let counts = store.campaign_counts(account_id, &ids).await?;
    let items = page.rows.iter().zip(counts).map(|(campaign, counts)| {
        let position = campaign.campaign_id.into_bytes();
        (position, CampaignBody::new(campaign, counts))
    });
    list.answer(&query, items, page.next.map(Uuid::into_bytes))
}
