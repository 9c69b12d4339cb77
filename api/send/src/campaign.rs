//! The routes of campaigns: made, read and listed. What a campaign can be is judged in `domain`.

pub mod change;
pub mod preview;

use axum::Json;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::StatusCode;
use axum::http::header::{ETAG, LOCATION};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use domain::campaign::CampaignContent;
use domain::invalid::{Invalid, code};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::operations::{self, CampaignBody, CampaignItem, find_campaign};
use crate::schema::CampaignRequest;
use crate::state::SendState;
use crate::{PATH, SCOPE};
use api_http::body::{Limit, SMALL};
use api_http::precondition::etag;
use api_http::{Caller, List, Page, PathId, Problem, Result};

/// The largest campaign has 100 batches, and texts of 2,000 characters.
const CAMPAIGN_BODY: Limit = Limit {
    bytes: SMALL,
    values: 5_000,
};

/// The campaign that a path names, and who asks for it.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub struct CampaignTarget {
    #[param(ignore)]
    state: SendState,
    #[param(ignore)]
    caller: Caller,
    campaign_id: Uuid,
}

impl FromRequestParts<SendState> for CampaignTarget {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &SendState) -> Result<Self> {
        let caller = Caller::from_request_parts(parts, state).await?;
        let PathId(campaign_id) = PathId::from_request_parts(parts, state).await?;
        Ok(Self {
            state: state.clone(),
            caller,
            campaign_id,
        })
    }
}

impl CampaignTarget {
    fn parts(&self) -> (&SendState, &Caller, Uuid) {
        (&self.state, &self.caller, self.campaign_id)
    }

    /// What a request has, or what is wrong with it, unless there is no such campaign: 404 comes first.
    async fn unless_missing<T>(&self, request: Result<T>) -> Result<T> {
        if request.is_err() {
            let campaign = find_campaign(&self.caller, self.campaign_id);
            self.caller.read(SCOPE, campaign).await?;
        }
        request
    }
}

/// A campaign with the tag of its version.
fn answer(body: CampaignBody) -> Response {
    ([(ETAG, etag(body.item.campaign.revision))], Json(body)).into_response()
}

/// Takes the word that asks to add to the form what a campaign counts as unknown business properties.
fn take_add_bus_props(body: &mut Map<String, Value>) -> Result<bool> {
    match body.remove("add_bus_props") {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(is_wanted)) => Ok(is_wanted),
        Some(_) => {
            let detail = "add_bus_props is neither true nor false";
            let wrong = Invalid::of_member("add_bus_props", code::WRONG_TYPE, detail);
            Err(Problem::invalid(vec![wrong]))
        }
    }
}

/// A campaign, after what its form lacks was added where that was asked for.
async fn with_bus_props(
    state: &SendState,
    caller: &Caller,
    body: CampaignBody,
    is_wanted: bool,
) -> Result<CampaignBody> {
    if !is_wanted {
        return Ok(body);
    }
    let campaign_id = body.item.campaign.campaign_id;
    operations::add_bus_props(state, caller, campaign_id, true).await?;
    operations::read_campaign(state, caller, campaign_id).await
}

fn content(body: Map<String, Value>) -> Result<CampaignContent> {
    CampaignContent::parse(&Value::Object(body)).map_err(Problem::invalid)
}

/// Make a campaign.
///
/// It is a DRAFT and sends nothing until it is started. `"add_bus_props": true` adds to its form the business properties that it lacks
/// (see the preview), which needs the scope `form`.
#[utoipa::path(
    post,
    path = "/api_v1/sms/campaign",
    request_body(content = CampaignRequest, description = "At most 1 MiB"),
    responses(
        (status = 201, description = "The campaign", body = CampaignBody, headers(
            ("Location" = String, description = "Where the campaign is"),
            ("ETag" = String, description = "Of this version, for `If-Match`"),
        )),
        (status = 409, description = "`upgrade_unfinished`: it asks only some, has a budget, or names several senders, and programs of an older release would not"),
        (status = 422, description = "`validation_failed`, `sender_unknown`, `sender_not_allowed`"),
    ),
)]
pub async fn create_campaign(
    State(state): State<SendState>,
    caller: Caller,
    request: Request,
) -> Result<Response> {
    let mut body = caller.json(request, CAMPAIGN_BODY).await?;
    let adds = take_add_bus_props(&mut body)?;
    let campaign = operations::create_campaign(&state, &caller, "", content(body)).await?;
    let campaign = with_bus_props(&state, &caller, campaign, adds).await?;
    let location = [(
        LOCATION,
        format!("{PATH}/{}", campaign.item.campaign.campaign_id),
    )];
    Ok((StatusCode::CREATED, location, answer(campaign)).into_response())
}

/// Read a campaign.
///
/// The counts are exact at every moment, and the sum of all statuses is `recipients`. `waiting` says why what is scheduled is not
/// sent yet; where more than 5,000 messages are due and as many are due later, it tells so many of each.
#[utoipa::path(
    get,
    path = "/api_v1/sms/campaign/{campaign_id}",
    params(CampaignTarget),
    responses(
        (status = 200, description = "The campaign", body = CampaignBody, headers(
            ("ETag" = String, description = "Of this version, for `If-Match`"),
        )),
    ),
)]
pub async fn read_campaign(target: CampaignTarget) -> Result<Response> {
    let campaign = operations::read_campaign(&target.state, &target.caller, target.campaign_id);
    campaign.await.map(answer)
}

/// List campaigns, newest first.
#[utoipa::path(
    get,
    path = "/api_v1/sms/campaign",
    params(List),
    responses((status = 200, description = "A page of campaigns", body = Page<CampaignItem>)),
)]
pub async fn list_campaigns(caller: Caller, list: List) -> Result<Response> {
    let campaigns = operations::list_campaigns(&caller, list.position()?, list.limit);
    let (campaigns, permit) = campaigns.await?;
    let items = campaigns.rows.into_iter();
    let items = items.map(|body| (body.campaign.campaign_id, body));
    Ok(permit.hold(list.answer(items, campaigns.next)?))
}
