//! The routes of previews and test messages.

use axum::Json;
use axum::extract::{Request, State};
use domain::campaign::{Message, Preview};
use domain::members::text_and_option;
use utoipa::ToSchema;

use super::{CAMPAIGN_BODY, CampaignTarget, content};
use crate::operations;
use crate::schema::{self, CampaignPreview, CampaignRequest};
use crate::state::{FEW, SendState};
use api_http::{Caller, Problem, Result};

/// Preview a campaign.
///
/// Judges its audience by today's state and stores nothing. Of one that comes with imports the newest 1,000 recipients stand
/// for those to come.
#[utoipa::path(
    post,
    path = "/api_v1/sms/campaign/{campaign_id}/preview",
    params(CampaignTarget),
    responses(
        (status = 200, description = "What it would do", body = CampaignPreview),
        (status = 422, description = "`sender_unknown`, `sender_not_allowed`"),
    ),
)]
pub async fn preview_campaign(target: CampaignTarget) -> Result<Json<Preview>> {
    let (state, caller, campaign_id) = target.parts();
    let preview = operations::preview_campaign(state, caller, campaign_id);
    preview.await.map(Json)
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
    let content = content(caller.json(request, CAMPAIGN_BODY).await?)?;
    let preview = operations::preview_draft(&state, &caller, &content);
    preview.await.map(Json)
}

/// Where a test message goes, and whose fields it has.
#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TestRequest {
    #[schema(pattern = "^\\+[1-9][0-9]{6,14}$", example = "+491701234567")]
    phone: String,
    #[schema(min_length = 1, max_length = 128)]
    docid: Option<String>,
}

/// Send a test message.
///
/// To any number, 20 an hour, as the recipient of the docid would get it. Without one, or for a tracking field that the recipient
/// lacks, the text shows the name of the field. Its link shows the form and stores nothing. The campaign's list of messages tells what
/// becomes of it.
#[utoipa::path(
    post,
    path = "/api_v1/sms/campaign/{campaign_id}/test",
    params(CampaignTarget),
    request_body = TestRequest,
    responses(
        (status = 200, description = "The message, which is scheduled", body = schema::Message),
        (status = 400, description = "`invalid_parameter`, `invalid_json`"),
        (status = 409, description = "`campaign_not_running`: it is over; `form_not_published`"),
        (status = 422, description = "`validation_failed`, `sender_unknown`, `sender_not_allowed`, `public_url_local`"),
    ),
)]
pub async fn test_campaign(target: CampaignTarget, request: Request) -> Result<Json<Message>> {
    let body = target.caller.json(request, FEW).await;
    let body = target.unless_missing(body).await?;
    let phone_and_docid = text_and_option(body, "phone", "docid").map_err(Problem::invalid);
    let (state, caller, campaign_id) = target.parts();
    let tested = operations::test_campaign(state, caller, campaign_id, phone_and_docid);
    tested.await.map(Json)
}
