//! Campaigns: their funnels, and starting, pausing and ending them.

use std::ops::Deref;

use api_http::{Code, Problem, Result, parse_id};
use api_send::{CampaignItem, operations};
use askama::Template;
use axum::extract::{Path, Query};
use axum::response::Response;
use domain::campaign::{
    Audience, CampaignAction, CampaignStatus, Count, MessageKind, MessageSet, MessageStatus,
};
use domain::form::FormStatus;
use domain::price::Money;
use serde::Deserialize;
use store::send::Campaign;
use store::send::failure::{Failure, Failures};
use store::send::message::NONE;
use store::send::resend::MAY_BE_RESENT;
use store::send::usage::BudgetSpent;

use crate::campaign_draft::CampaignDraft;
use crate::campaign_senders::in_words;
use crate::campaign_settings::{resume_question, settings, waits};
use crate::chart::share;
use crate::done;
use crate::editor;
use crate::figure::Figure;
use crate::list::{PageQuery, ShownList};
use crate::messages::MessageFigures;
use crate::money;
use crate::names::{UnknownWords, import_names, names, unknown_bus_props};
use crate::page::{Frame, delivered, page};
use crate::provider_code;
use crate::senders::CampaignTrouble;
use crate::sent::SentChange;
use crate::signed_in::SignedIn;
use crate::usage;

#[derive(Template)]
#[template(path = "campaigns.html")]
struct CampaignsPage<'a> {
    f: &'a Frame,
    campaigns: ShownList<Funnel>,
}

#[derive(Template)]
#[template(path = "campaign.html")]
struct CampaignPage<'a> {
    f: &'a Frame,
    campaign: Funnel,
    /// Why messages wait.
    waits: Vec<String>,
    cost: Option<String>,
    /// What of its budget is spent, where that is nearly all.
    budget: Option<String>,
    /// Why messages did not arrive, the most frequent reasons.
    failures: Vec<FailureRow>,
    /// Notes on them, by the names of their texts.
    failure_notes: Vec<&'static str>,
    /// What resuming it comes to.
    resume_question: String,
    /// Business properties that the form does not have.
    unknown: UnknownWords,
    /// What is wrong with its senders, while it runs.
    sender_troubles: Vec<String>,
    /// Who carries its messages.
    senders: String,
    settings: Vec<(&'static str, String)>,
    /// The title of its form.
    form: Option<String>,
    form_is_deleted: bool,
}

/// A campaign with its funnel.
struct Funnel {
    item: CampaignItem,
    /// Nothing reaches a phone.
    is_simulated: bool,
}

impl Deref for Funnel {
    type Target = Campaign;

    fn deref(&self) -> &Campaign {
        &self.item.campaign
    }
}

/// A step of a funnel.
struct FunnelStep {
    key: &'static str,
    count: Figure,
    /// Of all recipients, 0 to 100.
    width: i64,
    share: Option<f64>,
}

/// Messages that did not arrive for the same reason.
struct FailureRow {
    status: &'static str,
    words: String,
    /// Where the words do not have it.
    code: Option<String>,
    /// `-`: it is not known.
    country: String,
    count: Figure,
}

/// So many reasons are shown.
const FAILURES: usize = 25;

/// What is counted of messages beside the funnel.
const OTHERS: [MessageStatus; 8] = [
    MessageStatus::Scheduled,
    MessageStatus::Sending,
    MessageStatus::Skipped,
    MessageStatus::Undelivered,
    MessageStatus::Expired,
    MessageStatus::Failed,
    MessageStatus::Unknown,
    MessageStatus::Cancelled,
];

impl Funnel {
    fn new(person: &SignedIn, item: CampaignItem) -> Self {
        let sender = &item.campaign.content.sender;
        let is_simulated = person.state.sending.simulates(sender);
        Self { item, is_simulated }
    }

    fn count(&self, count: Count) -> i64 {
        self.item.counts.first.get(count)
    }

    /// A number of its first messages.
    fn figure(&self, set: MessageSet) -> Figure {
        let figures = MessageFigures::of_campaign(self.campaign_id, MessageKind::First);
        figures.figure(set, &self.item.counts.first)
    }

    fn steps(&self) -> Vec<FunnelStep> {
        let all = self.count(Count::Recipients);
        let steps = [
            ("step-recipients", MessageSet::ALL),
            ("step-sent", MessageSet::Sent),
            (delivered(self.is_simulated), MessageSet::DELIVERED),
            ("step-viewed", MessageSet::Counted(Count::Viewed)),
            ("step-answered", MessageSet::Counted(Count::Answered)),
        ];
        let step = |(key, set)| {
            let count = self.figure(set);
            FunnelStep {
                key,
                width: 100 * count.value / all.max(1),
                share: (all > 0).then(|| share(count.value, all)),
                count,
            }
        };
        steps.map(step).into()
    }

