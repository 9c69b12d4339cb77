//! The links of a form that no campaign made: their list, a new one, one for each store with a sheet of QR codes to print, and one
//! that tries the form and keeps nothing.

use std::collections::{BTreeMap, HashMap};

use api_form::operations::{self, LinkWithCounts};
use api_form::{LinkRequest, LinkResponse};
use api_http::{Problem, Result, parse_id};
use askama::Template;
use axum::Router;
use axum::extract::{Path, Query};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use chrono::Utc;
use domain::form::FormStatus;
use domain::link::Token;
use serde::Deserialize;
use store::form::Form;
use url::form_urlencoded::Serializer;
use url::{Host, Url};
use uuid::Uuid;

use crate::audit::key_names;
use crate::done;
use crate::list::{PageQuery, ShownList};
use crate::maker::maker;
use crate::page::{Frame, html, page};
use crate::reasons::reasons;
use crate::sent::{NoFields, SentChange};
use crate::signed_in::SignedIn;
use crate::state::DashboardState;

/// What everybody reads.
pub fn pages() -> Router<DashboardState> {
    Router::new()
        .route("/dashboard/forms/{form_id}/links", get(list))
        .route("/dashboard/forms/{form_id}/links/{token}", get(show))
        .route("/dashboard/forms/{form_id}/sheet", get(sheet))
}

/// What editors change.
pub fn edits() -> Router<DashboardState> {
    Router::new()
        .route("/dashboard/forms/{form_id}/link", post(create))
        .route("/dashboard/forms/{form_id}/try", post(try_form))
        .route("/dashboard/forms/{form_id}/make-sheet", post(make_sheet))
        .route("/dashboard/forms/{form_id}/delete-link", post(delete))
}

#[derive(Template)]
#[template(path = "links.html")]
struct LinksPage<'a> {
    f: &'a Frame,
    form: &'a Form,
    links: ShownList<LinkWithCounts>,
    /// What API keys are called.
    keys: HashMap<String, String>,
    /// What was entered for a new one, and why it was refused.
    new: &'a NewLink,
    refusal: Option<String>,
}

impl LinksPage<'_> {
    fn takes_links(&self) -> bool {
        self.f.may_edit() && self.form.status == FormStatus::Published
    }

    fn hides(&self, link: &LinkResponse) -> bool {
        is_hidden(self.f, link)
    }

    /// Whether its page and its code can be opened.
    fn opens(&self, one: &LinkWithCounts) -> bool {
        one.deleted_at.is_none() && !self.hides(&one.link)
    }

    fn made(&self, link: &LinkResponse) -> String {
        made(self.f, link, &self.keys)
    }

    /// The business properties that new links can have, with how many values each has.
    fn sheets(&self) -> BTreeMap<&str, i64> {
        let entries = self.form.content.bus_props.iter();
        let mut sheets = BTreeMap::new();
        for entry in entries.filter(|entry| !entry.retired) {
            *sheets.entry(entry.text.name()).or_default() += 1;
        }
        sheets
    }
}

/// A link to be made.
#[derive(Default, Deserialize)]
struct NewLink {
    #[serde(default)]
    name: String,
    /// An id, or empty.
    #[serde(default)]
    bus_prop: String,
    #[serde(default)]
    kiosk: String,
}

/// `GET /dashboard/forms/{form_id}/links`.
async fn list(
    person: SignedIn,
    Path(form_id): Path<String>,
    Query(query): Query<PageQuery>,
) -> Result<Response> {
    let form_id = parse_id("form_id", &form_id)?;
    answer(&person, form_id, &query, &NewLink::default(), None).await
}

async fn answer(
    person: &SignedIn,
    form_id: Uuid,
    query: &PageQuery,
    new: &NewLink,
    problem: Option<Problem>,
) -> Result<Response> {
    let form = operations::read_form(&person.caller, form_id).await?;
    let list = query.list(person, &format!("links {form_id}"), 50);
    let links =
        operations::list_links_by_hand(&person.caller, &form, list.position()?, list.limit).await?;
    let keys = key_names(person).await?;
    let f = person.frame("forms");
    let status = problem
        .as_ref()
        .map_or(StatusCode::OK, |problem| problem.code().status());
    let template = LinksPage {
        f: &f,
        form: &form,
        links: ShownList::new(&list, links),
        keys,
        new,
        refusal: problem.map(|problem| reasons(f.t, &problem)),
    };
    Ok(html(f.t, status, &template))
}

