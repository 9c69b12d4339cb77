//! Campaigns: their funnels, and starting, pausing and ending them.

use api_http::{Code, Problem, Result, parse_id};
use askama::Template;
use axum::extract::{Path, Query};
use axum::http::Method;
use axum::response::Response;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::Value;

use crate::campaign_draft::CampaignDraft;
use crate::chart::share;
use crate::editor;
use crate::names::names;
use crate::page::{Frame, page};
use crate::sent::Change;
use crate::service::{List, Operation, PageQuery};
use crate::signed_in::SignedIn;

#[derive(Template)]
#[template(path = "campaigns.html")]
struct CampaignsPage<'a> {
    f: &'a Frame,
    campaigns: List<Campaign>,
}

#[derive(Template)]
#[template(path = "campaign.html")]
struct CampaignPage<'a> {
    f: &'a Frame,
    campaign: Campaign,
    /// The title of its form.
    form: Option<String>,
}

#[derive(Deserialize)]
struct Campaign {
    #[serde(rename = "campaign_id")]
    id: String,
    name: String,
    status: String,
    form_id: String,
    sender: String,
    text: String,
    audience: Value,
    created_at: DateTime<Utc>,
    started_at: Option<DateTime<Utc>>,
    finished_at: Option<DateTime<Utc>>,
    counts: Counts,
}

#[derive(Deserialize)]
struct Counts {
    first: Value,
    reminder: Value,
}

/// A step of a funnel.
struct Step {
    key: &'static str,
    count: i64,
    /// Of all recipients, 0 to 100.
    width: i64,
    share: Option<f64>,
}

/// What is counted of messages beside the funnel.
const OTHERS: [&str; 8] = [
    "scheduled",
    "sending",
    "skipped",
    "undelivered",
    "expired",
    "failed",
    "unknown",
    "cancelled",
];

impl Campaign {
    fn count(&self, name: &str) -> i64 {
        match &self.counts.first[name] {
            // `skipped` has its reasons.
            Value::Object(reasons) => reasons.values().filter_map(Value::as_i64).sum(),
            count => count.as_i64().unwrap_or(0),
        }
    }

    fn steps(&self) -> Vec<Step> {
        let sent = ["accepted", "delivered", "undelivered", "expired"]
            .map(|name| self.count(name))
            .iter()
            .sum();
        let all = self.count("recipients");
        let steps = [
            ("step-recipients", all),
            ("step-sent", sent),
            ("step-delivered", self.count("delivered")),
            ("step-viewed", self.count("viewed")),
            ("step-answered", self.count("answered")),
        ];
        let step = |(key, count)| Step {
            key,
            count,
            width: 100 * count / all.max(1),
            share: (all > 0).then(|| share(count, all)),
        };
        steps.map(step).into()
    }

    fn others(&self) -> Vec<(&'static str, i64)> {
        let counts = OTHERS.map(|name| (name, self.count(name)));
        counts.into_iter().filter(|(_, count)| *count > 0).collect()
    }

    /// Reasons for which messages are not sent.
    fn skipped(&self) -> Vec<(&str, i64)> {
        let reasons = self.counts.first["skipped"]
            .as_object()
            .into_iter()
            .flatten();
        let counts = reasons.filter_map(|(reason, count)| Some((reason.as_str(), count.as_i64()?)));
        counts.filter(|(_, count)| *count > 0).collect()
    }

    fn reminders(&self) -> i64 {
        self.counts.reminder["recipients"].as_i64().unwrap_or(0)
    }

    /// What can be done now.
    fn actions(&self) -> &'static [&'static str] {
        match &*self.status {
            "DRAFT" => &["start"],
            "RUNNING" => &["pause", "finish", "cancel"],
            "PAUSED" => &["resume", "finish", "cancel"],
            _ => &[],
        }
    }

    fn is_draft(&self) -> bool {
        self.status == "DRAFT"
    }

    /// Whether it was started and nobody was imported for it yet.
    fn waits_for_imports(&self) -> bool {
        self.is_live() && self.audience["on_import"] == true && self.count("recipients") == 0
    }

    fn is_live(&self) -> bool {
        self.status == "RUNNING"
    }
}

/// `GET /dashboard/campaigns`.
pub async fn list(person: SignedIn, Query(query): Query<PageQuery>) -> Result<Response> {
    let f = person.frame("campaigns");
    let path = query.path("/api_v1/sms/campaign?limit=25");
    let campaigns = person.get(&path).await?;
    Ok(page(&f, &CampaignsPage { f: &f, campaigns }))
}

/// `GET /dashboard/campaigns/{campaign_id}`.
pub async fn show(person: SignedIn, Path(campaign_id): Path<String>) -> Result<Response> {
    let f = person.frame("campaigns");
    let campaign_id = parse_id("campaign_id", &campaign_id)?;
    let path = format!("/api_v1/sms/campaign/{campaign_id}");
    let campaign: Campaign = person.get(&path).await?;
    let form = names(&person).await.remove(&campaign.form_id);
    let f = &f;
    let template = CampaignPage { f, campaign, form };
    Ok(page(f, &template))
}

/// Which version of a campaign somebody saw; of its own page none.
#[derive(Deserialize)]
pub struct ShownVersion {
    version: Option<String>,
}

/// Starts, pauses, resumes, finishes or cancels a campaign.
pub async fn act(
    person: SignedIn,
    Path((campaign_id, action)): Path<(String, String)>,
    Change(ShownVersion { version }): Change<ShownVersion>,
) -> Result<Response> {
    let campaign_id = parse_id("campaign_id", &campaign_id)?;
    if !matches!(&*action, "start" | "pause" | "resume" | "finish" | "cancel") {
        return Err(Problem::not_found());
    }
    if let Some(version) = version
        && !editor::is_current::<CampaignDraft>(&person, campaign_id, &version).await?
    {
        let changed = Problem::new(Code::PreconditionFailed, "it was changed meanwhile");
        let id = campaign_id.to_string();
        return editor::show::<CampaignDraft>(&person, id, Some(changed)).await;
    }
    let path = format!("/api_v1/sms/campaign/{campaign_id}/{action}");
    let (action, id) = (format!("campaign.{action}"), campaign_id.to_string());
    let page = format!("/dashboard/campaigns/{id}");
    let operation = Operation::new(Method::POST, &path);
    person.change_then(&action, &id, operation, &page).await
}
