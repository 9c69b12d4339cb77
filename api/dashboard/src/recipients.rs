//! Recipients: found by docid, phone or column; one of them with what is stored of it, its messages and what became of them; erasing
//! them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use api_http::deadline::soon;
use api_http::{Code, Problem, Result, parse_id};
use api_import::operations;
use api_send::operations::{MessageHistory, list_recipient_messages, read_suppression};
use askama::Template;
use axum::extract::Query;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use chrono::{DateTime, Utc};
use domain::campaign::{Message, MessageKind};
use domain::date_range::day_of;
use domain::docid::DocId;
use domain::phone::PhoneNumber;
use domain::record::COLUMNS;
use domain::scope::Scope;
use serde::Deserialize;
use serde_json::{Map, json};
use store::ListPage;
use store::import::{Batch, Recipient, RecipientQuery};
use url::form_urlencoded::Serializer;
use uuid::Uuid;

use crate::done;
use crate::download::{named, today};
use crate::figure::ALL_FORMS;
use crate::list::{PageQuery, ShownList};
use crate::names::{import_name, import_people, names};
use crate::page::{self, Frame, delivered, text};
use crate::phone::international;
use crate::provider_code;
use crate::sent::SentChange;
use crate::signed_in::SignedIn;
use crate::state::DashboardState;

/// Recipients of whom a search takes the columns that it can be about.
const WITH_COLUMNS: usize = 20;
/// Columns by which those of a list are told apart, such as a first name, a name and a store.
const SHOWN_COLUMNS: usize = 3;

/// Which recipient, or whom to search for.
#[derive(Default, Deserialize)]
#[serde(default)]
struct RecipientsQuery {
    docid: String,
    /// A column; empty: the docid, of which `q` is the beginning.
    column: String,
    q: String,
    /// An import whose values they have; empty: any.
    batch: String,
    #[serde(flatten)]
    page: PageQuery,
}

impl RecipientsQuery {
    /// The column and what is searched for in it, and who has it.
    ///
    /// # Errors
    /// 404: what names an import is none.
    fn wanted(&self) -> Result<(String, String, RecipientQuery)> {
        // No database takes U+0000, so nobody has it, nor a value that is longer.
        let [column, q] = [&self.column, &self.q].map(|text| {
            let chars = text.trim().chars().filter(|letter| *letter != '\0');
            chars.take(LONGEST).collect::<String>()
        });
        let mut wanted = RecipientQuery::default();
        if !self.batch.is_empty() {
            wanted.batch_ids = Some(vec![parse_id("batch", &self.batch)?]);
        }
        if column.is_empty() {
            wanted.docid_prefix.clone_from(&q);
        } else if !q.is_empty() {
            wanted.fields_in_any_case.insert(column.clone(), q.clone());
        }
        Ok((column, q, wanted))
    }
}

/// A phone to search for. It is sent, so that no address has it.
#[derive(Deserialize)]
struct PhoneSearch {
    phone: String,
    #[serde(flatten)]
    page: PageQuery,
}

/// What a list of recipients was searched for.
#[derive(Default)]
struct Search<'a> {
    column: &'a str,
    q: &'a str,
    /// As it was typed.
    phone: &'a str,
    /// Why it is none.
    refusal: Option<String>,
    /// Whose values came with this import.
    batch: Option<Batch>,
}

impl Search<'_> {
    fn is_empty(&self) -> bool {
        self.q.is_empty() && self.phone.is_empty() && self.batch.is_none()
    }

    /// The parameters of the page, but which of the list it is.
    fn query(&self) -> String {
        let mut query = Serializer::new(String::new());
        if !self.q.is_empty() {
            query.extend_pairs([("column", self.column), ("q", self.q)]);
        }
        if let Some(batch) = &self.batch {
            query.append_pair("batch", &batch.batch_id.to_string());
        }
        query.finish()
    }
}

/// Characters of what is searched for, at most.
const LONGEST: usize = 1_024;