/// Makes a link, and leads to its page.
async fn create(
    person: SignedIn,
    Path(form_id): Path<String>,
    SentChange(new): SentChange<NewLink>,
) -> Result<Response> {
    let form_id = parse_id("form_id", &form_id)?;
    let mut pairs = Vec::new();
    for (name, value) in [("name", &new.name), ("kiosk", &new.kiosk)] {
        if !value.trim().is_empty() {
            pairs.push((name.to_owned(), value.trim().to_owned()));
        }
    }
    let ids = new.bus_prop.parse().map_err(|_| Problem::not_found())?;
    let request = LinkRequest::read(&pairs, Utc::now());
    match operations::create_link(&person.caller, form_id, ids, request).await {
        Ok(made) => Ok(done::go(&page_of(&made), "form.link")),
        Err(problem) if !problem.members().is_empty() => {
            answer(&person, form_id, &PageQuery::default(), &new, Some(problem)).await
        }
        Err(problem) => Err(problem),
    }
}

/// Leads to the page of the link that tries a form.
async fn try_form(
    person: SignedIn,
    Path(form_id): Path<String>,
    SentChange(NoFields {}): SentChange<NoFields>,
) -> Result<Response> {
    let form_id = parse_id("form_id", &form_id)?;
    let link = operations::try_form(&person.caller, form_id).await?;
    let page = format!("{}?tries=yes", page_of(&link));
    Ok(Redirect::to(&page).into_response())
}

#[derive(Template)]
#[template(path = "link.html")]
struct LinkPage<'a> {
    f: &'a Frame,
    link: &'a LinkResponse,
    path: String,
    tries: bool,
    /// When it was made, and by whom if that is known.
    made: String,
}

impl LinkPage<'_> {
    fn is_hidden(&self) -> bool {
        is_hidden(self.f, self.link)
    }

    /// Whether its code is shown: of a link that only tries a form, if a phone can open it.
    fn has_code(&self) -> bool {
        !self.tries || unreachable(&self.link.link) != Some(COMPUTER)
    }

    /// The values of its business properties, such as a store.
    fn counts_for(&self) -> String {
        let texts = self.link.bus_props.iter();
        let values = texts.filter_map(|text| text.split_once(':'));
        let values: Vec<_> = values.map(|(_, value)| value).collect();
        values.join(", ")
    }

    /// What the file of its code is called, without its kind.
    fn file(&self) -> String {
        let known = [self.link.name.clone(), Some(self.counts_for())];
        let mut known = known.into_iter().flatten();
        let known = known.find(|name| !name.is_empty());
        known.unwrap_or_else(|| "qr".to_owned())
    }
}

/// Whether a link tries a form.
#[derive(Deserialize)]
struct ShownLink {
    tries: Option<String>,
}

/// Whether the address of a link is kept from who reads the page: a viewer could answer in the place of the person whom it is for.
fn is_hidden(f: &Frame, link: &LinkResponse) -> bool {
    !f.may_edit() && link.is_personal()
}

/// When a link was made, and by whom if that is known.
fn made(f: &Frame, link: &LinkResponse, keys: &HashMap<String, String>) -> String {
    let at = format!("{} {}", f.t.get("created-at"), f.moment(link.created_at));
    match &link.made_by {
        Some(by) => {
            let by = maker(f, keys, by, link.made_from.as_deref());
            format!("{at} {}", f.t.with("access-by", by))
        }
        None => at,
    }
}

fn page_of(link: &LinkResponse) -> String {
    format!("/dashboard/forms/{}/links/{}", link.form_id, link.token)
}

/// `GET /dashboard/forms/{form_id}/links/{token}`: a link and its code.
async fn show(
    person: SignedIn,
    Path((form_id, token)): Path<(String, String)>,
    Query(ShownLink { tries }): Query<ShownLink>,
) -> Result<Response> {
    let form_id: Uuid = parse_id("form_id", &form_id)?;
    let token: Token = token.parse().map_err(|_| Problem::not_found())?;
    let LinkWithCounts { link, .. } = operations::read_link(&person.caller, &token).await?;
    if link.form_id != form_id {
        return Err(Problem::not_found());
    }
    let keys = key_names(&person).await?;
    let f = person.frame("forms");
    let template = LinkPage {
        f: &f,
        path: path(&link.link),
        link: &link,
        tries: tries.is_some(),
        made: made(&f, &link, &keys),
    };
    Ok(page(&f, &template))
}

/// A link on this host, which may be reached under another name than links have.
pub fn path(link: &str) -> String {
    Url::parse(link).map_or_else(|_| link.to_owned(), |url| url.path().to_owned())
}

