//! A file that has arrived (`import_upload`), on its way to recipients: its columns are said what they are, what an import would come
//! to is shown (`import_outlook`), and it is imported. Each step is a page that needs no script.

use std::collections::BTreeMap;

use api_http::{Code, Problem, Result, parse_id};
use api_import::ingest::{Look, REMEDY};
use api_import::operations;
use api_import::upload::{self, Choice};
use api_language::Text;
use api_send::operations::add_to_form;
use askama::Template;
use axum::extract::{Path, Query};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use domain::body::{Mapping, guess};
use domain::person::Role;
use domain::sms::{Country, countries, country_of_zone};
use store::import::Upload;
use store::send::Campaign;
use url::form_urlencoded::Serializer;
use uuid::Uuid;

use crate::done;
use crate::import_outlook::Outlook;
use crate::imports::{self, campaigns_for_imports};
use crate::names::unknown_bus_props;
use crate::page::{Frame, html};
use crate::reasons::reasons;
use crate::sent::SentPairs;
use crate::signed_in::SignedIn;

/// Columns that are shown, at most; those behind them are kept with each person.
const SHOWN_COLUMNS: usize = 100;
/// Of a file that cannot be imported.
pub const REFUSED: StatusCode = StatusCode::UNPROCESSABLE_ENTITY;
/// Rows whose values are shown beside a column.
const EXAMPLES: usize = 3;
/// What a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Keep,
    Skip,
    Docid,
    Phone,
    Both,
}

impl Use {
    /// With their names in forms, which are those of their texts too.
    const ALL: [(Self, &str); 5] = [
        (Self::Keep, "keep"),
        (Self::Phone, "phone"),
        (Self::Docid, "docid"),
        (Self::Both, "both"),
        (Self::Skip, "skip"),
    ];

    fn of_name(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(_, known)| *known == name);
        found.map(|(is, _)| *is)
    }

    fn is_phone(self) -> bool {
        matches!(self, Self::Phone | Self::Both)
    }

    fn is_docid(self) -> bool {
        matches!(self, Self::Docid | Self::Both)
    }
}

/// A column, what the first rows have there, and what it is.
struct Column {
    /// Its place in the file, from 0.
    number: usize,
    name: String,
    examples: Vec<String>,
    is: Use,
}

impl Column {
    /// Each choice with its text, and whether it is this column's.
    fn choices(&self, t: &Text) -> Vec<(&'static str, String, bool)> {
        let choices = Use::ALL.iter();
        let choices = choices.map(|(is, name)| (*name, t.of("column", name), *is == self.is));
        choices.collect()
    }
}

#[derive(Template)]
#[template(path = "import_file.html")]
struct FilePage<'a> {
    f: &'a Frame,
    upload: &'a Upload,
    look: &'a Look,
    columns: &'a [Column],
    /// Their codes, and the codes that one dials.
    countries: Vec<(String, i32)>,
    country: String,
    campaigns: Vec<Campaign>,
    campaign: &'a str,
    /// What sending with the campaign comes to.
    send_question: Option<String>,
    /// What the page shows the outlook of, as a query.
    seen: String,
    outlook: Option<Outlook>,
    problem: Option<String>,
}

/// What the page of a file sends or asks for, name by name.
struct Chosen {
    uses: BTreeMap<usize, Use>,
    country: Option<String>,
    campaign: String,
    /// What the page showed the outlook of, and for which campaign.
    seen: String,
    seen_campaign: String,
    /// The button that was pressed: `look`, `add` or `import`.
    action: String,
}

impl Chosen {
    fn of(pairs: &[(String, String)]) -> Self {
        let one = |wanted| {
            pairs
                .iter()
                .find(|(name, _)| name == wanted)
                .map(|(_, value)| value.clone())
        };
        let uses = pairs.iter().filter_map(|(name, value)| {
            let column = name.strip_prefix("column-")?.parse().ok()?;
            Some((column, Use::of_name(value)?))
        });
        Self {
            uses: uses.collect(),
            country: one("country"),
            campaign: one("campaign").unwrap_or_default(),
            seen: one("seen").unwrap_or_default(),
            seen_campaign: one("seen_campaign").unwrap_or_default(),
            action: one("do").unwrap_or_default(),
        }
    }

