//! The editor of campaigns: its page, what a draft would do today, and a test to one's own phone.

use std::collections::BTreeMap;

use api_http::precondition::IfMatch;
use api_http::{Problem, Result, parse_id};
use api_import::operations::{list_batches, read_batch};
use api_language::Text;
use api_send::operations::SentTest;
use api_send::{SenderItem, operations};
use askama::Template;
use axum::extract::{Path, Query};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use chrono::{TimeDelta, Utc};
use domain::campaign::{CampaignStatus, Columns, MessageStatus, MissingField, Preview, Sample};
use domain::sms::{countries, special_character};
use serde::Deserialize;
use store::import::Batch;
use uuid::Uuid;

use crate::campaign_columns::{strange, ungrouped};
use crate::campaign_draft::{CampaignDraft, Group, TestDraft, WINDOW};
use crate::campaign_senders::{KEEP, NOBODY, in_words};
use crate::campaign_settings::{DAYS, settings};
use crate::done;
use crate::editor::{Draft, Editing};
use crate::money;
use crate::names::{
    FormChoice, UnknownWords, bus_prop_names, import_name, import_people, published,
    unknown_bus_props,
};
use crate::page::{Frame, html, status};
use crate::phone::international;
use crate::provider_code;
use crate::sent::{SentChange, SentPairs};
use crate::signed_in::SignedIn;
use crate::usage;

/// So many columns can be put into a text by a click.
const INSERTABLE: usize = 25;
/// With what the names of columns of first names begin.
const FIRST_NAMES: [&str; 5] = ["vorname", "first", "prénom", "prenom", "name"];
/// Imports that can be chosen, the newest.
pub const SHOWN_BATCHES: usize = 25;

#[derive(Template)]
#[template(path = "campaign_edit.html")]
struct CampaignEditPage<'a> {
    f: &'a Frame,
    editing: &'a Editing,
    draft: &'a CampaignDraft,
    forms: Vec<FormChoice>,
    senders: Vec<SenderItem>,
    /// Those of the senders' prices, and of the budget.
    currencies: Vec<String>,
    /// The last imports, and those that are chosen.
    batches: Vec<Batch>,
    /// What recipients have.
    columns: Vec<String>,
    /// The names of its form's business properties; of one that was started none.
    bus_props: Vec<String>,
    /// Of what is stored; what is typed the page's script asks for.
    preview: Option<Result<Shown>>,
    /// Its sender reaches no phones.
    is_simulated: bool,
    /// Why the test that is shown did not arrive.
    shown_code: Option<String>,
}

/// What a draft would do, as a part of its page.
#[derive(Template)]
#[template(path = "campaign_preview.html")]
struct PreviewPart<'a> {
    f: &'a Frame,
    draft: &'a CampaignDraft,
    columns: Vec<String>,
    preview: Result<Shown>,
}

/// A preview as it is shown, the business properties that the form does not have, and the budgets that it exceeds, a sentence each.
struct Shown(Preview, UnknownWords, Vec<String>);

impl PreviewPart<'_> {
    fn strange_columns(&self, shown: &Shown) -> Vec<String> {
        strange(self.f.t, self.draft, &self.columns, &shown.0)
    }
}

