//! The editor of campaigns: its page, what a draft would do today, and a test to one's own phone.

use std::collections::BTreeMap;

use api_http::{Result, parse_id};
use api_language::Text;
use askama::Template;
use axum::extract::Path;
use axum::http::header::ETAG;
use axum::http::{Method, StatusCode};
use axum::response::Response;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::campaign_draft::CampaignDraft;
use crate::editor::{self, Draft, Editing};
use crate::names::{FormChoice, published};
use crate::page::{Frame, html};
use crate::sent::{Change, Pairs};
use crate::service::{self, List, Operation};
use crate::signed_in::SignedIn;

#[derive(Template)]
#[template(path = "campaign_edit.html")]
struct EditPage<'a> {
    f: &'a Frame,
    editing: &'a Editing,
    draft: &'a CampaignDraft,
    forms: Vec<FormChoice>,
    senders: Vec<Sender>,
    batches: Vec<Batch>,
    /// Of what is stored; what is typed the page's script asks for.
    preview: Option<Result<Preview>>,
}

/// What a draft would do, as a part of its page.
#[derive(Template)]
#[template(path = "campaign_preview.html")]
struct PreviewPart<'a> {
    f: &'a Frame,
    draft: &'a CampaignDraft,
    preview: Result<Preview>,
}

#[derive(Deserialize)]
struct Sender {
    name: String,
}

#[derive(Deserialize)]
struct Batch {
    #[serde(rename = "batch_id")]
    id: String,
    accepted: i64,
    created_at: DateTime<Utc>,
}

#[derive(Deserialize)]
struct Preview {
    recipients: i64,
    eligible: i64,
    skipped: BTreeMap<String, i64>,
    parts: BTreeMap<String, i64>,
    encodings: BTreeMap<String, i64>,
    samples: Vec<Sample>,
    partial: bool,
}

#[derive(Deserialize)]
struct Sample {
    docid: String,
    text: String,
    parts: i64,
    encoding: String,
}

impl EditPage<'_> {
    /// Whether the draft has a value that is not among those to choose from.
    fn has_other_form(&self) -> bool {
        let chosen = &self.draft.form_id;
        !chosen.is_empty() && self.forms.iter().all(|form| form.form_id != *chosen)
    }

    fn has_other_sender(&self) -> bool {
        let chosen = &self.draft.sender;
        !chosen.is_empty() && self.senders.iter().all(|sender| sender.name != *chosen)
    }

    fn has_other_audience(&self) -> bool {
        let chosen = &self.draft.audience;
        !chosen.is_empty() && self.batches.iter().all(|batch| batch.id != *chosen)
    }
}

impl Sample {
    fn chars(&self) -> i64 {
        i64::try_from(self.text.chars().count()).unwrap_or(i64::MAX)
    }
}

impl Preview {
    /// The parts that all of them have together.
    fn all_parts(&self) -> i64 {
        let parts = self.parts.iter();
        parts
            .filter_map(|(parts, messages)| Some(parts.parse::<i64>().ok()? * messages))
            .sum()
    }
}

/// Where the API has campaigns.
const STORED: &str = "/api_v1/sms/campaign";

impl Draft for CampaignDraft {
    fn new(t: &Text) -> Self {
        Self {
            text: t.get("campaign-text"),
            window_from: "09:00".to_owned(),
            window_to: "20:00".to_owned(),
            ..Self::default()
        }
    }

    async fn find(person: &SignedIn, id: Uuid) -> Result<(Self, i64)> {
        let path = format!("{STORED}/{id}");
        let stored = person.run(Operation::new(Method::GET, &path)).await?;
        let tag = stored.headers().get(ETAG);
        let tag = tag.and_then(|tag| tag.to_str().ok()).unwrap_or_default();
        let version = tag.trim_matches('"').parse().unwrap_or_default();
        Ok((Self::read(&service::read(stored).await?), version))
    }

