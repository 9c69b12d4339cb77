//! Imports: how far each is, and what it came to.

use std::collections::HashMap;

use api_http::{Problem, Result, parse_id};
use api_import::BatchBody;
use api_import::explained::Explained;
use api_import::operations;
use api_language::Text;
use api_send::operations::{list_campaigns, read_campaign};
use askama::Template;
use axum::extract::{Path, Query};
use axum::http::StatusCode;
use axum::response::Response;
use domain::campaign::{Audience, CampaignStatus};
use serde::Deserialize;
use store::erasure::WaitingMessages;
use store::import::BatchStatus;
use store::send::Campaign;
use uuid::Uuid;

use crate::audit::key_names;
use crate::done;
use crate::download::{named, today};
use crate::import_outlook::count;
use crate::list::{PageQuery, ShownList};
use crate::maker::maker;
use crate::names::{UnknownWords, unknown_bus_props};
use crate::page::{Frame, html, page};
use crate::recipients::people_path;
use crate::sent::{NoFields, SentChange};
use crate::signed_in::SignedIn;

/// So many campaigns are looked at, the newest.
const CAMPAIGNS: usize = 200;

#[derive(Template)]
#[template(path = "imports.html")]
struct ImportsPage<'a> {
    f: &'a Frame,
    imports: ShownList<Import>,
    campaign: &'a str,
    /// Why a file was refused.
    refused: Option<String>,
}

#[derive(Template)]
#[template(path = "import.html")]
struct ImportPage<'a> {
    f: &'a Frame,
    import: Import,
    /// Who imported it, if that is known.
    made_by: Option<String>,
    /// What the form of its campaign does not list.
    unknown: UnknownWords,
    /// The campaigns that are for its people.
    campaigns: Vec<Campaign>,
    /// What is said before whom it created is erased, once somebody wants to.
    erasing: Option<Vec<String>>,
    errors: Vec<Rejected>,
    has_more_errors: bool,
}

/// The rows that were rejected for one reason.
struct Rejected {
    reason: String,
    /// What can be done about it.
    remedy: String,
    rows: Vec<Explained>,
}

impl Rejected {
    /// Those of each reason, in the order in which the first of them stand.
    fn grouped(rows: impl Iterator<Item = Explained>) -> Vec<Self> {
        let mut groups = Vec::<Self>::new();
        for row in rows {
            let known = groups.iter_mut();
            let mut known =
                known.filter(|group| group.reason == row.reason && group.remedy == row.remedy);
            match known.next() {
                Some(group) => group.rows.push(row),
                None => groups.push(Self {
                    reason: row.reason.clone(),
                    remedy: row.remedy.clone(),
                    rows: vec![row],
                }),
            }
        }
        groups
    }

    fn count(&self) -> i64 {
        count(self.rows.len() as u64)
    }

    /// Whether it is known what stood in one of them.
    fn has_values(&self) -> bool {
        self.rows.iter().any(|row| row.value.is_some())
    }
}

struct Import {
    body: BatchBody,
    /// The name of the campaign, if it is known.
    campaign: Option<String>,
}

impl Import {
    fn new(body: BatchBody, names: &HashMap<Uuid, &str>) -> Self {
        let campaign_id = body.batch.campaign_id;
        let campaign = campaign_id.and_then(|id| names.get(&id).map(ToString::to_string));
        Self { body, campaign }
    }

    fn stored(&self) -> i64 {
        let batch = &self.body.batch;
        batch.accepted - batch.pending - batch.failed - batch.cancelled
    }

    /// What became of the rows, but for what became of none.
    fn facts(&self) -> Vec<(&'static str, i64)> {
        let batch = &self.body.batch;
        let outcomes = &batch.outcomes;
        let facts = [
            ("received", batch.received),
            ("rejected", batch.rejected),
            ("merged", batch.merged),
            ("created", outcomes.created),
            ("updated", outcomes.updated),
            ("unchanged", outcomes.unchanged),
            ("superseded", outcomes.superseded),
            ("failed", batch.failed),
            ("cancelled", batch.cancelled),
        ];
        let is_told = |(name, count): &(&str, i64)| *name == "received" || *count != 0;
        facts.into_iter().filter(is_told).collect()
    }

    /// The list of the people behind a fact; empty: there is none.
    fn people(&self, fact: &str) -> String {
        match fact {
            "created" | "updated" => people_path(self.body.batch.batch_id),
            _ => String::new(),
        }
    }

