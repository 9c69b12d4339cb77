//! What a campaign would do if it started now.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::Json;
use axum::extract::State;
use domain::campaign::SkipReason;
use domain::form::FormStatus;
use domain::sms::{Country, Encoding};
use platform::places::Places;
use serde::Serialize;
use store::send::CampaignKey;
use store::send::preview::{Preview, PreviewQuery, Sample};
use utoipa::ToSchema;

use super::find;
use crate::state::SendState;
use api_http::auth::Caller;
use api_http::error::Problem;
use api_http::extract::PathId;

/// Previews at once.
static PREVIEWS: LazyLock<Places> = LazyLock::new(|| Places::new(2));

/// What a campaign would do now.
#[derive(Serialize, ToSchema)]
#[schema(as = CampaignPreview)]
pub struct PreviewBody {
    /// The sum of `eligible` and all that is skipped.
    recipients: u64,
    eligible: u64,
    /// By reason.
    #[schema(value_type = BTreeMap<String, u64>)]
    skipped: BTreeMap<SkipReason, u64>,
    /// Messages by how many parts they have.
    #[schema(value_type = BTreeMap<String, u64>, example = json!({"1": 950, "2": 50}))]
    parts: BTreeMap<String, u64>,
    encodings: Encodings,
    /// Messages by the country of their phone.
    #[schema(example = json!({"DE": 1000}))]
    countries: BTreeMap<String, u64>,
    samples: Vec<SampleBody>,
}

/// Messages by how they are encoded.
#[derive(Serialize, ToSchema)]
struct Encodings {
    gsm7: u64,
    ucs2: u64,
}

/// A message as it would be; its link is not one yet.
#[derive(Serialize, ToSchema)]
#[schema(as = SampleMessage)]
struct SampleBody {
    docid: String,
    text: String,
    parts: usize,
    #[schema(value_type = String, example = "gsm7")]
    encoding: Encoding,
}

impl From<Sample> for SampleBody {
    fn from(sample: Sample) -> Self {
        Self {
            docid: sample.docid,
            text: sample.text,
            parts: sample.parts,
            encoding: sample.encoding,
        }
    }
}

impl From<Preview> for PreviewBody {
    fn from(preview: Preview) -> Self {
        let parts = preview.parts.into_iter();
        Self {
            recipients: preview.recipients,
            eligible: preview.eligible,
            skipped: preview.skipped,
            parts: parts
                .map(|(parts, count)| (parts.to_string(), count))
                .collect(),
            encodings: Encodings {
                gsm7: preview.gsm7,
                ucs2: preview.ucs2,
            },
            countries: preview.countries,
            samples: preview.samples.into_iter().map(SampleBody::from).collect(),
        }
    }
}

/// Preview a campaign.
///
/// Judges its audience by today's state and stores nothing. Of one that comes with imports the newest 1,000 recipients stand
/// for those to come.
#[utoipa::path(
    post,
    path = "/api_v1/sms/campaign/{campaign_id}/preview",
    params(("campaign_id" = Uuid, Path)),
    responses(
        (status = 200, description = "What it would do", body = PreviewBody),
        (status = 422, description = "`sender_unknown`, `sender_not_allowed`"),
    ),
)]
pub async fn preview_campaign(
    State(state): State<SendState>,
    caller: Caller,
    PathId(campaign_id): PathId,
) -> Result<Json<PreviewBody>, Problem> {
    let (store, account_id) = (state.app.store(), caller.account_id());
    let key = CampaignKey::new(account_id, campaign_id);
    let campaign = find(&state, key).await?;
    let sender = state.sender(&caller, &campaign.content.sender)?;
    let countries: Option<Vec<Country>> = sender.countries.as_ref().map(|codes| {
        let countries = codes.iter().filter_map(|code| code.parse().ok());
        countries.collect()
    });
    let form = store.form(account_id, campaign.content.form_id).await?;
    let form = form.filter(|form| form.status != FormStatus::Deleted);
    let query = PreviewQuery {
        campaign: key,
        content: &campaign.content,
        form: form.as_ref().map(|form| &form.content),
        account_zone: caller.time_zone(),
        countries: countries.as_deref(),
        link_prefix: &state.link_prefix,
        pepper: state.pepper()?,
    };
    // It looks at every recipient, and notes their phones.
    let _place = PREVIEWS.take(account_id).await;
    Ok(Json(store.preview_campaign(&query).await?.into()))
}
