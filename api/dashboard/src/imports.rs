//! Imports: how far each is, what it came to, and a file from the browser.

use std::collections::HashMap;

use api_http::{Problem, Result, error, parse_id};
use api_import::BatchBody;
use api_import::operations::{self, ImportRequest};
use api_send::operations::list_campaigns;
use askama::Template;
use axum::extract::{Path, Query, Request};
use axum::response::{IntoResponse, Redirect, Response};
use domain::campaign::{Audience, CampaignStatus};
use domain::person::Role;
use domain::record::RecordError;
use serde::Deserialize;
use serde_json::json;
use store::import::BatchStatus;
use store::send::Campaign;

use crate::list::{PageQuery, ShownList};
use crate::names::names;
use crate::page::{Frame, page};
use crate::reasons::reasons;
use crate::sent::SentChange;
use crate::sign_in::NoFields;
use crate::signed_in::SignedIn;

#[derive(Template)]
#[template(path = "imports.html")]
struct ImportsPage<'a> {
    f: &'a Frame,
    imports: ShownList<Import>,
    /// Those that imports can be sent with.
    campaigns: Vec<Campaign>,
    campaign: &'a str,
}

#[derive(Template)]
#[template(path = "import.html")]
struct ImportPage<'a> {
    f: &'a Frame,
    import: Import,
    errors: Vec<RecordError>,
    has_more_errors: bool,
}

struct Import {
    body: BatchBody,
    /// The name of the campaign, if it is known.
    campaign: Option<String>,
}

impl Import {
    fn new(body: BatchBody, names: &HashMap<String, String>) -> Self {
        let campaign_id = body.batch.campaign_id;
        let campaign = campaign_id.and_then(|id| names.get(&id.to_string()).cloned());
        Self { body, campaign }
    }

    fn stored(&self) -> i64 {
        let batch = &self.body.batch;
        batch.accepted - batch.pending - batch.failed - batch.cancelled
    }

    fn facts(&self) -> [(&'static str, i64); 8] {
        let batch = &self.body.batch;
        let outcomes = &batch.outcomes;
        [
            ("received", batch.received),
            ("rejected", batch.rejected),
            ("created", outcomes.created),
            ("updated", outcomes.updated),
            ("unchanged", outcomes.unchanged),
            ("superseded", outcomes.superseded),
            ("failed", batch.failed),
            ("cancelled", batch.cancelled),
        ]
    }

    fn is_open(&self) -> bool {
        matches!(
            self.body.batch.status,
            BatchStatus::Queued | BatchStatus::Processing | BatchStatus::Stalled
        )
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
    let (f, caller) = (person.frame("imports"), &person.caller);
    let list = query.page.list(&person, "imports", 25);
    let batches = operations::list_batches(caller, list.position()?, list.limit).await?;
    let (campaigns, _permit) = list_campaigns(caller, None, 100).await?;
    let names = names(&person).await;
    let campaigns = campaigns.rows.into_iter().map(|body| body.campaign);
    let template = ImportsPage {
        f: &f,
        imports: ShownList::new(&list, batches.map(|body| Import::new(body, &names))),
        campaigns: campaigns.filter(takes_imports).collect(),
        campaign: &query.campaign,
    };
    Ok(page(&f, &template))
}

fn takes_imports(campaign: &Campaign) -> bool {
    let runs = matches!(
        campaign.status,
        CampaignStatus::Running | CampaignStatus::Paused
    );
    runs && matches!(campaign.content.audience, Audience::OnImport { .. })
}

/// `GET /dashboard/imports/{batch_id}`.
pub async fn show(person: SignedIn, Path(batch_id): Path<String>) -> Result<Response> {
    let (f, caller) = (person.frame("imports"), &person.caller);
    let batch_id = parse_id("batch_id", &batch_id)?;
    let body = operations::read_batch(caller, batch_id).await?;
    let names = match body.batch.campaign_id {
        Some(_) => names(&person).await,
        None => HashMap::new(),
    };
    let (errors, _permit) = operations::list_errors(caller, batch_id, 0, 100).await?;
    let template = ImportPage {
        f: &f,
        import: Import::new(body, &names),
        errors: errors.rows,
        has_more_errors: errors.next.is_some(),
    };
    Ok(page(&f, &template))
}

/// Cancels or retries an import.
pub async fn act(
    person: SignedIn,
    Path((batch_id, action)): Path<(String, String)>,
    SentChange(NoFields {}): SentChange<NoFields>,
) -> Result<Response> {
    let (caller, batch_id) = (&person.caller, parse_id("batch_id", &batch_id)?);
    match &*action {
        "cancel" => operations::cancel_batch(caller, batch_id).await?,
        "retry" => operations::retry_batch(caller, batch_id).await?,
        _ => return Err(Problem::not_found()),
    };
    Ok(Redirect::to(&format!("/dashboard/imports/{batch_id}")).into_response())
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
    let campaign_id = match &*query.campaign {
        "" => None,
        id => Some(parse_id("campaign", id)?),
    };
    let (parts, body) = request.into_parts();
    let request = ImportRequest::of_body(&parts.headers);
    let (state, gone) = (&person.state.imports, person.ended(Role::Editor));
    let imported =
        operations::import(state, &person.caller, campaign_id, request, body, gone).await;
    // The page's script shows why.
    let told = |problem: Problem| {
        let told = json!({"detail": reasons(person.t, &problem)});
        error::written(problem.code().status(), told.to_string().into())
    };
    Ok(imported.map_or_else(told, IntoResponse::into_response))
}