#[derive(Template)]
#[template(path = "recipients.html")]
struct RecipientsPage<'a> {
    f: &'a Frame,
    search: Search<'a>,
    /// Columns that can be searched.
    columns: BTreeSet<String>,
    recipients: ShownList<Recipient>,
    /// It is not the first page.
    goes_on: bool,
    /// The docid up to which was looked, where a search is not at its end.
    looked_to: Option<String>,
}

impl RecipientsPage<'_> {
    /// The column that was searched, and the first ones of those who are listed.
    fn shown_columns(&self) -> Vec<String> {
        let searched = Some(self.search.column).filter(|name| !name.is_empty());
        let mut shown: Vec<String> = searched.map(str::to_owned).into_iter().collect();
        let fields = self.recipients.items.iter();
        let fields = fields.filter_map(|one| one.fields.as_object());
        for name in fields.flat_map(Map::keys) {
            if shown.len() < SHOWN_COLUMNS && !shown.contains(name) {
                shown.push(name.clone());
            }
        }
        shown
    }

    /// The import, and how many people it stands for at most.
    fn import_words(&self, batch: &Batch) -> String {
        let people = self.f.t.count("people-most", import_people(batch));
        format!("{} ({people})", import_name(self.f.t, self.f.zone, batch))
    }

    /// What is said where nobody is listed.
    fn none(&self) -> &'static str {
        if self.search.is_empty() {
            "recipients-none"
        } else if self.looked_to.is_some() {
            "recipients-not-yet"
        } else if self.goes_on {
            "recipients-no-more"
        } else {
            "recipients-not-found"
        }
    }
}

#[derive(Template)]
#[template(path = "recipient.html")]
struct RecipientPage<'a> {
    f: &'a Frame,
    docid: &'a str,
    found: Option<Recipient>,
    /// Since when the phone gets no messages, and how it came onto the list.
    blocked: Option<(DateTime<Utc>, String)>,
    messages: Vec<Sent>,
}

impl RecipientPage<'_> {
    /// The values of a recipient by the names of their columns, but the docid, the tracking fields and what is empty.
    fn values(recipient: &Recipient) -> Vec<(&'static str, String)> {
        let members = json!(recipient);
        let columns = COLUMNS.iter().filter(|column| !column.is_json());
        let values = columns.map(|column| (column.name, text(&members[column.name])));
        values
            .skip(1)
            .filter(|(_, value)| !value.is_empty())
            .collect()
    }
}

struct Sent {
    message: Message,
    /// It never reached a phone.
    is_simulated: bool,
    /// Why it did not arrive.
    code: Option<String>,
    /// The name of the campaign, if it is known.
    campaign: Option<String>,
    /// What was answered through it; empty before.
    answers: String,
    /// The link in it, as long as it takes an answer, for those who may see it.
    link: Option<String>,
}

impl Sent {
    fn status(&self) -> &'static str {
        page::status(&self.message, self.is_simulated)
    }

    fn is_test(&self) -> bool {
        self.message.kind == MessageKind::Test
    }

    /// What happened to it, and when.
    fn story(&self) -> impl Iterator<Item = (&'static str, DateTime<Utc>)> {
        let steps = [
            ("column-scheduled-at", Some(self.message.scheduled_at)),
            ("column-accepted-at", self.message.accepted_at),
            (delivered(self.is_simulated), self.message.delivered_at),
            ("column-viewed-at", self.message.viewed_at),
            ("column-answered-at", self.message.answered_at),
        ];
        steps.into_iter().filter_map(|(step, at)| Some((step, at?)))
    }
}

/// The page of a recipient.
pub fn path(docid: &str) -> String {
    let mut query = Serializer::new(String::new());
    query.append_pair("docid", docid);
    format!("/dashboard/recipients?{}", query.finish())
}

/// The list of those whose values came with an import.
pub fn people_path(batch_id: Uuid) -> String {
    format!("/dashboard/recipients?batch={batch_id}")
}

/// What everybody reads.
pub fn pages() -> Router<DashboardState> {
    Router::new()
        .route("/dashboard/recipients", get(show))
        .route("/dashboard/recipients.xlsx", get(export))
        .route("/dashboard/recipients/phone", post(search_phone))
}

/// What editors do with them.
pub fn edits() -> Router<DashboardState> {
    Router::new()
        .route("/dashboard/recipients/erase", post(erase))
        .route("/dashboard/recipients/person.json", get(export_person))
}