    async fn save(&self, person: &SignedIn, stored: Option<(Uuid, &str)>) -> Result<String> {
        let (method, path, action, subject, tag) = match stored {
            Some((id, version)) => (
                Method::PUT,
                format!("{STORED}/{id}"),
                "campaign.replace",
                id.to_string(),
                format!("\"{version}\""),
            ),
            None => (
                Method::POST,
                STORED.to_owned(),
                "campaign.create",
                self.name.clone(),
                String::new(),
            ),
        };
        let operation = Operation::new(method, &path)
            .body(self.write())
            .if_match(&tag);
        let stored = person.change(action, &subject, operation).await?;
        let stored: Value = service::read(stored).await?;
        Ok(page(&service::text(&stored["campaign_id"])))
    }

    async fn page(&self, person: &SignedIn, editing: &Editing) -> Result<Response> {
        let f = person.frame("campaigns");
        let template = EditPage {
            f: &f,
            editing,
            draft: self,
            forms: unless_refused(editing, published(person)).await?,
            senders: unless_refused(editing, all(person, "/api_v1/sms/sender")).await?,
            batches: unless_refused(editing, all(person, "/api_v1/sms/import?limit=25")).await?,
            preview: match &editing.id {
                Some(id) if editing.problem.is_none() => Some(of_stored(person, id).await),
                _ => None,
            },
        };
        Ok(html(f.t, editing.status(), &template))
    }
}

/// What can be chosen from. What somebody typed is shown without it if it cannot be had.
async fn unless_refused<T>(
    editing: &Editing,
    choices: impl Future<Output = Result<Vec<T>>>,
) -> Result<Vec<T>> {
    match choices.await {
        Err(_) if editing.problem.is_some() => Ok(Vec::new()),
        found => found,
    }
}

/// The items of a list of the API.
async fn all<T: DeserializeOwned>(person: &SignedIn, path: &str) -> Result<Vec<T>> {
    Ok(person.get::<List<T>>(path).await?.items)
}

/// The editor of one that is stored.
fn page(id: &str) -> String {
    format!("/dashboard/campaigns/{id}/edit")
}

async fn of_stored(person: &SignedIn, id: &str) -> Result<Preview> {
    let path = format!("{STORED}/{id}/preview");
    let preview = person.run(Operation::new(Method::POST, &path)).await?;
    service::read(preview).await
}

async fn of_draft(person: &SignedIn, draft: &CampaignDraft) -> Result<Preview> {
    let mut campaign = draft.write();
    if draft.name.trim().is_empty() {
        // It may get its name last.
        campaign["name"] = json!("-");
    }
    let path = format!("{STORED}/preview");
    let operation = Operation::new(Method::POST, &path).body(campaign);
    service::read(person.run(operation).await?).await
}

/// What the draft that was sent would do.
pub async fn preview(person: SignedIn, pairs: Pairs) -> Response {
    let (f, draft) = (person.frame("campaigns"), CampaignDraft::from(pairs));
    let template = PreviewPart {
        f: &f,
        draft: &draft,
        preview: of_draft(&person, &draft).await,
    };
    html(f.t, StatusCode::OK, &template)
}

/// Whose text a test has, and where it goes.
#[derive(Deserialize)]
pub struct Test {
    phone: String,
    docid: String,
}

/// Sends a test message.
pub async fn test(
    person: SignedIn,
    Path(id): Path<String>,
    Change(test): Change<Test>,
) -> Result<Response> {
    let campaign_id = parse_id("campaign_id", &id)?;
    let path = format!("{STORED}/{campaign_id}/test");
    let body = json!({"phone": test.phone, "docid": test.docid});
    let operation = Operation::new(Method::POST, &path).body(body);
    let page = page(&id);
    let tested = person.change_then("campaign.test", &id, operation, &page);
    match tested.await {
        Err(problem) => editor::show::<CampaignDraft>(&person, id, Some(problem)).await,
        tested => tested,
    }
}
