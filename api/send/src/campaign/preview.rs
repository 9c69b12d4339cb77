//! What a campaign would do if it started now, and a test message to any number.

use std::sync::LazyLock;

use axum::Json;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use domain::campaign::judge::Context;
use domain::campaign::{CampaignContent, CampaignStatus, Preview};
use domain::docid::DocId;
use domain::form::FormStatus;
use domain::invalid::{Invalid, code};
use domain::members::texts;
use platform::places::Places;
use sender::setting::Setting;
use serde::Serialize;
use serde_json::Value;
use store::form::Form;
use store::send::CampaignKey;
use utoipa::ToSchema;
use uuid::Uuid;

use super::change::not_running;
use super::{
    CAMPAIGN_BODY, CampaignBody, Target, check_batches, check_content, check_sendable, with_counts,
};
use crate::schema::{CampaignPreview, CampaignRequest};
use crate::state::{FEW, SendState, take_test};
use crate::suppression::wrong_phone;
use api_http::{Caller, Problem, QUICK, Result, found, within};

/// Of a campaign that is not made yet so many recipients are judged: it may be previewed with each word that is typed.
const OF_DRAFT: u64 = 20_000;
/// Previews at once.
static PREVIEWS: LazyLock<Places> = LazyLock::new(|| Places::shared(2, 1));

/// Preview a campaign.
///
/// Judges its audience by today's state and stores nothing. Of one that comes with imports the newest 1,000 recipients stand
/// for those to come.
#[utoipa::path(
    post,
    path = "/api_v1/sms/campaign/{campaign_id}/preview",
    params(Target),
    responses(
        (status = 200, description = "What it would do", body = CampaignPreview),
        (status = 422, description = "`sender_unknown`, `sender_not_allowed`"),
    ),
)]
pub async fn preview_campaign(target: Target) -> Result<Json<Preview>> {
    let Target { state, caller, key } = &target;
    let content = target.find().await?.content;
    let sender = state.sender(caller, &content.sender)?;
    let form = state.app.store.form(key.account_id, content.form_id);
    let form = form.await?;
    let form = form.filter(|form| form.status != FormStatus::Deleted);
    let rests_on = (sender, form.as_ref());
    preview(&target, &content, rests_on, u64::MAX).await
}

/// Preview a campaign that is not made yet.
///
/// As that of one that is stored; of a large audience the first 20,000 recipients are judged, or fewer where they are few among the
/// first 200,000 of the account.
#[utoipa::path(
    post,
    path = "/api_v1/sms/campaign/preview",
    request_body(content = CampaignRequest, description = "At most 1 MiB"),
    responses(
        (status = 200, description = "What it would do", body = CampaignPreview),
        (status = 422, description = "`validation_failed`, `sender_unknown`, `sender_not_allowed`"),
    ),
)]
pub async fn preview_draft(
    State(state): State<SendState>,
    caller: Caller,
    request: Request,
) -> Result<Json<Preview>> {
    let content = caller.json(request, CAMPAIGN_BODY).await?;
    let content = CampaignContent::parse(&Value::Object(content)).map_err(Problem::invalid)?;
    let (sender, form) = check_content(&state, &caller, &content).await?;
    check_batches(&caller, &content).await?;
    let target = Target {
        // No campaign has this id.
        key: CampaignKey::new(caller.account_id(), Uuid::nil()),
        state: state.clone(),
        caller,
    };
    preview(&target, &content, (sender, Some(&form)), OF_DRAFT).await
}

async fn preview(
    Target { state, caller, key }: &Target,
    content: &CampaignContent,
    (sender, form): (&Setting, Option<&Form>),
    most: u64,
) -> Result<Json<Preview>> {
    let known = Context {
        campaign_id: key.campaign_id,
        content,
        form: form.map(|form| &form.content),
        account_zone: caller.time_zone(),
        countries: sender.countries.as_deref(),
        link_prefix: &caller.app.link_url(""),
    };
    let pepper = state.pepper()?;
    // It looks at many recipients, and notes their phones.
    let _place = PREVIEWS.take(key.account_id).await;
    let store = &state.app.store;
    let preview = store.preview_campaign(key.account_id, pepper, &known, most);
    Ok(Json(preview.await?))
}

/// Where a test message goes, and whose fields it has.
#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TestRequest {
    #[schema(pattern = "^\\+[1-9][0-9]{6,14}$", example = "+491701234567")]
    phone: String,
    #[schema(min_length = 1, max_length = 128)]
    docid: String,
}

/// The campaign, and the message that was scheduled.
#[derive(Serialize, ToSchema)]
#[schema(as = TestScheduled)]
pub struct TestBody<'a> {
    message_id: Uuid,
    #[serde(flatten)]
    campaign: CampaignBody<'a>,
}

/// Send a test message.
///
/// To any number, as the recipient of this docid would get it; 20 an hour. Its link shows the form and stores nothing.
#[utoipa::path(
    post,
    path = "/api_v1/sms/campaign/{campaign_id}/test",
    params(Target),
    request_body = TestRequest,
    responses(
        (status = 200, description = "Scheduled", body = TestBody),
        (status = 400, description = "`invalid_parameter`, `invalid_json`"),
        (status = 409, description = "`campaign_not_running`: it is over; `form_not_published`"),
        (status = 422, description = "`validation_failed`, `sender_unknown`, `sender_not_allowed`, `public_url_local`"),
    ),
)]
pub async fn test_campaign(target: Target, request: Request) -> Result<Response> {
    let Target { state, caller, key } = &target;
    let (store, account_id) = (&state.app.store, key.account_id);
    let campaign = target.find().await?;
    let body = caller.json(request, FEW).await?;
    if matches!(
        campaign.status,
        CampaignStatus::Finished | CampaignStatus::Cancelled
    ) {
        return Err(not_running(campaign.status.into_str()));
    }
    let [phone, docid] = texts(body, ["phone", "docid"]).map_err(Problem::invalid)?;
    let mut wrong: Vec<Invalid> = wrong_phone(&phone).into_iter().collect();
    let is_known = match DocId::parse(&*docid) {
        Ok(docid) => within(QUICK, store.recipient(account_id, docid.as_str()))
            .await?
            .is_some(),
        Err(_) => false,
    };
    if !is_known {
        let detail = "there is no recipient of this docid";
        wrong.push(Invalid::of_member("docid", code::UNKNOWN_ID, detail));
    }
    if !wrong.is_empty() {
        return Err(Problem::invalid(wrong));
    }
    check_sendable(state, caller, &campaign.content).await?;
    take_test(&state.tests, account_id)?;
    let message_id = found(store.schedule_test(*key, &docid, &phone)).await?;
    let body = TestBody {
        message_id,
        campaign: with_counts(caller, &campaign).await?,
    };
    Ok(Json(body).into_response())
}