/// `GET /dashboard/recipients`.
async fn show(person: SignedIn, Query(query): Query<RecipientsQuery>) -> Result<Response> {
    if !query.docid.is_empty() {
        return show_one(&person, &query.docid).await;
    }
    let (column, q, wanted) = query.wanted()?;
    let batch = match wanted.batch_ids.as_deref() {
        Some(&[batch_id]) => Some(operations::read_batch(&person.caller, batch_id).await?),
        _ => None,
    };
    let search = Search {
        column: &column,
        q: &q,
        batch: batch.map(|body| body.batch),
        ..Search::default()
    };
    show_found(&person, search, &wanted, &query.page).await
}

/// Searches for a phone.
async fn search_phone(
    person: SignedIn,
    SentChange(PhoneSearch { phone, page }): SentChange<PhoneSearch>,
) -> Result<Response> {
    let mut search = Search {
        phone: phone.trim(),
        ..Search::default()
    };
    let mut wanted = RecipientQuery::default();
    match international(&person, search.phone).await? {
        Some(phone) => wanted.phone = Some(phone),
        None => search.refusal = Some(person.t.refused("phone_invalid", "", "")),
    }
    show_found(&person, search, &wanted, &page).await
}

async fn show_found(
    person: &SignedIn,
    search: Search<'_>,
    wanted: &RecipientQuery,
    page: &PageQuery,
) -> Result<Response> {
    let (f, caller) = (person.frame("recipients"), &person.caller);
    caller.note_list("recipients.read", "").await?;
    let some = RecipientQuery::default();
    let some = operations::list_recipients(caller, &some, None, WITH_COLUMNS).await?;
    let fields = some.0.rows.iter().filter_map(|one| one.fields.as_object());
    let mut columns: BTreeSet<String> = fields.flat_map(|fields| fields.keys().cloned()).collect();
    drop(some);
    if !search.column.is_empty() {
        columns.insert(search.column.to_owned());
    }
    let name = format!("recipients?{}&{}", search.query(), search.phone);
    let list = page.list(person, &name, 50);
    let position = list.position()?;
    let goes_on = position.is_some();
    let (found, _permit) = if search.refusal.is_some() {
        let (rows, next) = (Vec::new(), None);
        (ListPage { rows, next }, None)
    } else {
        let found = operations::list_recipients(caller, wanted, position, list.limit).await?;
        (found.0, Some(found.1))
    };
    let is_whole = !goes_on && !search.is_empty() && found.next.is_none();
    if let ([one], true) = (&*found.rows, is_whole) {
        return Ok(Redirect::to(&path(&one.docid)).into_response());
    }
    let is_cut = !search.is_empty() && found.rows.len() < list.limit;
    let template = RecipientsPage {
        f: &f,
        search,
        columns,
        goes_on,
        looked_to: found.next.clone().filter(|_| is_cut),
        recipients: ShownList::new(&list, found),
    };
    Ok(page::page(&f, &template))
}

async fn show_one(person: &SignedIn, docid: &str) -> Result<Response> {
    let (f, caller) = (person.frame("recipients"), &person.caller);
    let mut template = RecipientPage {
        f: &f,
        docid,
        found: None,
        blocked: None,
        messages: Vec::new(),
    };
    if let Ok(docid) = DocId::parse(docid.to_owned()) {
        let found = if f.may_edit() {
            operations::view_recipient(caller, &docid).await
        } else {
            operations::read_recipient(caller, &docid).await
        };
        template.found = optional(found)?;
        if !f.may_edit() && template.found.is_some() {
            caller.note_read(&docid).await?;
        }
        if let Some(found) = &template.found {
            let blocked = read_suppression(&person.state.sending, caller, &found.phone);
            template.blocked = blocked.await?;
        }
        let messages = list_recipient_messages(caller, &docid, None, 50).await;
        let messages = optional(messages)?.map_or_else(Vec::new, |page| page.rows);
        let names = match &*messages {
            [] => HashMap::new(),
            _ => names(person).await,
        };
        let links = if f.may_edit() {
            links(person, &messages).await?
        } else {
            BTreeMap::new()
        };
        let messages = messages.into_iter().map(|history| {
            let message = history.message;
            let campaign = names.get(&message.campaign_id.to_string()).cloned();
            Sent {
                is_simulated: person.state.sending.is_simulated(&message.sender),
                code: provider_code::words(person.t, &person.state.sending, &message),
                answers: answers(&f, &message),
                link: links.get(&message.message_id).cloned(),
                message,
                campaign,
            }
        });
        template.messages = messages.collect();
    }
    if !f.may_edit() {
        template.found = template.found.map(Recipient::masked);
    }
    Ok(page::page(&f, &template))
}

