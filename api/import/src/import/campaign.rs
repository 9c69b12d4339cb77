//! The campaign that an import is for.

use domain::campaign::{Audience, CampaignStatus};
use domain::scope::Scope;
use store::send::{Campaign, CampaignKey};
use uuid::Uuid;

use api_http::{AppState, Caller, Code, Problem, QUICK, Result, within};

/// Whether the caller may import for a campaign, and there is one; `None`: it does not want to.
///
/// # Errors
/// 403; 404.
pub async fn find(
    app: &AppState,
    caller: &Caller,
    campaign_id: Option<Uuid>,
) -> Result<Option<CampaignKey>> {
    let Some(campaign_id) = campaign_id else {
        return Ok(None);
    };
    caller.check(Scope::Send)?;
    let key = CampaignKey::new(caller.account_id(), campaign_id);
    let campaign = within(QUICK, app.store.campaign(key)).await?;
    campaign.ok_or_else(Problem::not_found)?;
    Ok(Some(key))
}

/// Whether the campaign of an import takes imports now. To be asked of a new import alone: one that was answered before is
/// answered the same.
///
/// # Errors
/// It takes none, or the database does not answer.
pub async fn check(app: &AppState, key: Option<CampaignKey>) -> Result<()> {
    let Some(key) = key else {
        return Ok(());
    };
    let campaign = within(QUICK, app.store.campaign(key)).await?;
    let why = campaign.map_or(Some("the campaign is gone"), |campaign| refusal(&campaign));
    why.map_or(Ok(()), |why| {
        Err(Problem::new(Code::CampaignNotRunning, why))
    })
}

/// Why a campaign takes no imports.
fn refusal(campaign: &Campaign) -> Option<&'static str> {
    if !matches!(campaign.content.audience, Audience::OnImport { .. }) {
        return Some("the campaign's audience is not on_import");
    }
    match campaign.status {
        CampaignStatus::Draft => Some("the campaign is DRAFT"),
        CampaignStatus::Finished => Some("the campaign is FINISHED"),
        CampaignStatus::Cancelled => Some("the campaign is CANCELLED"),
        CampaignStatus::Running | CampaignStatus::Paused => campaign
            .finishing
            .then_some("the campaign was told to finish"),
    }
}