    fn country(&self) -> Option<Country> {
        self.country.as_deref()?.parse().ok()
    }

    /// The campaign that it is to be sent with.
    fn campaign<'c>(&self, campaigns: &'c [Campaign]) -> Option<&'c Campaign> {
        let mut campaigns = campaigns.iter();
        campaigns.find(|campaign| campaign.campaign_id.to_string() == self.campaign)
    }
}

/// What was chosen, as a query.
fn query(columns: &[Column], country: Option<Country>, campaign: &str) -> String {
    let mut query = Serializer::new(String::new());
    for column in columns {
        let names = Use::ALL.iter().find(|(is, _)| *is == column.is);
        let name = names.map_or("", |(_, name)| name);
        query.append_pair(&format!("column-{}", column.number), name);
    }
    let country = country.map_or_else(String::new, |country| country.to_string());
    query
        .append_pair("country", &country)
        .append_pair("campaign", campaign)
        .finish()
}

/// The name of the text of a delimiter.
pub fn delimiter(delimiter: char) -> &'static str {
    match delimiter {
        ';' => "semicolon",
        '\t' => "tab",
        '|' => "bar",
        _ => "comma",
    }
}

/// `GET /dashboard/imports/file/{upload_id}`: what the file has, and what an import of it would come to.
pub async fn show(
    person: SignedIn,
    Path(upload_id): Path<String>,
    Query(pairs): Query<Vec<(String, String)>>,
) -> Result<Response> {
    match find(&person, &upload_id).await? {
        Ok(upload) => draw(&person, &upload, &Chosen::of(&pairs), None).await,
        Err(elsewhere) => Ok(elsewhere),
    }
}

/// The file; or, where it is not kept any more, the batch that it became, or the page on which it can be chosen again.
async fn find(person: &SignedIn, upload_id: &str) -> Result<Result<Upload, Response>> {
    let (caller, upload_id) = (&person.caller, parse_id("upload_id", upload_id)?);
    if let Some(batch_id) = upload::became(caller, upload_id).await? {
        return Ok(Err(to_batch(batch_id)));
    }
    match upload::read(caller, upload_id).await {
        Ok(upload) => Ok(Ok(upload)),
        Err(problem) if problem.code() == Code::NotFound => {
            let gone = imports::refused(person, StatusCode::NOT_FOUND, person.t.get("file-gone"));
            gone.await.map(Err)
        }
        Err(problem) => Err(problem),
    }
}

fn to_batch(batch_id: Uuid) -> Response {
    Redirect::to(&format!("/dashboard/imports/{batch_id}")).into_response()
}

