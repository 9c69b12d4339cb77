//! Imports: how far each is, what it came to, and a file from the browser.

use std::collections::HashMap;

use api_http::{Problem, Result, error, parse_id};
use askama::Template;
use axum::extract::{Path, Query, Request};
use axum::http::Method;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::response::Response;
use chrono::{DateTime, Utc};
use domain::person::Role;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::names::names;
use crate::page::{Frame, page};
use crate::sent::Change;
use crate::service::{self, List, Operation, PageQuery};
use crate::sign_in::NoFields;
use crate::signed_in::SignedIn;

#[derive(Template)]
#[template(path = "imports.html")]
struct ImportsPage<'a> {
    f: &'a Frame,
    batches: List<Batch>,
    campaigns: Vec<CampaignChoice>,
    campaign: &'a str,
}

#[derive(Template)]
#[template(path = "import.html")]
struct ImportPage<'a> {
    f: &'a Frame,
    batch: Batch,
    errors: List<RecordError>,
}

#[derive(Deserialize)]
struct Batch {
    #[serde(rename = "batch_id")]
    id: String,
    status: String,
    received: i64,
    accepted: i64,
    rejected: i64,
    outcomes: Outcomes,
    pending: i64,
    failed: i64,
    cancelled: i64,
    campaign_id: Option<String>,
    /// The name of the campaign, if it is known.
    #[serde(skip)]
    campaign: Option<String>,
    created_at: DateTime<Utc>,
    completed_at: Option<DateTime<Utc>>,
    records_per_second: Option<f64>,
    eta_seconds: Option<f64>,
}

#[derive(Deserialize)]
struct Outcomes {
    created: i64,
    updated: i64,
    unchanged: i64,
    superseded: i64,
}

#[derive(Deserialize)]
struct RecordError {
    index: u64,
    docid: Option<String>,
    pointer: String,
    code: String,
    detail: String,
}

/// A campaign that imports can be sent with.
#[derive(Deserialize)]
struct CampaignChoice {
    campaign_id: String,
    name: String,
    status: String,
    audience: Value,
}

impl Batch {
    fn stored(&self) -> i64 {
        self.accepted - self.pending - self.failed - self.cancelled
    }

    fn facts(&self) -> [(&'static str, i64); 8] {
        [
            ("received", self.received),
            ("rejected", self.rejected),
            ("created", self.outcomes.created),
            ("updated", self.outcomes.updated),
            ("unchanged", self.outcomes.unchanged),
            ("superseded", self.outcomes.superseded),
            ("failed", self.failed),
            ("cancelled", self.cancelled),
        ]
    }

    fn name_campaign(&mut self, names: &HashMap<String, String>) {
        let id = self.campaign_id.as_ref();
        self.campaign = id.and_then(|id| names.get(id)).cloned();
    }

    fn is_open(&self) -> bool {
        matches!(&*self.status, "queued" | "processing" | "stalled")
    }
}

/// Which imports are shown, and which campaign the next one is sent with.
#[derive(Deserialize)]
pub struct ImportsQuery {
    #[serde(default)]
    campaign: String,
    #[serde(flatten)]
    page: PageQuery,
}

/// `GET /dashboard/imports`.
pub async fn list(person: SignedIn, Query(query): Query<ImportsQuery>) -> Result<Response> {
    let f = person.frame("imports");
    let batches = query.page.path("/api_v1/sms/import?limit=25");
    let mut batches: List<Batch> = person.get(&batches).await?;
    let campaigns: List<CampaignChoice> = person.get("/api_v1/sms/campaign?limit=100").await?;
    let names = names(&person).await;
    for batch in &mut batches.items {
        batch.name_campaign(&names);
    }
    let takes_imports = |campaign: &CampaignChoice| {
        let runs = matches!(&*campaign.status, "RUNNING" | "PAUSED");
        runs && campaign.audience["on_import"] == json!(true)
    };
    let template = ImportsPage {
        f: &f,
        batches,
        campaigns: campaigns.items.into_iter().filter(takes_imports).collect(),
        campaign: &query.campaign,
    };
    Ok(page(&f, &template))
}

/// `GET /dashboard/imports/{batch_id}`.
pub async fn show(person: SignedIn, Path(batch_id): Path<String>) -> Result<Response> {
    let f = person.frame("imports");
    let batch_id = parse_id("batch_id", &batch_id)?;
    let path = format!("/api_v1/sms/import/{batch_id}");
    let mut batch: Batch = person.get(&path).await?;
    if batch.campaign_id.is_some() {
        batch.name_campaign(&names(&person).await);
    }
    let template = ImportPage {
        f: &f,
        batch,
        errors: person.get(&format!("{path}/errors?limit=100")).await?,
    };
    Ok(page(&f, &template))
}

/// Cancels or retries an import.
pub async fn act(
    person: SignedIn,
    Path((batch_id, action)): Path<(String, String)>,
    Change(NoFields {}): Change<NoFields>,
) -> Result<Response> {
    let batch_id = parse_id("batch_id", &batch_id)?;
    if !matches!(&*action, "cancel" | "retry") {
        return Err(Problem::not_found());
    }
    let path = format!("/api_v1/sms/import/{batch_id}/{action}");
    let (action, id) = (format!("import.{action}"), batch_id.to_string());
    let page = format!("/dashboard/imports/{id}");
    let operation = Operation::new(Method::POST, &path);
    person.change_then(&action, &id, operation, &page).await
}

/// Takes a file from the page's script, which sends the token of the session in a header.
pub async fn upload(
    person: SignedIn,
    Query(query): Query<ImportsQuery>,
    request: Request,
) -> Result<Response> {
    let token = request
        .headers()
        .get("x-token")
        .and_then(|token| token.to_str().ok());
    person.check_token(token.unwrap_or_default())?;
    let campaign = match &*query.campaign {
        "" => String::new(),
        id => format!("?campaign={}", parse_id("campaign", id)?),
    };
    let noted = person.caller.note("import.upload", &query.campaign).await?;
    let (parts, body) = request.into_parts();
    let kinds = [CONTENT_TYPE, CONTENT_ENCODING].into_iter();
    let headers = kinds.filter_map(|name| Some((name.clone(), parts.headers.get(name)?.clone())));
    let path = format!("/api_v1/sms/import{campaign}");
    let call = person.call(Method::POST, &path, headers.collect(), body);
    let answer = tokio::select! {
        biased;
        answer = call => answer,
        // What had arrived ends as when the browser is gone.
        () = person.ended(Role::Editor) => Err(Problem::unauthenticated()),
    };
    noted.record_status(service::status(&answer)).await;
    // The page's script shows why.
    let told = |problem: Problem| {
        let told = json!({"detail": service::reasons(person.t, &problem)});
        error::written(problem.code().status(), told.to_string().into())
    };
    Ok(answer.unwrap_or_else(told))
}
