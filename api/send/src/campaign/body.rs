//! A campaign as it is answered.

use chrono::{DateTime, Utc};
use domain::campaign::{CampaignContent, CampaignStatus, Counts};
use serde::Serialize;
use store::send::{Campaign, CampaignCounts};
use utoipa::ToSchema;
use uuid::Uuid;

/// A campaign.
#[derive(Serialize, ToSchema)]
#[schema(as = Campaign)]
pub struct CampaignBody<'a> {
    campaign_id: Uuid,
    #[schema(value_type = String, example = "RUNNING", pattern = "^(DRAFT|RUNNING|PAUSED|FINISHED|CANCELLED)$")]
    status: CampaignStatus,
    #[serde(flatten)]
    content: &'a CampaignContent,
    created_at: DateTime<Utc>,
    #[schema(required = true)]
    started_at: Option<DateTime<Utc>>,
    #[schema(required = true)]
    finished_at: Option<DateTime<Utc>>,
    counts: CountsBody,
}

/// The counts of a campaign's messages by kind. Tests are not counted.
#[derive(Serialize, ToSchema)]
#[schema(as = CampaignCounts)]
pub struct CountsBody {
    first: Counts,
    reminder: Counts,
}

impl<'a> CampaignBody<'a> {
    pub fn new(campaign: &'a Campaign, counts: CampaignCounts) -> Self {
        Self {
            campaign_id: campaign.campaign_id,
            status: campaign.status,
            content: &campaign.content,
            created_at: campaign.created_at,
            started_at: campaign.started_at,
            finished_at: campaign.finished_at,
            counts: CountsBody {
                first: counts.first,
                reminder: counts.reminder,
            },
        }
    }
}