/// Draws the page; with a problem, what was tried did not come about.
async fn draw(
    person: &SignedIn,
    upload: &Upload,
    chosen: &Chosen,
    problem: Option<Problem>,
) -> Result<Response> {
    let (f, t, caller, state) = (
        person.frame("imports"),
        person.t,
        &person.caller,
        &person.state.imports,
    );
    let look = match upload::look(state, caller, upload).await {
        Ok(look) => look,
        Err(problem) if problem.code().status().is_client_error() => {
            return imports::refused(person, REFUSED, upload_refused(t, &problem)).await;
        }
        Err(problem) => return Err(problem),
    };
    let (columns, country) = columns(person, &look, chosen).await?;
    let mut told = problem.as_ref().map(|problem| reasons(t, problem));
    let mut outlook = None;
    let campaigns = campaigns_for_imports(person).await?;
    let campaign_id = chosen.campaign(&campaigns).map(|one| one.campaign_id);
    match mapping(&columns, country) {
        Ok(mapping) => {
            match upload::preview(state, caller, upload, mapping.clone(), campaign_id).await {
                Ok(preview) => {
                    let mut shown = Outlook::new(t, preview, &mapping);
                    let unknown = shown.summary.bus_props_unknown.as_ref();
                    if let Some((unknown, campaign)) = unknown.zip(chosen.campaign(&campaigns)) {
                        let form_id = campaign.content.form_id;
                        shown.unknown = unknown_bus_props(person, form_id, unknown).await;
                    }
                    outlook = Some(shown);
                }
                Err(problem) if problem.code().status().is_client_error() => {
                    told = told.or_else(|| Some(upload_refused(t, &problem)));
                }
                Err(problem) => return Err(problem),
            }
        }
        Err(missing) => told = told.or_else(|| Some(t.get(missing))),
    }
    let send_question = chosen.campaign(&campaigns).map(|campaign| {
        let content = &campaign.content;
        let question = if person.state.sending.simulates(&content.sender) {
            "sure-import-send-simulated"
        } else {
            "sure-import-send"
        };
        t.with(question, &content.name)
    });
    let status = problem.map_or(StatusCode::OK, |problem| problem.code().status());
    let mut countries: Vec<_> = countries()
        .map(|(country, code)| (country.to_string(), code))
        .collect();
    countries.sort();
    let template = FilePage {
        f: &f,
        upload,
        look: &look,
        columns: &columns,
        countries,
        country: country.map_or_else(String::new, |country| country.to_string()),
        campaigns,
        campaign: &chosen.campaign,
        send_question,
        seen: query(&columns, country, ""),
        outlook,
        problem: told,
    };
    Ok(html(t, status, &template))
}

/// What the columns are: as it was chosen, else as it was said of the last file that had them, else as they look.
async fn columns(
    person: &SignedIn,
    look: &Look,
    chosen: &Chosen,
) -> Result<(Vec<Column>, Option<Country>)> {
    let last = upload::last_choice(&person.caller)
        .await?
        .unwrap_or_default();
    let country = match &chosen.country {
        Some(_) => chosen.country(),
        None => last.country().or_else(|| country_of_zone(person.time_zone)),
    };
    let has = |column: &Option<String>| {
        column
            .as_ref()
            .is_some_and(|name| look.columns.contains(name))
    };
    let mapping = if has(&last.phone_column) && has(&last.docid_column) {
        last.mapping()
    } else {
        Mapping {
            skip_columns: last.skip_columns,
            ..guess(&look.columns, &look.rows, country)
        }
    };
    let is_named = |named: &Option<String>, column: &String| named.as_ref() == Some(column);
    let guessed = |column: &String| {
        let is_docid = is_named(&mapping.docid_column, column);
        match (is_docid, is_named(&mapping.phone_column, column)) {
            (true, true) => Use::Both,
            (true, false) => Use::Docid,
            (false, true) => Use::Phone,
            (false, false) if mapping.skip_columns.contains(column) => Use::Skip,
            (false, false) => Use::Keep,
        }
    };
    let column = |(n, name): (usize, &String)| {
        let values = look.rows.iter().filter_map(|row| row.get(n));
        let examples = values.filter(|text| !text.is_empty()).take(EXAMPLES);
        Column {
            number: n,
            name: name.clone(),
            examples: examples.cloned().collect(),
            is: chosen
                .uses
                .get(&n)
                .copied()
                .unwrap_or_else(|| guessed(name)),
        }
    };
    let columns = look.columns.iter().enumerate().take(SHOWN_COLUMNS);
    Ok((columns.map(column).collect(), country))
}