impl CampaignEditPage<'_> {
    /// Whether the test that is shown may still change.
    fn test_is_under_way(&self) -> bool {
        let shown = self.draft.test.shown.as_ref();
        shown.is_some_and(|shown| {
            matches!(
                shown.message.status,
                MessageStatus::Scheduled | MessageStatus::Sending | MessageStatus::Accepted
            )
        })
    }

    /// What starting it comes to.
    fn start_question(&self) -> String {
        let t = self.f.t;
        let what = match &self.preview {
            _ if self.draft.audience.is_empty() => {
                let hours = self.summary(&["window", "delay"]);
                format!("{} {hours}.", t.get("start-import"))
            }
            Some(Ok(Shown(preview, _, exceeded))) if !preview.partial => {
                // The database has a clock of its own.
                let soon = Utc::now() + TimeDelta::minutes(1);
                let later = preview.first_at.filter(|at| *at > soon);
                let messages = number(preview.eligible);
                let messages = messages.min(self.draft.most().unwrap_or(i64::MAX));
                let start = match later {
                    Some(at) => t.count_with("start-later", messages, self.f.moment(at)),
                    None => t.count("start-now", messages),
                };
                let lately = number(preview.contacted_lately);
                let lately = (lately > 0).then(|| t.count("preview-lately", lately));
                let unlisted = preview.bus_props_unknown.iter();
                let unlisted = number(unlisted.map(|(_, people)| people).sum::<u64>());
                let unlisted = (unlisted > 0).then(|| t.count("start-unlisted", unlisted));
                let told = [start].into_iter().chain(unlisted).chain(lately);
                let told = told.chain(exceeded.iter().cloned());
                told.collect::<Vec<_>>().join(" ")
            }
            _ if self.is_simulated => return t.get("simulated-campaign"),
            _ => return t.get("sure-start"),
        };
        let real = if self.is_simulated {
            "simulated-campaign"
        } else {
            "sure-start-real"
        };
        let reminder = self.draft.has_reminder().then(|| t.get("start-reminder"));
        let told = [Some(what), reminder, Some(t.get(real)), self.ungrouped()];
        told.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// What is said where answers are grouped by nothing; before there is a preview by the names of columns alone.
    fn ungrouped(&self) -> Option<String> {
        let (t, draft) = (self.f.t, self.draft);
        match &self.preview {
            Some(Ok(shown)) => ungrouped(t, draft, &shown.0.columns),
            Some(Err(_)) => None,
            None => {
                let columns = Columns {
                    names: self.columns.iter().cloned().collect(),
                    bus_props: self.bus_props.iter().cloned().collect(),
                    ..Columns::default()
                };
                ungrouped(t, draft, &columns)
            }
        }
    }

    fn test_status(&self, shown: &SentTest) -> &'static str {
        status(&shown.message, self.is_simulated)
    }

    /// Where a test is.
    fn test_words(&self, shown: &SentTest) -> String {
        let (t, status) = (self.f.t, self.test_status(shown));
        let known = t.known("test-status", status);
        known.unwrap_or_else(|| t.of("status", status))
    }

    /// What can be put into the texts: the link, then columns.
    fn insertable(&self) -> Vec<&str> {
        let columns = self.columns.iter().map(String::as_str);
        let columns = columns.filter(|column| !column.contains(['{', '|', '}']));
        ["link"]
            .into_iter()
            .chain(columns)
            .take(INSERTABLE)
            .collect()
    }

    /// A column to show how one is written: what people are called by, if one looks so.
    fn example(&self) -> String {
        let lowercase = self.columns.iter().map(|name| (name.to_lowercase(), name));
        let lowercase: Vec<_> = lowercase.collect();
        let mut known = FIRST_NAMES.iter();
        let found = known.find_map(|first| {
            let mut columns = lowercase.iter();
            columns.find(|(name, _)| name.starts_with(first))
        });
        found.map_or_else(
            || self.f.t.get("campaign-text-example"),
            |(_, name)| (*name).clone(),
        )
    }

    /// The columns that can be kept, those that are first, and whether each is.
    fn kept(&self) -> Vec<(&str, bool)> {
        let kept = &self.draft.kept;
        let chosen = kept.iter().map(|column| (column.as_str(), true));
        let others = self.columns.iter().filter(|column| !kept.contains(column));
        let others = others.map(|column| (column.as_str(), false));
        chosen.chain(others).collect()
    }

    /// The columns among which that of a group is chosen.
    fn choices<'a>(&'a self, group: &'a Group) -> Vec<&'a str> {
        let is_other = !group.column.is_empty() && !self.columns.contains(&group.column);
        let other = is_other.then_some(group.column.as_str());
        let columns = self.columns.iter().map(String::as_str);
        other.into_iter().chain(columns).collect()
    }

    /// Among which that of a quota is chosen, and the one that is.
    fn quota_names(&self, chosen: &str) -> Vec<String> {
        let mut names = self.draft.group_names();
        let others = self.bus_props.iter().map(String::as_str);
        for name in others.chain([chosen]) {
            if !name.is_empty() && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        names
    }

    fn strange_columns(&self, shown: &Shown) -> Vec<String> {
        strange(self.f.t, self.draft, &self.columns, &shown.0)
    }

    /// Whether something is wrong with one of these members.
    fn is_wrong(&self, members: &[&str]) -> bool {
        let problem = self.editing.problem.as_ref();
        let wrong = problem.map_or(&[][..], Problem::members);
        wrong.iter().any(|one| {
            let member = one.pointer.split('/').nth(1);
            member.is_some_and(|member| members.contains(&member))
        })
    }

    /// What is set in a part of the editor, in a line; `names` are those of its settings.
    fn summary(&self, names: &[&str]) -> String {
        let t = self.f.t;
        let Some(content) = self.draft.settings(self.f.zone) else {
            return String::new();
        };
        let settings = settings(t, self.f.zone, &content, &[]).into_iter();
        let shown = settings.filter(|(name, _)| names.contains(name));
        let shown = shown.map(|(name, value)| t.labelled(t.of("setting", name), value));
        let shown: Vec<_> = shown.collect();
        if shown.is_empty() {
            t.get("campaign-nothing-set")
        } else {
            shown.join(" · ")
        }
    }

    /// Whether the draft has a value that is not among those to choose from.
    fn has_other_form(&self) -> bool {
        let chosen = &self.draft.form_id;
        !chosen.is_empty() && self.forms.iter().all(|form| form.form_id != *chosen)
    }

    /// Whether a sender that is chosen is not among those to choose from.
    fn is_other_sender(&self, chosen: &str) -> bool {
        let mut senders = self.senders.iter();
        !["", KEEP, NOBODY].contains(&chosen) && senders.all(|sender| sender.name != chosen)
    }

    /// What is stored of senders that the page has no fields for.
    fn kept_senders(&self) -> Option<String> {
        let choice = self.draft.senders();
        let choice = choice.filter(|_| self.draft.sender == KEEP)?;
        Some(in_words(self.f.t, &choice))
    }

    /// Whether there are several to choose from, by country too.
    fn has_senders(&self) -> bool {
        self.senders.len() > 1 || !self.draft.countries.is_empty()
    }

    /// Whether other countries may have nobody.
    fn may_be_nobody(&self) -> bool {
        !self.draft.countries.is_empty() || self.draft.sender == NOBODY
    }

    /// All countries, with what is dialled for them.
    fn countries() -> Vec<(String, i32)> {
        let mut countries: Vec<_> = countries()
            .map(|(country, code)| (country.to_string(), code))
            .collect();
        countries.sort();
        countries
    }

    /// Who takes messages once the one before is away: the name of the field, its label, and who is chosen. Only where there are as many
    /// to choose from.
    fn next_senders(&self) -> Vec<(&'static str, &'static str, &str)> {
        let draft = self.draft;
        let next = ("next_sender", "sender-next", draft.next_sender.as_str());
        let third = ("third_sender", "sender-third", draft.third_sender.as_str());
        let next = [(2, next), (3, third)].into_iter();
        let next =
            next.filter(|(least, (.., chosen))| self.senders.len() >= *least || !chosen.is_empty());
        next.map(|(_, field)| field).collect()
    }

    fn has_other_audience(&self) -> bool {
        let chosen = &self.draft.audience;
        !chosen.is_empty()
            && self
                .batches
                .iter()
                .all(|batch| batch.batch_id.to_string() != *chosen)
    }

    /// The imports that are ticked and cannot be had.
    fn other_imports(&self) -> Vec<&str> {
        let is_other = |ticked: &&String| {
            let mut batches = self.batches.iter();
            batches.all(|batch| batch.batch_id.to_string() != **ticked)
        };
        let ticked = self.draft.also.iter().filter(is_other);
        ticked.map(String::as_str).collect()
    }

    /// An import, and how many people it stands for at most: some may have come with another one since.
    fn import_words(&self, batch: &Batch) -> String {
        let name = import_name(self.f.t, self.f.zone, batch);
        let people = self.f.t.count("people-most", import_people(batch));
        format!("{name} ({people})")
    }
}