    /// Whom it created can still be erased.
    fn may_erase(&self) -> bool {
        let batch = &self.body.batch;
        !self.is_open() && !batch.erasing && batch.erased < batch.outcomes.created
    }

    /// People are stored of it, and it was imported for no campaign.
    fn may_be_sent_to(&self) -> bool {
        let batch = &self.body.batch;
        let is_there = batch.outcomes.created + batch.outcomes.updated > batch.erased;
        batch.campaign_id.is_none() && !self.is_open() && !batch.erasing && is_there
    }

    fn is_open(&self) -> bool {
        is_open(self.body.batch.status)
    }
}

/// Whether something of an import may still be stored.
fn is_open(status: BatchStatus) -> bool {
    matches!(
        status,
        BatchStatus::Queued | BatchStatus::Processing | BatchStatus::Stalled
    )
}

/// Which imports are shown, and which campaign the next one is sent with.
#[derive(Default, Deserialize)]
pub struct ImportsQuery {
    #[serde(default)]
    campaign: String,
    #[serde(flatten)]
    page: PageQuery,
}

/// `GET /dashboard/imports`.
pub async fn list(person: SignedIn, Query(query): Query<ImportsQuery>) -> Result<Response> {
    draw(&person, &query, None).await
}

/// The page with why a file was refused, or is not there.
pub async fn refused(person: &SignedIn, status: StatusCode, why: String) -> Result<Response> {
    draw(person, &ImportsQuery::default(), Some((status, why))).await
}

async fn draw(
    person: &SignedIn,
    query: &ImportsQuery,
    refused: Option<(StatusCode, String)>,
) -> Result<Response> {
    let (f, caller) = (person.frame("imports"), &person.caller);
    let list = query.page.list(person, "imports", 25);
    let batches = operations::list_batches(caller, list.position()?, list.limit).await?;
    let campaigns = newest_campaigns(person).await;
    let names = names(&campaigns);
    let (status, refused) = match refused {
        None => (StatusCode::OK, None),
        Some((status, why)) => (status, Some(why)),
    };
    let template = ImportsPage {
        f: &f,
        imports: ShownList::new(&list, batches.map(|body| Import::new(body, &names))),
        campaign: &query.campaign,
        refused,
    };
    Ok(html(f.t, status, &template))
}

/// `GET /dashboard/imports/{batch_id}/errors.xlsx`: all rejected records.
pub async fn export_errors(person: SignedIn, Path(batch_id): Path<String>) -> Result<Response> {
    let batch_id = parse_id("batch_id", &batch_id)?;
    let export = operations::export_errors(&person.caller, batch_id, person.t);
    let file = (&*person.t.get("rejected-records"), "xlsx");
    Ok(named(export.await?, file, &person.company, today(&person)))
}

/// The campaigns that an import can be sent with.
pub async fn campaigns_for_imports(person: &SignedIn) -> Result<Vec<Campaign>> {
    let (campaigns, _permit) = list_campaigns(&person.caller, None, 100).await?;
    let campaigns = campaigns.rows.into_iter().map(|body| body.campaign);
    Ok(campaigns.filter(takes_imports).collect())
}

/// The newest campaigns of the account; a page can do without them.
pub async fn newest_campaigns(person: &SignedIn) -> Vec<Campaign> {
    let campaigns = person.store().campaigns(person.account_id, None, CAMPAIGNS);
    campaigns
        .await
        .map_or_else(|_| Vec::new(), |page| page.rows)
}

/// Whether the people of an import are among those whom a campaign was made for.
pub fn is_for(campaign: &Campaign, batch_id: Uuid) -> bool {
    match &campaign.content.audience {
        Audience::Batches { batch_ids } => batch_ids.contains(&batch_id),
        _ => false,
    }
}

fn takes_imports(campaign: &Campaign) -> bool {
    let runs = matches!(
        campaign.status,
        CampaignStatus::Running | CampaignStatus::Paused
    );
    runs && matches!(campaign.content.audience, Audience::OnImport { .. })
}

/// What the page of an import is opened for.
#[derive(Default, Deserialize)]
pub struct ImportQuery {
    /// `erase`: what erasing whom it created comes to.
    #[serde(default)]
    ask: String,
}

