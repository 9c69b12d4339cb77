//! What a campaign would do if it started now, and a test message to any number.

use std::sync::LazyLock;

use axum::Json;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use domain::campaign::{CampaignStatus, Preview};
use domain::docid::DocId;
use domain::form::FormStatus;
use domain::invalid::{Invalid, code};
use domain::members::texts;
use platform::places::Places;
use serde::Serialize;
use store::send::judge::Context;
use utoipa::ToSchema;
use uuid::Uuid;

use super::change::not_running;
use super::{CampaignBody, Target, check_sendable, with_counts};
use crate::state::{FEW, take_test};
use crate::suppression::wrong_phone;
use api_http::{Problem, QUICK, Result, found, within};

/// Previews at once.
static PREVIEWS: LazyLock<Places> = LazyLock::new(|| Places::new(2));

/// Preview a campaign.
///
/// Judges its audience by today's state and stores nothing. Of one that comes with imports the newest 1,000 recipients stand
/// for those to come.
#[utoipa::path(
    post,
    path = "/api_v1/sms/campaign/{campaign_id}/preview",
    params(Target),
    responses(
        (status = 200, description = "What it would do", body = Preview),
        (status = 422, description = "`sender_unknown`, `sender_not_allowed`"),
    ),
)]
pub async fn preview_campaign(target: Target) -> Result<Json<Preview>> {
    let Target { state, caller, key } = &target;
    let campaign = target.find().await?;
    let sender = state.sender(caller, &campaign.content.sender)?;
    let store = &state.app.store;
    let form = store.form(key.account_id, campaign.content.form_id).await?;
    let form = form.filter(|form| form.status != FormStatus::Deleted);
    let query = Context {
        campaign: *key,
        content: &campaign.content,
        form: form.as_ref().map(|form| &form.content),
        account_zone: caller.time_zone(),
        countries: sender.countries.as_deref(),
        link_prefix: &caller.app.link_url(""),
        pepper: state.pepper()?,
    };
    // It looks at every recipient, and notes their phones.
    let _place = PREVIEWS.take(key.account_id).await;
    Ok(Json(store.preview_campaign(&query).await?))
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