/// The character of a draft's texts for which less fits an SMS.
fn special(draft: &CampaignDraft) -> Option<char> {
    let texts = [&draft.text, &draft.reminder_text];
    texts.into_iter().find_map(|text| special_character(text))
}

/// A number as texts take it.
fn number(n: impl TryInto<i64>) -> i64 {
    n.try_into().unwrap_or(i64::MAX)
}

fn chars(sample: &Sample) -> i64 {
    number(sample.text.chars().count())
}

fn parts(sample: &Sample) -> i64 {
    number(sample.parts)
}

impl Shown {
    fn eligible(&self) -> i64 {
        number(self.0.eligible)
    }

    fn recipients(&self) -> i64 {
        number(self.0.recipients)
    }

    /// The parts that all of them have together.
    fn all_parts(&self) -> i64 {
        let parts = self.0.parts.iter();
        parts
            .map(|(parts, messages)| number(*parts) * number(*messages))
            .sum()
    }

    /// About how many parts one message has.
    fn parts_each(&self) -> Option<i64> {
        let messages = self.eligible();
        (messages > 0).then(|| (self.all_parts() + messages / 2) / messages)
    }

    fn encodings(&self) -> [(&'static str, i64); 2] {
        let encodings = &self.0.encodings;
        [
            ("gsm7", number(encodings.gsm7)),
            ("ucs2", number(encodings.ucs2)),
        ]
    }

    /// By the name of the reason.
    fn skipped(&self) -> BTreeMap<&'static str, i64> {
        let skipped = self.0.skipped.iter();
        skipped
            .map(|(reason, messages)| (reason.into_str(), number(*messages)))
            .collect()
    }
}

