//! What a campaign would do if it started now.

use std::sync::LazyLock;

use axum::Json;
use domain::campaign::Preview;
use domain::form::FormStatus;
use domain::sms::Country;
use platform::places::Places;
use store::send::preview::PreviewQuery;

use super::Target;
use api_http::Result;

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
    let countries: Option<Vec<Country>> = sender.countries.as_ref().map(|codes| {
        let countries = codes.iter().filter_map(|code| code.parse().ok());
        countries.collect()
    });
    let store = &state.app.store;
    let form = store.form(key.account_id, campaign.content.form_id).await?;
    let form = form.filter(|form| form.status != FormStatus::Deleted);
    let query = PreviewQuery {
        campaign: *key,
        content: &campaign.content,
        form: form.as_ref().map(|form| &form.content),
        account_zone: caller.time_zone(),
        countries: countries.as_deref(),
        link_prefix: &state.link_prefix,
        pepper: state.pepper()?,
    };
    // It looks at every recipient, and notes their phones.
    let _place = PREVIEWS.take(key.account_id).await;
    Ok(Json(store.preview_campaign(&query).await?))
}