/// The text that warns of a link that opens on this computer only.
const COMPUTER: &str = "link-this-computer";

/// The text that warns of a link that phones cannot open: its host is this computer, or an address of a network of its own.
pub fn unreachable(link: &str) -> Option<&'static str> {
    const NETWORK: &str = "link-this-network";
    let url = Url::parse(link).ok()?;
    match url.host()? {
        Host::Ipv4(ip) if ip.is_loopback() || ip.is_unspecified() => Some(COMPUTER),
        Host::Ipv4(ip) => (ip.is_private() || ip.is_link_local()).then_some(NETWORK),
        Host::Ipv6(ip) if ip.is_loopback() || ip.is_unspecified() => Some(COMPUTER),
        Host::Ipv6(ip) => (ip.is_unique_local() || ip.is_unicast_link_local()).then_some(NETWORK),
        Host::Domain(name) => match name.rsplit('.').next() {
            Some("localhost") => Some(COMPUTER),
            Some("local") => Some(NETWORK),
            _ => None,
        },
    }
}

/// Which link.
#[derive(Deserialize)]
struct OneLink {
    link: String,
}

/// Deletes a link.
async fn delete(
    person: SignedIn,
    Path(form_id): Path<String>,
    SentChange(OneLink { link }): SentChange<OneLink>,
) -> Result<Response> {
    let form_id: Uuid = parse_id("form_id", &form_id)?;
    let token: Token = link.parse().map_err(|_| Problem::not_found())?;
    operations::delete_link(&person.caller, &token).await?;
    Ok(Redirect::to(&format!("/dashboard/forms/{form_id}/links")).into_response())
}

/// A business property.
#[derive(Deserialize)]
struct SheetQuery {
    bus_prop: String,
}

#[derive(Template)]
#[template(path = "sheet.html")]
struct SheetPage<'a> {
    f: &'a Frame,
    form: &'a Form,
    bus_prop: &'a str,
    /// Each value with its link, if it has one.
    links: Vec<(String, Option<LinkResponse>)>,
}

impl SheetPage<'_> {
    /// The text that warns of links that phones cannot open.
    fn unreachable(&self) -> Option<&'static str> {
        let links = self.links.iter();
        let mut links = links.filter_map(|(_, link)| link.as_ref());
        unreachable(&links.next()?.link)
    }

    fn missing(&self) -> i64 {
        let missing = self.links.iter().filter(|(_, link)| link.is_none());
        i64::try_from(missing.count()).unwrap_or(i64::MAX)
    }
}

/// `GET /dashboard/forms/{form_id}/sheet`.
async fn sheet(
    person: SignedIn,
    Path(form_id): Path<String>,
    Query(SheetQuery { bus_prop }): Query<SheetQuery>,
) -> Result<Response> {
    let form_id = parse_id("form_id", &form_id)?;
    let form = operations::read_form(&person.caller, form_id).await?;
    let links = operations::read_sheet(&person.caller, &form, &bus_prop).await?;
    if links.is_empty() {
        return Err(Problem::not_found());
    }
    let f = person.frame("forms");
    let template = SheetPage {
        f: &f,
        form: &form,
        bus_prop: &bus_prop,
        links,
    };
    Ok(page(&f, &template))
}

/// Makes the links of a sheet that are missing.
async fn make_sheet(
    person: SignedIn,
    Path(form_id): Path<String>,
    SentChange(SheetQuery { bus_prop }): SentChange<SheetQuery>,
) -> Result<Response> {
    let form_id = parse_id("form_id", &form_id)?;
    operations::make_sheet(&person.caller, form_id, &bus_prop).await?;
    let mut query = Serializer::new(String::new());
    let query = query.append_pair("bus_prop", &bus_prop).finish();
    Ok(Redirect::to(&format!("/dashboard/forms/{form_id}/sheet?{query}")).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_phones_cannot_open_is_told() {
        let (computer, network) = (Some("link-this-computer"), Some("link-this-network"));
        for (host, expected) in [
            ("127.0.0.1:8080", computer),
            ("localhost", computer),
            ("[::1]:8080", computer),
            ("192.168.178.20:8080", network),
            ("10.1.2.3", network),
            ("[fd00::1]", network),
            ("kasse.local", network),
            ("feedback.example", None),
            ("93.184.215.14", None),
            ("[2001:db8::1]", None),
        ] {
            assert_eq!(
                unreachable(&format!("http://{host}/f/x")),
                expected,
                "{host}"
            );
        }
    }
}