impl Shown {
    /// How many of the people got a message of another campaign a few days ago.
    fn lately(&self) -> i64 {
        number(self.0.contacted_lately)
    }

    fn cost(&self, t: &Text) -> Option<String> {
        self.0.cost.as_ref().map(|cost| money::shown(t, cost))
    }

    /// The business properties that the form does not have.
    fn unknown(&self) -> &UnknownWords {
        &self.1
    }

    /// What recipients lack, a sentence a field.
    fn missing(&self, t: &Text) -> Vec<String> {
        let sentence = |field: &MissingField| {
            let missing = t.count_with("field-missing", number(field.recipients), &field.name);
            match &field.similar {
                Some(similar) => format!("{missing} {}", t.with("field-similar", similar)),
                None => missing,
            }
        };
        self.0.fields_missing.iter().map(sentence).collect()
    }
}

impl Draft for CampaignDraft {
    const KIND: &'static str = "campaign";

    fn new(t: &Text) -> Self {
        Self {
            text: t.get("campaign-text"),
            window_from: WINDOW.0.to_owned(),
            window_to: WINDOW.1.to_owned(),
            days: DAYS.map(str::to_owned).to_vec(),
            ..Self::default()
        }
    }

    async fn find(person: &SignedIn, id: Uuid) -> Result<(Self, i64)> {
        let body = operations::read_campaign(&person.state.sending, &person.caller, id).await?;
        let campaign = &body.item.campaign;
        let mut draft = Self::read(&campaign.content, person.caller.time_zone());
        if campaign.status != CampaignStatus::Draft {
            "yes".clone_into(&mut draft.started);
            draft.is_over = !campaign.status.is_open();
            let waiting = body.item.counts.first.status(MessageStatus::Scheduled);
            draft.waiting = waiting.to_string();
        }
        Ok((draft, campaign.revision))
    }