    fn others(&self) -> Vec<(&'static str, Figure)> {
        let figure = |status: MessageStatus| {
            let set = MessageSet::Counted(Count::Status(status));
            (status.into_str(), self.figure(set))
        };
        let others = OTHERS.map(figure).into_iter();
        others.filter(|(_, count)| count.value > 0).collect()
    }

    /// Reasons for which messages are not sent.
    fn skipped(&self) -> Vec<(&'static str, Figure)> {
        let counts = self.item.counts.first.keys();
        let skipped = counts.filter_map(|count| match count {
            Count::Skipped(reason) => {
                let figure = self.figure(MessageSet::Counted(*count));
                Some((reason.into_str(), figure))
            }
            _ => None,
        });
        skipped.filter(|(_, count)| count.value > 0).collect()
    }

    fn reminders(&self) -> Figure {
        let figures = MessageFigures::of_campaign(self.campaign_id, MessageKind::Reminder);
        figures.figure(MessageSet::ALL, &self.item.counts.reminder)
    }

    /// What can be done now.
    fn actions(&self) -> &'static [&'static str] {
        match self.status {
            CampaignStatus::Draft => &["start"],
            CampaignStatus::Running => &["pause", "finish", "cancel"],
            CampaignStatus::Paused => &["resume", "finish", "cancel"],
            CampaignStatus::Finished | CampaignStatus::Cancelled => &[],
        }
    }

    /// What may be sent again, and how many these are.
    fn to_resend(&self) -> Vec<(&'static str, i64)> {
        if matches!(
            self.status,
            CampaignStatus::Draft | CampaignStatus::Cancelled
        ) {
            return Vec::new();
        }
        self.lost()
    }

    /// What did not arrive, by status.
    fn lost(&self) -> Vec<(&'static str, i64)> {
        let counts = &self.item.counts;
        let statuses = MAY_BE_RESENT.into_iter();
        let counted = statuses.map(|status| {
            let count = counts.first.status(status) + counts.reminder.status(status);
            (status.into_str(), count)
        });
        counted.filter(|(_, count)| *count > 0).collect()
    }

    fn may_change(&self) -> bool {
        self.status == CampaignStatus::Draft || self.status.is_open()
    }

    /// Whether it was started and nobody was imported for it yet.
    fn waits_for_imports(&self) -> bool {
        let on_import = matches!(self.content.audience, Audience::OnImport { .. });
        self.is_live() && on_import && self.count(Count::Recipients) == 0
    }

    fn is_live(&self) -> bool {
        self.status == CampaignStatus::Running
    }
}

/// `GET /dashboard/campaigns`.
pub async fn list(person: SignedIn, Query(query): Query<PageQuery>) -> Result<Response> {
    let f = person.frame("campaigns");
    let list = query.list(&person, "campaigns", 25);
    let campaigns = operations::list_campaigns(&person.caller, list.position()?, list.limit);
    let (campaigns, _permit) = campaigns.await?;
    let campaigns = ShownList::new(&list, campaigns.map(|item| Funnel::new(&person, item)));
    Ok(page(&f, &CampaignsPage { f: &f, campaigns }))
}

/// `GET /dashboard/campaigns/{campaign_id}`.
pub async fn show(person: SignedIn, Path(campaign_id): Path<String>) -> Result<Response> {
    let f = person.frame("campaigns");
    let campaign_id = parse_id("campaign_id", &campaign_id)?;
    let state = &person.state.sending;
    let body = operations::read_campaign(state, &person.caller, campaign_id).await?;
    let (t, zone, campaign) = (f.t, f.zone, Funnel::new(&person, body.item));
    let content = &campaign.content;
    let troubled = person.state.sender_alerts.find(state, &person.caller).await;
    let waiting = body
        .waiting
        .iter()
        .filter_map(|wait| wait.sender.as_deref());
    let waiting: Vec<&str> = waiting.collect();
    let trouble = CampaignTrouble::new(&f, &content.sender, &troubled, &waiting);
    let stored = person.state.app.form(person.account_id, content.form_id);
    let form_is_deleted = stored
        .await
        .is_ok_and(|form| form.status == FormStatus::Deleted);
    let form = content.form_id.to_string();
    let form = names(&person).await.remove(&form);
    let failures = failures(&person, &campaign).await;
    let unknown = unknown_bus_props(&person, content.form_id, &body.bus_props_unknown);
    let imports = import_names(&person, &content.audience).await;
    let scheduled = campaign.count(Count::Status(MessageStatus::Scheduled));
    let template = CampaignPage {
        f: &f,
        waits: waits(
            (t, zone),
            content,
            (&body.waiting, scheduled),
            &trouble.by_sender,
        ),
        sender_troubles: if campaign.is_live() {
            trouble.sentences
        } else {
            Vec::new()
        },
        budget: budget_spent(&campaign, body.cost.as_ref()).map(|one| usage::spent(t, &one)),
        cost: body.cost.map(|cost| money::shown(t, &cost)),
        failure_notes: failure_notes(&failures),
        failures: failure_rows(&person, &campaign, &failures.items),
        resume_question: resume_question(t, content, (&body.waiting, scheduled)),
        unknown: unknown.await,
        senders: in_words(t, &content.sender),
        settings: settings(t, zone, content, &imports),
        form,
        form_is_deleted: form_is_deleted && campaign.status.is_open(),
        campaign,
    };
    Ok(page(&f, &template))
}

