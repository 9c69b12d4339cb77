//! Imports: how far each is, what it came to, and a file from the browser.

use api_http::{Network, Problem, Result, parse_id};
use askama::Template;
use axum::Json;
use axum::extract::{Path, Query, Request, State};
use axum::http::Method;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::response::{IntoResponse, Redirect, Response};
use chrono::{DateTime, Utc};
use domain::person::Role;
use serde::Deserialize;
use serde_json::{Value, json};
use url::form_urlencoded::Serializer;

use crate::page::{Frame, page};
use crate::service::{self, Operation};
use crate::sign_in::Nothing;
use crate::signed_in::{Change, SignedIn};
use crate::state::DashboardState;

#[derive(Template)]
#[template(path = "imports.html")]
struct ImportsPage<'a> {
    f: &'a Frame,
    batches: Vec<Batch>,
    campaigns: Vec<CampaignChoice>,
    next: Option<String>,
}

#[derive(Template)]
#[template(path = "import.html")]
struct ImportPage<'a> {
    f: &'a Frame,
    batch: Batch,
    errors: Vec<RecordError>,
    has_more: bool,
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

    fn is_open(&self) -> bool {
        matches!(&*self.status, "queued" | "processing" | "stalled")
    }
}

/// Which page of a list.
#[derive(Default, Deserialize)]
pub struct PageQuery {
    #[serde(default)]
    cursor: String,
}

impl PageQuery {
    /// The path of the list's page.
    pub fn path(&self, list: &str) -> String {
        if self.cursor.is_empty() {
            return list.to_owned();
        }
        let query = Serializer::new(String::new())
            .append_pair("cursor", &self.cursor)
            .finish();
        format!("{list}&{query}")
    }
}

/// `GET /dashboard/imports`.
pub async fn list(
    State(state): State<DashboardState>,
    person: SignedIn,
    Query(query): Query<PageQuery>,
) -> Result<Response> {
    let f = person.frame("imports");
    let batches = query.path("/api_v1/sms/import?limit=25");
    let batches: service::List<Batch> = service::get(&state, &person, &batches).await?;
    let campaigns: service::List<CampaignChoice> =
        service::get(&state, &person, "/api_v1/sms/campaign?limit=100").await?;
    let takes_imports = |campaign: &CampaignChoice| {
        let runs = matches!(&*campaign.status, "RUNNING" | "PAUSED");
        runs && campaign.audience["on_import"] == json!(true)
    };
    let next = batches.next(&[]);
    let template = ImportsPage {
        f: &f,
        batches: batches.items,
        campaigns: campaigns.items.into_iter().filter(takes_imports).collect(),
        next,
    };
    Ok(page(&f, &template))
}

/// `GET /dashboard/imports/{batch_id}`.
pub async fn show(
    State(state): State<DashboardState>,
    person: SignedIn,
    Path(batch_id): Path<String>,
) -> Result<Response> {
    let f = person.frame("imports");
    let batch_id = parse_id("batch_id", &batch_id)?;
    let path = format!("/api_v1/sms/import/{batch_id}");
    let batch: Batch = service::get(&state, &person, &path).await?;
    let errors: service::List<RecordError> =
        service::get(&state, &person, &format!("{path}/errors?limit=100")).await?;
    let template = ImportPage {
        f: &f,
        batch,
        errors: errors.items,
        has_more: errors.next_cursor.is_some(),
    };
    Ok(page(&f, &template))
}

/// Cancels or retries an import.
pub async fn act(
    State(state): State<DashboardState>,
    person: SignedIn,
    network: Network,
    Path((batch_id, action)): Path<(String, String)>,
    Change(Nothing {}): Change<Nothing>,
) -> Result<Response> {
    let batch_id = parse_id("batch_id", &batch_id)?;
    if !matches!(&*action, "cancel" | "retry") {
        return Err(Problem::not_found());
    }
    let path = format!("/api_v1/sms/import/{batch_id}/{action}");
    let action = format!("import.{action}");
    let operation = Operation {
        action: &action,
        subject: &batch_id.to_string(),
        method: Method::POST,
        path: &path,
        body: None,
    };
    service::change(&state, &person, network, operation).await?;
    Ok(Redirect::to(&format!("/dashboard/imports/{batch_id}")).into_response())
}

/// Which campaign an uploaded file is sent with.
#[derive(Deserialize)]
pub struct UploadQuery {
    #[serde(default)]
    campaign: String,
}

/// Takes a file from the page's script, which sends the token of the session in a header.
pub async fn upload(
    State(state): State<DashboardState>,
    person: SignedIn,
    network: Network,
    Query(query): Query<UploadQuery>,
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
    let noted = person.note(&state, network, "import.upload", &query.campaign);
    let noted = noted.await?;
    let (parts, body) = request.into_parts();
    let kinds = [CONTENT_TYPE, CONTENT_ENCODING].into_iter();
    let headers = kinds.filter_map(|name| Some((name.clone(), parts.headers.get(name)?.clone())));
    let path = format!("/api_v1/sms/import{campaign}");
    let call = service::call(
        &state,
        &person,
        Method::POST,
        &path,
        body,
        headers.collect(),
    );
    let answer = tokio::select! {
        biased;
        answer = call => answer,
        // What had arrived ends as when the browser is gone.
        () = person.ended(&state, Role::Editor) => Err(Problem::unauthenticated()),
    };
    noted.came_to(&state, service::status(&answer)).await;
    match answer {
        Ok(answer) => Ok(answer),
        Err(problem) => Ok((
            problem.clone().into_response().status(),
            Json(json!({"detail": problem.detail()})),
        )
            .into_response()),
    }
}