    async fn save(&self, person: &SignedIn, stored: Option<(Uuid, &str)>) -> Result<String> {
        let (state, caller) = (&person.state.sending, &person.caller);
        let content = self.content(caller.time_zone());
        let body = match stored {
            Some((id, version)) => {
                let if_match = IfMatch::page(version);
                operations::replace_campaign(state, caller, id, &if_match, content).await?
            }
            None => operations::create_campaign(state, caller, &self.name, content).await?,
        };
        // Its budget may be another one.
        person.state.sender_alerts.forget(person.account_id).await;
        let campaign = &body.item.campaign;
        Ok(match campaign.status {
            CampaignStatus::Draft => page(campaign.campaign_id),
            _ => format!("/dashboard/campaigns/{}", campaign.campaign_id),
        })
    }

    async fn page(&self, person: &SignedIn, editing: &Editing) -> Result<Response> {
        let (f, caller) = (person.frame("campaigns"), &person.caller);
        let senders = operations::list_senders(&person.state.sending, caller);
        let template = CampaignEditPage {
            f: &f,
            editing,
            draft: self,
            forms: unless_refused(editing, published(person)).await?,
            senders: unless_refused(editing, senders).await?,
            currencies: usage::currencies(person, &self.budget_currency),
            batches: unless_refused(editing, batches(person, self)).await?,
            columns: unless_refused(editing, operations::list_columns(caller)).await?,
            bus_props: form_bus_props(person, self).await,
            preview: match &editing.id {
                Some(id) if editing.problem.is_none() => Some(of_stored(person, id, self).await),
                _ => None,
            },
            is_simulated: self
                .senders()
                .is_some_and(|choice| person.state.sending.simulates(&choice)),
            shown_code: self
                .test
                .shown
                .as_ref()
                .and_then(|shown| provider_code::words(f.t, &person.state.sending, &shown.message)),
        };
        let refused = self.test.problem.as_ref();
        let status = refused.map_or_else(|| editing.status(), |problem| problem.code().status());
        Ok(html(f.t, status, &template))
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

/// The last imports, then those that a draft has chosen before them.
async fn batches(person: &SignedIn, draft: &CampaignDraft) -> Result<Vec<Batch>> {
    let batches = list_batches(&person.caller, None, SHOWN_BATCHES)
        .await?
        .rows;
    let mut batches: Vec<_> = batches.into_iter().map(|body| body.batch).collect();
    if !draft.started.is_empty() {
        return Ok(batches);
    }
    for chosen in draft.batches() {
        let Ok(batch_id) = parse_id("batch_id", chosen) else {
            continue;
        };
        if batches.iter().all(|batch| batch.batch_id != batch_id) {
            // One that cannot be had stays as it is.
            let body = read_batch(&person.caller, batch_id).await;
            batches.extend(body.map(|body| body.batch));
        }
    }
    Ok(batches)
}

/// The names of what a draft's form has; a page can do without them.
async fn form_bus_props(person: &SignedIn, draft: &CampaignDraft) -> Vec<String> {
    let Ok(form_id) = parse_id("form_id", &draft.form_id) else {
        return Vec::new();
    };
    if !draft.started.is_empty() {
        return Vec::new();
    }
    let form = person.state.app.form(person.account_id, form_id).await;
    form.map_or_else(|_| Vec::new(), |form| bus_prop_names(&form.content))
}

/// The editor of one that is stored.
fn page(id: Uuid) -> String {
    format!("/dashboard/campaigns/{id}/edit")
}

async fn shown(person: &SignedIn, form_id: Uuid, preview: Preview, draft: &CampaignDraft) -> Shown {
    let unknown = unknown_bus_props(person, form_id, &preview.bus_props_unknown).await;
    let exceeded = match &preview.cost {
        Some(cost) if cost.millionths > 0 => {
            // The page can do without.
            let budgets = operations::list_budgets(&person.caller).await;
            let budgets = budgets.unwrap_or_default();
            let of_month = budgets.iter().find(|budget| budget.campaign.is_none());
            usage::exceeded(person.t, cost, draft.budget(), of_month)
        }
        _ => Vec::new(),
    };
    Shown(preview, unknown, exceeded)
}

async fn of_stored(person: &SignedIn, id: &str, draft: &CampaignDraft) -> Result<Shown> {
    let form_id = parse_id("form_id", &draft.form_id)?;
    let (state, campaign_id) = (&person.state.sending, parse_id("id", id)?);
    let preview = operations::preview_campaign(state, &person.caller, campaign_id).await?;
    Ok(shown(person, form_id, preview, draft).await)
}

async fn of_draft(person: &SignedIn, draft: &CampaignDraft) -> Result<Shown> {
    let content = draft.content(person.caller.time_zone())?;
    let preview = operations::preview_draft(&person.state.sending, &person.caller, &content);
    Ok(shown(person, content.form_id, preview.await?, draft).await)
}

/// What the draft that was sent would do.
pub async fn preview(person: SignedIn, pairs: SentPairs) -> Response {
    let (f, mut draft) = (person.frame("campaigns"), CampaignDraft::from(pairs));
    if draft.name.trim().is_empty() {
        // It may get its name last.
        "-".clone_into(&mut draft.name);
    }
    let template = PreviewPart {
        f: &f,
        draft: &draft,
        columns: operations::list_columns(&person.caller)
            .await
            .unwrap_or_default(),
        preview: of_draft(&person, &draft).await,
    };
    html(f.t, StatusCode::OK, &template)
}

/// Which test is shown.
#[derive(Deserialize)]
pub struct ShownTest {
    test: Option<String>,
}

/// The editor of one that is stored, with what became of a test.
pub async fn edit(
    person: SignedIn,
    Path(id): Path<String>,
    Query(ShownTest { test }): Query<ShownTest>,
) -> Result<Response> {
    let shown = match test {
        Some(test) => {
            let (campaign_id, test) = (parse_id("campaign_id", &id)?, parse_id("test", &test)?);
            Some(operations::read_test(&person.caller, campaign_id, test).await?)
        }
        None => None,
    };
    let test = TestDraft {
        shown,
        ..TestDraft::default()
    };
    with_test(&person, id, test).await
}

async fn with_test(person: &SignedIn, id: String, test: TestDraft) -> Result<Response> {
    let (mut draft, version) = CampaignDraft::find(person, parse_id("campaign_id", &id)?).await?;
    if draft.is_over && test.problem.is_none() {
        return Ok(Redirect::to(&format!("/dashboard/campaigns/{id}")).into_response());
    }
    draft.test = test;
    let editing = Editing {
        id: Some(id),
        version: version.to_string(),
        problem: None,
    };
    draft.page(person, &editing).await
}

/// Where a test goes, and whose text it has.
#[derive(Deserialize)]
pub struct Test {
    phone: String,
    docid: String,
}

/// Sends a test message. One that is refused keeps what was typed.
pub async fn test(
    person: SignedIn,
    Path(id): Path<String>,
    SentChange(test): SentChange<Test>,
) -> Result<Response> {
    send_test(&person, id, test).await
}

/// Of which campaign a test is, and where it goes.
#[derive(Deserialize)]
pub struct TestOfSender {
    campaign: String,
    phone: String,
}

/// The same from the page of senders. It is followed where the campaign's are.
pub async fn test_of_sender(
    person: SignedIn,
    SentChange(TestOfSender { campaign, phone }): SentChange<TestOfSender>,
) -> Result<Response> {
    let docid = String::new();
    send_test(&person, campaign, Test { phone, docid }).await
}

async fn send_test(person: &SignedIn, id: String, Test { phone, docid }: Test) -> Result<Response> {
    let (state, campaign_id) = (&person.state.sending, parse_id("campaign_id", &id)?);
    let number = international(person, phone.trim()).await?;
    let sent = Ok((
        number.unwrap_or_else(|| phone.clone()),
        Some(docid.clone()).filter(|docid| !docid.is_empty()),
    ));
    match operations::test_campaign(state, &person.caller, campaign_id, sent).await {
        Ok(message) => {
            let page = format!("{}?test={}", page(campaign_id), message.message_id);
            Ok(done::go(&page, "campaign.test"))
        }
        Err(problem) => {
            let test = TestDraft {
                phone,
                docid,
                problem: Some(problem),
                shown: None,
            };
            with_test(person, id, test).await
        }
    }
}