/// `GET /dashboard/imports/{batch_id}`.
pub async fn show(
    person: SignedIn,
    Path(batch_id): Path<String>,
    Query(query): Query<ImportQuery>,
) -> Result<Response> {
    let (f, caller) = (person.frame("imports"), &person.caller);
    let batch_id = parse_id("batch_id", &batch_id)?;
    // At once: a page is to be about as fast as what it shows.
    let read = operations::read_batch(caller, batch_id);
    let (body, mut campaigns) = tokio::join!(read, newest_campaigns(&person));
    let body = body?;
    let names = names(&campaigns);
    let unknown = match body.batch.campaign_id {
        Some(campaign_id) if !is_open(body.batch.status) => {
            let campaign = read_campaign(&person.state.sending, caller, campaign_id).await?;
            let form_id = campaign.item.campaign.content.form_id;
            unknown_bus_props(&person, form_id, &campaign.bus_props_unknown).await
        }
        _ => UnknownWords::default(),
    };
    let (errors, _permit) = match body.batch.rejected {
        0 => (None, None),
        _ => Some(operations::list_errors(caller, batch_id, 0, 100).await?).unzip(),
    };
    let has_more_errors = errors.as_ref().is_some_and(|errors| errors.next.is_some());
    let rows = errors.into_iter().flat_map(|errors| errors.rows);
    let errors = Rejected::grouped(rows.map(|kept| Explained::new(f.t, kept)));
    let import = Import::new(body, &names);
    let batch = &import.body.batch;
    let made_by = match &batch.made_by {
        Some(by) => {
            let keys = key_names(&person).await?;
            Some(maker(&f, &keys, by, batch.made_from.as_deref()))
        }
        None => None,
    };
    let erasing = if query.ask == "erase" && f.may_edit() && import.may_erase() {
        let waiting = operations::waiting_for_created(caller, batch_id).await?;
        Some(waits(f.t, &names, waiting))
    } else {
        None
    };
    campaigns.retain(|campaign| is_for(campaign, batch_id));
    let template = ImportPage {
        f: &f,
        import,
        made_by,
        unknown,
        campaigns,
        erasing,
        errors,
        has_more_errors,
    };
    Ok(page(&f, &template))
}

/// The names of campaigns.
fn names(campaigns: &[Campaign]) -> HashMap<Uuid, &str> {
    let campaigns = campaigns.iter();
    let names = campaigns.map(|campaign| (campaign.campaign_id, &*campaign.content.name));
    names.collect()
}

/// What erasing recipients does to campaigns: a line each, the first and the last of which say what they are.
fn waits(
    t: &Text,
    names: &HashMap<Uuid, &str>,
    (waiting, is_all): (Vec<WaitingMessages>, bool),
) -> Vec<String> {
    let of_campaigns = waiting.iter().map(|row| {
        let name = names.get(&row.campaign_id).map(ToString::to_string);
        let name = name.unwrap_or_else(|| t.get("campaign"));
        let key = match &*row.kind {
            "reminder" => "erase-waits-reminder",
            _ => "erase-waits-first",
        };
        t.count_with(key, row.messages, name)
    });
    let of_campaigns: Vec<_> = of_campaigns.collect();
    let more = (!is_all).then(|| t.get("erase-waits-more"));
    if of_campaigns.is_empty() && is_all {
        return vec![t.get("erase-waits-none")];
    }
    let begin = (!of_campaigns.is_empty()).then(|| t.get("erase-waits"));
    let lines = begin.into_iter().chain(of_campaigns).chain(more);
    lines.chain([t.get("erase-waits-end")]).collect()
}

/// Cancels or retries an import, or erases whom it created.
pub async fn act(
    person: SignedIn,
    Path((batch_id, action)): Path<(String, String)>,
    SentChange(NoFields {}): SentChange<NoFields>,
) -> Result<Response> {
    let (caller, batch_id) = (&person.caller, parse_id("batch_id", &batch_id)?);
    match &*action {
        "cancel" => operations::cancel_batch(caller, batch_id).await?,
        "retry" => operations::retry_batch(caller, batch_id).await?,
        "erase" => operations::erase_created(caller, batch_id).await?,
        _ => return Err(Problem::not_found()),
    };
    let page = format!("/dashboard/imports/{batch_id}");
    Ok(done::go(&page, &format!("import.{action}")))
}