/// The links of messages as long as they take an answer, by the ids of the messages.
async fn links(person: &SignedIn, messages: &[MessageHistory]) -> Result<BTreeMap<Uuid, String>> {
    let ids = messages.iter().map(|history| history.message.message_id);
    let (app, ids) = (&person.state.app, ids.collect());
    let read = soon(async {
        let links = app
            .store
            .open_message_links(person.account_id, ids, Utc::now());
        Ok(links.await?)
    });
    let links = person.caller.read(Scope::Link, read).await?.into_iter();
    Ok(links.map(|(id, token)| (id, app.link_url(token))).collect())
}

/// The list of what somebody answered to a message on its day; empty: nothing.
fn answers(f: &Frame, message: &Message) -> String {
    let (Some(at), Some(docid)) = (message.answered_at, &message.docid) else {
        return String::new();
    };
    let day = day_of(at, f.zone).to_string();
    let mut query = Serializer::new(String::new());
    query
        .extend_pairs([
            ("from", &*day),
            ("to", &day),
            ("form", ALL_FORMS),
            ("show", "all"),
        ])
        .append_pair("track_field", &format!("docid={docid}"));
    format!("/dashboard/answers?{}", query.finish())
}

/// `GET /dashboard/recipients.xlsx`: all that the page lists.
async fn export(person: SignedIn, Query(query): Query<RecipientsQuery>) -> Result<Response> {
    let (_, _, wanted) = query.wanted()?;
    let export = operations::export_recipients(&person.caller, wanted, person.t);
    let file = (&*person.t.get("nav-recipients"), "xlsx");
    Ok(named(export.await?, file, &person.company, today(&person)))
}

/// Of whom all is wanted.
#[derive(Deserialize)]
pub struct WantedPerson {
    docid: String,
}

/// `GET /dashboard/recipients/person.json`: all that is stored of a recipient.
async fn export_person(person: SignedIn, Query(wanted): Query<WantedPerson>) -> Result<Response> {
    let docid = DocId::parse(wanted.docid).map_err(|_| Problem::not_found())?;
    let (found, permit) = operations::export_person(&person.caller, &docid).await?;
    let answer = permit.hold(Json(found).into_response());
    let file = (&*person.t.get("recipient"), "json");
    Ok(named(answer, file, docid.as_str(), today(&person)))
}

/// What is not there is no problem to whoever searches.
pub fn optional<T>(found: Result<T>) -> Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(problem) if problem.code() == Code::NotFound => Ok(None),
        Err(problem) => Err(problem),
    }
}

/// Whom to erase: a recipient, or all who have a phone.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum Erased {
    One { docid: String },
    All { phone: String },
}

/// Erases a recipient, or several.
async fn erase(person: SignedIn, SentChange(erased): SentChange<Erased>) -> Result<Response> {
    let caller = &person.caller;
    match erased {
        Erased::One { docid } => {
            // What is no docid may be a phone, which the audit log is not to have.
            let docid = DocId::parse(docid).map_err(|_| Problem::not_found())?;
            operations::erase_recipient(caller, &docid).await?;
        }
        Erased::All { phone } => {
            let phone = international(&person, phone.trim()).await?;
            let phone = phone.as_deref().map(PhoneNumber::parse);
            let phone = phone.transpose().ok().flatten();
            operations::erase_phone(caller, phone.ok_or_else(Problem::not_found)?).await?;
        }
    }
    Ok(done::go("/dashboard/recipients", "recipient.erase"))
}