/// How the file is to be read.
///
/// # Errors
/// The key of the text that says what is still to be chosen.
fn mapping(columns: &[Column], country: Option<Country>) -> Result<Mapping, &'static str> {
    let one = |is: fn(Use) -> bool, missing, twice| {
        let mut found = columns.iter().filter(|column| is(column.is));
        match (found.next(), found.next()) {
            (Some(column), None) => Ok(Some(column.name.clone())),
            (None, _) => Err(missing),
            (Some(_), Some(_)) => Err(twice),
        }
    };
    let skipped = columns.iter().filter(|column| column.is == Use::Skip);
    Ok(Mapping {
        phone_column: one(Use::is_phone, "choose-phone", "choose-one-phone")?,
        docid_column: one(Use::is_docid, "choose-docid", "choose-one-docid")?,
        skip_columns: skipped.map(|column| column.name.clone()).collect(),
        country,
    })
}

/// `POST /dashboard/imports/file/{upload_id}`: imports it, or adds to a campaign's form what it lacks. Another campaign than
/// that which the page showed is shown first, with what its form lacks.
pub async fn import(
    person: SignedIn,
    Path(upload_id): Path<String>,
    SentPairs(pairs): SentPairs,
) -> Result<Response> {
    let (caller, state) = (&person.caller, &person.state.imports);
    let upload = match find(&person, &upload_id).await? {
        Ok(upload) => upload,
        Err(elsewhere) => return Ok(elsewhere),
    };
    let chosen = Chosen::of(&pairs);
    let look = upload::look(state, caller, &upload).await?;
    let (columns, country) = columns(&person, &look, &chosen).await?;
    let is_seen = chosen.action != "look" && chosen.seen == query(&columns, country, "");
    let page = query(&columns, country, &chosen.campaign);
    let page = format!("/dashboard/imports/file/{}?{page}", upload.upload_id);
    let mapping = match mapping(&columns, country) {
        Ok(mapping) if is_seen => mapping,
        _ => return Ok(Redirect::to(&page).into_response()),
    };
    if chosen.action == "add" {
        let campaigns = campaigns_for_imports(&person).await?;
        let Some(campaign) = chosen.campaign(&campaigns) else {
            return Ok(Redirect::to(&page).into_response());
        };
        let campaign_id = Some(campaign.campaign_id);
        let preview = upload::preview(state, caller, &upload, mapping, campaign_id);
        let unknown = preview.await?.0.bus_props_unknown.unwrap_or_default();
        add_to_form(caller, campaign.content.form_id, &[&unknown], false).await?;
        return Ok(done::go(&page, "form.replace"));
    }
    if chosen.campaign != chosen.seen_campaign {
        return Ok(Redirect::to(&format!("{page}#outlook")).into_response());
    }
    let campaign_id = match &*chosen.campaign {
        "" => None,
        id => Some(parse_id("campaign", id)?),
    };
    let choice = Choice::of(&mapping);
    let (request, body) = upload::request(caller, &upload, mapping)?;
    let gone = person.ended(Role::Editor);
    match operations::import(state, caller, campaign_id, Ok(request), body, gone).await {
        Ok(imported) => {
            // The import stands: who is told otherwise does it again.
            if let Err(problem) = upload::imported(caller, &upload, &choice).await {
                tracing::warn!(
                    problem = problem.code().as_str(),
                    "a file that was imported is kept for its hour"
                );
            }
            let batch_id = imported.batch_id().ok_or_else(Problem::not_found)?;
            Ok(to_batch(batch_id))
        }
        Err(problem) if problem.code() == Code::IdempotencyInFlight => {
            imports::refused(
                &person,
                StatusCode::CONFLICT,
                person.t.get("file-under-way"),
            )
            .await
        }
        Err(problem) if problem.code().status().is_client_error() => {
            draw(&person, &upload, &chosen, Some(problem)).await
        }
        Err(problem) => Err(problem),
    }
}

/// Why a file is refused.
pub fn upload_refused(t: &Text, problem: &Problem) -> String {
    let file = match problem.code() {
        Code::UnsupportedMediaType => "file-kind",
        Code::BodyTooLarge => "file-too-large",
        Code::InvalidCsv | Code::InvalidJson => "file-broken",
        _ => return reasons(t, problem),
    };
    let detail = problem.detail();
    t.with(file, detail.strip_suffix(REMEDY).unwrap_or(detail))
}