/// Why messages of a campaign did not arrive. Its page can do without.
async fn failures(person: &SignedIn, campaign: &Funnel) -> Failures {
    if campaign.lost().is_empty() {
        return Failures::default();
    }
    let failures = operations::list_failures(&person.caller, campaign.campaign_id);
    failures.await.unwrap_or_default()
}

fn failure_rows(person: &SignedIn, campaign: &Funnel, failures: &[Failure]) -> Vec<FailureRow> {
    let (sending, senders) = (&person.state.sending, &campaign.content.sender);
    let row = |failure: &Failure| {
        let words = provider_code::of_failure(person.t, sending, senders, failure);
        let code = failure.code.clone();
        FailureRow {
            status: failure.status.into_str(),
            code: code.filter(|code| !words.contains(&**code)),
            words,
            country: failure.country.clone().unwrap_or_else(|| NONE.to_owned()),
            count: MessageFigures::of_failure(campaign.campaign_id, failure),
        }
    };
    failures.iter().take(FAILURES).map(row).collect()
}

fn failure_notes(failures: &Failures) -> Vec<&'static str> {
    let notes = [
        ("failures-most", failures.items.len() > FAILURES),
        ("failures-sealed", failures.sealed),
        ("failures-partial", failures.partial && !failures.sealed),
    ];
    let notes = notes.into_iter().filter(|(_, is_so)| *is_so);
    notes.map(|(note, _)| note).collect()
}

/// The budget of a campaign that cost so much, where it is nearly spent.
fn budget_spent(campaign: &Campaign, cost: Option<&Money>) -> Option<BudgetSpent> {
    let budget = campaign.content.budget.clone()?;
    let spent = BudgetSpent {
        campaign: Some((campaign.campaign_id, campaign.content.name.clone())),
        spent: Money::sum_of(&budget.currency, cost.cloned()),
        budget,
    };
    Some(spent).filter(|spent| campaign.status.is_open() && spent.is_nearly_spent())
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
    SentChange(ShownVersion { version }): SentChange<ShownVersion>,
) -> Result<Response> {
    let campaign_id = parse_id("campaign_id", &campaign_id)?;
    let done = format!("campaign.{action}");
    let action = match &*action {
        "start" => CampaignAction::Start,
        "pause" => CampaignAction::Pause,
        "resume" => CampaignAction::Resume,
        "finish" => CampaignAction::Finish,
        "cancel" => CampaignAction::Cancel,
        _ => return Err(Problem::not_found()),
    };
    if let Some(version) = version
        && !editor::is_current::<CampaignDraft>(&person, campaign_id, &version).await?
    {
        let changed = Problem::new(Code::PreconditionFailed, "it was changed meanwhile");
        let id = campaign_id.to_string();
        return editor::show::<CampaignDraft>(&person, id, Some(changed)).await;
    }
    let state = &person.state.sending;
    operations::act_on_campaign(state, &person.caller, campaign_id, action).await?;
    let page = format!("/dashboard/campaigns/{campaign_id}");
    Ok(done::go(&page, &done))
}

/// Which messages are to be sent again.
#[derive(Deserialize)]
pub struct ResentStatus {
    status: String,
}

/// Sends messages of a campaign again.
pub async fn resend(
    person: SignedIn,
    Path(campaign_id): Path<String>,
    SentChange(ResentStatus { status }): SentChange<ResentStatus>,
) -> Result<Response> {
    let id = parse_id("campaign_id", &campaign_id)?;
    let (state, status) = (
        &person.state.sending,
        operations::status_to_resend(&status)?,
    );
    operations::resend_messages(state, &person.caller, id, status).await?;
    let page = format!("/dashboard/campaigns/{id}");
    Ok(done::go(&page, "campaign.resend"))
}

/// From which page of a campaign something was done.
#[derive(Deserialize)]
pub struct DoneFrom {
    page: Option<String>,
}

/// Adds to a campaign's form the business properties that it lacks.
pub async fn add_bus_props(
    person: SignedIn,
    Path(campaign_id): Path<String>,
    SentChange(DoneFrom { page }): SentChange<DoneFrom>,
) -> Result<Response> {
    let campaign_id = parse_id("campaign_id", &campaign_id)?;
    operations::add_bus_props(&person.state.sending, &person.caller, campaign_id, false).await?;
    let page = page.filter(|page| page == "edit").map_or("", |_| "/edit");
    let page = format!("/dashboard/campaigns/{campaign_id}{page}");
    Ok(done::go(&page, "form.replace"))
}
