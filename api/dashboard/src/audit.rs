//! The audit log: who changed, exported or saw what, when, and from where, in words.

use std::collections::{BTreeSet, HashMap};

use api_http::lines::page_permit;
use api_http::{Result, parse_id};
use api_import::operations::read_recipient;
use api_language::Text;
use api_report::operations::{AuditKind, AuditQuery, export_audit};
use askama::Template;
use axum::extract::Query;
use axum::response::Response;
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use domain::docid::is_erased;
use domain::person::Role;
use serde::Deserialize;
use store::account::AuditRow;
use strum::VariantArray;
use url::form_urlencoded::Serializer;
use uuid::Uuid;

use crate::audit_changes::{self, ShownChange};
use crate::download::{named, today};
use crate::names::names;
use crate::page::{Frame, page};
use crate::recipients::{self, optional};
use crate::signed_in::SignedIn;

const ROWS: usize = 100;
/// So many files are known by name, the newest.
const FILES: usize = 200;
/// With what the names of keys begin.
const KEY: &str = "fk_";
/// How the page names the command line. No name of a person has capital letters.
const COMMAND_LINE: &str = "COMMAND-LINE";

#[derive(Template)]
#[template(path = "audit.html")]
struct AuditPage<'a> {
    f: &'a Frame,
    wanted: Wanted,
    /// Who can be chosen: their names in the log, and in words.
    names: Vec<(String, String)>,
    kinds: &'static [AuditKind],
    rows: Vec<ShownRow>,
    /// What is said where there are none.
    none: String,
    /// Of a customer number that is looked for: whether somebody has it.
    is_stored: Option<bool>,
    /// Whether whoever had it was erased with an import.
    is_erased_with_import: bool,
    /// The query of the next page.
    next: Option<String>,
}

/// Which rows are shown; what is empty says nothing. Its days have names of their own, as no other page keeps them.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Wanted {
    name: String,
    kind: String,
    first: String,
    last: String,
    docid: String,
    subject: String,
    /// The id of the last row that was shown.
    after: String,
}

impl Wanted {
    /// The parameters, by the names that [`AuditQuery`] has for them.
    fn pairs(&self) -> [(&'static str, &str); 6] {
        [
            ("name", &self.name),
            ("kind", &self.kind),
            ("from", &self.first),
            ("to", &self.last),
            ("docid", &self.docid),
            ("subject", &self.subject),
        ]
    }

    fn read(&self) -> Result<AuditQuery> {
        AuditQuery::read(|name| {
            let mut pairs = self.pairs().into_iter();
            let value = pairs.find_map(|(other, value)| (other == name).then_some(value));
            let value = value.filter(|value| !value.is_empty());
            Ok(value.map(|value| if value == COMMAND_LINE { "" } else { value }))
        })
    }

    /// The query of the page, and of what is downloaded.
    fn query(&self) -> String {
        let mut query = Serializer::new(String::new());
        for (name, value) in self.pairs() {
            let name = match name {
                "from" => "first",
                "to" => "last",
                name => name,
            };
            if !value.is_empty() {
                query.append_pair(name, value);
            }
        }
        query.finish()
    }

    /// The query of all that is about the same as a row.
    fn about(row: &AuditRow) -> String {
        let (name, value) = match &row.docid {
            Some(docid) => ("docid", &**docid),
            None => ("subject", id_of(row)),
        };
        let mut query = Serializer::new(String::new());
        query.append_pair(name, value).finish()
    }
}

/// A row in words.
struct ShownRow {
    row: AuditRow,
    who: String,
    what: String,
    /// What it was done to, as people call it; empty: nothing that has a name.
    subject: String,
    /// The page of that.
    page: Option<String>,
    /// The query of all that was done to it.
    about: Option<String>,
    /// The text for what it came to.
    outcome: &'static str,
    /// What was changed, of a form, a campaign or settings.
    changes: Vec<ShownChange>,
    /// That there is more of it than is kept.
    more: Option<String>,
}

impl ShownRow {
    fn new(row: AuditRow, (t, zone): (&Text, Tz), names: &HashMap<String, String>) -> Self {
        Self {
            who: who(&row.name, t, names),
            what: t.of("audit", &row.action),
            subject: subject(&row, (t, zone), names),
            page: page_of(&row, names),
            about: (row.action.starts_with("recipient.")
                || names.contains_key(id_of(&row))
                || id_of(&row).parse::<Uuid>().is_ok())
            .then(|| Wanted::about(&row)),
            outcome: outcome(row.status),
            changes: audit_changes::shown(&row.changes, (t, zone), names),
            more: audit_changes::more(t, &row.changes),
            row,
        }
    }
}

/// A person, a key or the command line, as the log names them, in words.
pub fn who(name: &str, t: &Text, names: &HashMap<String, String>) -> String {
    match name {
        "" => t.get("audit-command-line"),
        name if name.starts_with(KEY) => key_words(name, t, names),
        name => name.to_owned(),
    }
}

fn key_words(key: &str, t: &Text, names: &HashMap<String, String>) -> String {
    t.with("audit-by-key", names.get(key).map_or(key, String::as_str))
}

/// The id of what was made, and what its row says besides. Rows of before have no ids.
fn split(row: &AuditRow) -> Option<(&str, &str)> {
    let (id, words) = row.subject.split_once(' ')?;
    let is_id = match &*row.action {
        "key.create" => id.starts_with(KEY),
        "form.create" | "campaign.create" | "share.create" | "share.withdraw" => {
            id.parse::<Uuid>().is_ok()
        }
        _ => false,
    };
    is_id.then_some((id, words))
}

/// By what the log knows it elsewhere.
fn id_of(row: &AuditRow) -> &str {
    split(row).map_or(&*row.subject, |(id, _)| id)
}

/// The end of what was shared, which rows of before do not have, and its path.
fn shared(row: &AuditRow) -> (Option<DateTime<Utc>>, &str) {
    let words = split(row).map_or(&*row.subject, |(_, words)| words);
    let read = |(end, path): (&str, _)| Some((Some(end.parse().ok()?), path));
    let shared = words.split_once(' ').and_then(read);
    shared.unwrap_or((None, words))
}

/// What people call a page that was shared.
pub fn shared_words(path: &str, t: &Text, names: &HashMap<String, String>) -> String {
    let form = form_of(path).map(|id| names.get(id).cloned());
    let form = form.map(|name| name.unwrap_or_else(|| t.get("form")));
    form.unwrap_or_else(|| t.get("nav-overview"))
}

/// What was made, and its end.
fn until(words: String, end: Option<DateTime<Utc>>, (t, zone): (&Text, Tz)) -> String {
    match end {
        Some(end) => format!("{words}, {}", t.with("share-until", t.moment(&end, zone))),
        None => words,
    }
}

/// What something was done to. What is gone, has no name or is older than the names that are known has its id.
fn subject(row: &AuditRow, (t, zone): (&Text, Tz), names: &HashMap<String, String>) -> String {
    if let Some(docid) = &row.docid {
        return docid.clone();
    }
    if is_erased(&row.subject) {
        return t.get("erased-person");
    }
    if let Some(name) = names.get(&row.subject) {
        return name.clone();
    }
    match &*row.action {
        "link.delete" => String::new(),
        // What it was called when it was made.
        "form.create" | "campaign.create" => {
            let words = split(row).map_or(&*row.subject, |(_, words)| words);
            words.to_owned()
        }
        // The browser, or of those that were refused which it was.
        action if action.starts_with("sign-in.") => match row.subject.parse::<i64>() {
            Ok(number) => t.count("audit-refusals", number),
            Err(_) => row.subject.clone(),
        },
        "share.create" | "share.withdraw" => {
            let (end, path) = shared(row);
            until(shared_words(path, t, names), end, (t, zone))
        }
        // The key, its end, its name and its scopes.
        "key.create" => match *row.subject.splitn(3, ' ').collect::<Vec<_>>() {
            [key, end, made] if key.starts_with(KEY) => {
                let words = format!("{key} {made}");
                until(words, end.parse().ok(), (t, zone))
            }
            _ => row.subject.clone(),
        },
        // The name, the role of before and the new one.
        "person.role" => match *row.subject.rsplitn(3, ' ').collect::<Vec<_>>() {
            [new, old, name] if [new, old].iter().all(|role| role.parse::<Role>().is_ok()) => {
                let [old, new] = [old, new].map(|role| t.of("role", role));
                format!("{name} ({old} → {new})")
            }
            _ => row.subject.clone(),
        },
        // The name and the role.
        "person.add" => match row.subject.rsplit_once(' ') {
            Some((name, role)) => format!("{name} ({})", t.of("role", role)),
            None => row.subject.clone(),
        },
        _ => row.subject.clone(),
    }
}

/// The text for an HTTP status.
fn outcome(status: Option<i16>) -> &'static str {
    match status {
        Some(..400) => "audit-done",
        Some(401) => "audit-wrong",
        Some(403) => "audit-forbidden",
        Some(400..500) => "audit-refused",
        Some(500..) => "audit-failed",
        None => "audit-unknown",
    }
}

/// The form of a page that was shared.
fn form_of(path: &str) -> Option<&str> {
    path.strip_prefix("/dashboard/form/")?.split('?').next()
}

/// The page of what was changed, if it has one.
fn page_of(row: &AuditRow, names: &HashMap<String, String>) -> Option<String> {
    if row.action.starts_with("share.") {
        let (_, path) = shared(row);
        return path.starts_with("/dashboard").then(|| path.to_owned());
    }
    if let Some(docid) = &row.docid {
        return Some(recipients::path(docid));
    }
    let (kind, _) = row.action.split_once('.')?;
    let folder = match kind {
        "form" | "answers" | "stores" => "form",
        // With which a file was uploaded.
        "import" if row.action.ends_with("upload") => "campaigns",
        "import" => "imports",
        "campaign" | "messages" => "campaigns",
        _ => return None,
    };
    let id = names.get_key_value(id_of(row))?.0;
    Some(format!("/dashboard/{folder}/{id}"))
}

/// `GET /dashboard/audit`.
pub async fn show(person: SignedIn, Query(wanted): Query<Wanted>) -> Result<Response> {
    let f = person.frame("audit");
    let after = Some(&*wanted.after).filter(|after| !after.is_empty());
    let after = after.map(|after| parse_id("after", after)).transpose()?;
    let query = wanted.read()?;
    let filter = query.filter(&person.caller).await?;
    let permit = page_permit(&person.state.app, person.account_id).await?;
    let found = person.store();
    let found = found.audit(person.account_id, &filter, after, ROWS).await?;
    let is_stored = match &query.docid {
        Some(docid) => Some(optional(read_recipient(&person.caller, docid).await)?.is_some()),
        None => None,
    };
    let keys = key_names(&person).await?;
    let shown = found.rows.iter().map(|row| row.name.clone());
    let shown = shown.chain(
        [wanted.name.clone()]
            .into_iter()
            .filter(|name| !name.is_empty()),
    );
    let choices = choices(&person, &keys, shown).await?;
    let mut names = names(&person).await;
    names.extend(file_names(&person).await);
    names.extend(keys);
    let rows = found.rows.into_iter();
    let rows: Vec<_> = rows
        .map(|row| ShownRow::new(row, (f.t, f.zone), &names))
        .collect();
    let none = if rows.is_empty() {
        none(&person, &f).await?
    } else {
        String::new()
    };
    let next = |last: Uuid| {
        let mut query = Serializer::new(wanted.query());
        query.append_pair("after", &last.to_string()).finish()
    };
    let template = AuditPage {
        f: &f,
        names: choices,
        kinds: AuditKind::VARIANTS,
        rows,
        none,
        is_stored,
        is_erased_with_import: !filter.erased_with.is_empty(),
        next: found.next.map(next),
        wanted,
    };
    Ok(permit.hold(page(&f, &template)))
}

/// What is said where no row is listed: since when there are rows.
async fn none(person: &SignedIn, f: &Frame) -> Result<String> {
    let began = person.store().audit_began(person.account_id).await?;
    let since = began.map(|at| format!(" {}", f.t.with("audit-since", f.exact_moment(at))));
    Ok(f.t.get("audit-none") + &since.unwrap_or_default())
}

/// Whom the page lets choose: the account's people and keys, whom the newest rows of the log have, also those who are gone, and of the
/// rows that are `shown`.
async fn choices(
    person: &SignedIn,
    keys: &HashMap<String, String>,
    shown: impl Iterator<Item = String>,
) -> Result<Vec<(String, String)>> {
    let (t, store) = (person.t, person.store());
    let newest = store.audit_names(person.account_id).await?;
    let people = store.people(Some(person.account_id)).await?;
    let people = people.into_iter().map(|one| one.name);
    let all = newest.into_iter().chain(people).chain(keys.keys().cloned());
    let choice = |name: String| match &*name {
        "" | COMMAND_LINE => (COMMAND_LINE.to_owned(), t.get("audit-command-line")),
        key if key.starts_with(KEY) => (name.clone(), key_words(key, t, keys)),
        _ => (name.clone(), name),
    };
    let choices: BTreeSet<_> = all.chain(shown).map(choice).collect();
    let mut choices = Vec::from_iter(choices);
    // People come first, keys last.
    choices.sort_unstable_by_key(|(name, words)| {
        (name.starts_with(KEY), name == COMMAND_LINE, words.clone())
    });
    Ok(choices)
}

/// What files that were imported are called, by the ids of their batches. The page can do without them.
async fn file_names(person: &SignedIn) -> HashMap<String, String> {
    let batches = person.store().batches(person.account_id, None, FILES).await;
    let rows = batches.into_iter().flat_map(|page| page.rows);
    let names = rows.filter_map(|batch| Some((batch.batch_id.to_string(), batch.name?)));
    names.collect()
}

/// What API keys are called; one without a name by itself.
pub async fn key_names(person: &SignedIn) -> Result<HashMap<String, String>> {
    let keys = person.store().list_keys(Some(person.account_id)).await?;
    let keys = keys.into_iter();
    Ok(keys
        .map(|key| {
            let name = key.name.unwrap_or_else(|| key.api_key.clone());
            (key.api_key, name)
        })
        .collect())
}

/// `GET /dashboard/audit.ndjson`: all that the page lists.
pub async fn export(person: SignedIn, Query(wanted): Query<Wanted>) -> Result<Response> {
    let query = wanted.read()?;
    let export = export_audit(&person.caller, &query);
    let file = (&*person.t.get("nav-audit"), "ndjson");
    Ok(named(export.await?, file, &person.company, today(&person)))
}

#[cfg(test)]
mod tests {
    use api_language::of_code;
    use domain::changes::Changes;

    use super::*;

    const ID: &str = "0190c0de-0000-7000-8000-000000000000";
    /// Of a recipient who is stored.
    const HASH: &str = "\u{1}0a";

    fn shown(name: &str, action: &str, subject: &str, status: Option<i16>) -> ShownRow {
        let row = AuditRow {
            audit_id: Uuid::nil(),
            at: Utc::now(),
            name: name.to_owned(),
            address: String::new(),
            action: action.to_owned(),
            subject: subject.to_owned(),
            docid: (subject == HASH).then(|| "order-1".to_owned()),
            status,
            changes: Changes::default(),
        };
        let names = [(ID, "After the visit"), ("fk_2", "Till")];
        let names = names.map(|(id, name)| (id.to_owned(), name.to_owned()));
        let names = HashMap::from(names);
        ShownRow::new(row, (of_code("en"), Tz::Europe__Berlin), &names)
    }

    #[test]
    fn a_row_is_told_in_words() {
        let exported = shown("fk_1", "answers.export", ID, Some(200));
        assert_eq!(exported.who, "API key fk_1");
        assert_eq!(exported.what, "Answers exported");
        assert_eq!(exported.subject, "After the visit");
        assert_eq!(
            exported.page.as_deref(),
            Some(&*format!("/dashboard/form/{ID}"))
        );
        assert_eq!(exported.outcome, "audit-done");
        let named = shown("fk_2", "answers.export", ID, Some(200));
        assert_eq!(named.who, "API key Till");
        let added = shown("", "person.add", "eve editor", Some(409));
        assert_eq!(added.who, "Command line");
        assert_eq!(added.subject, "eve (Editor)");
        assert_eq!(added.outcome, "audit-refused");
        let viewer = shown("eve", "form.create", "", Some(403));
        assert_eq!(viewer.outcome, "audit-forbidden");
        let shared = shown("ada", "share.create", "/dashboard?days=30", Some(503));
        assert_eq!(
            (&*shared.subject, shared.outcome),
            ("Overview", "audit-failed")
        );
        let end = "2026-12-31T23:00:00Z";
        let withdrawn = format!("{end} /dashboard/form/{ID}");
        let withdrawn = shown("ada", "share.withdraw", &withdrawn, Some(204));
        let expected = "After the visit, until 1 Jan 2027, 00:00";
        assert_eq!(withdrawn.subject, expected);
        let expected = format!("/dashboard/form/{ID}");
        assert_eq!(withdrawn.page, Some(expected));
        let made = format!("fk_2 {end} Till (report,form)");
        let made = shown("ada", "key.create", &made, Some(200));
        let expected = "fk_2 Till (report,form), until 1 Jan 2027, 00:00";
        assert_eq!(made.subject, expected);
        assert_eq!(made.about.as_deref(), Some("subject=fk_2"));
        let made = shown("ada", "key.create", "fk_2 - (report)", Some(200));
        assert_eq!(made.subject, "fk_2 (report)");
        for (subject, expected) in [
            ("eve m viewer editor", "eve m (Viewer → Editor)"),
            ("eve", "eve"),
        ] {
            let given = shown("ada", "person.role", subject, Some(200));
            assert_eq!(given.subject, expected);
        }
        let seen = shown("fk_2", "recipient.view", HASH, Some(200));
        assert_eq!(
            (&*seen.what, &*seen.subject),
            ("Phone number seen", "order-1")
        );
        assert_eq!(seen.page, Some(recipients::path("order-1")));
        assert_eq!(seen.about.as_deref(), Some("docid=order-1"));
        let erased = shown("ada", "recipient.erase", "\u{1}0b", Some(204));
        assert_eq!(
            (&*erased.subject, erased.page),
            ("somebody who was erased", None)
        );
        assert_eq!(erased.about.as_deref(), Some("subject=%010b"));
        let refused = shown("ada", "sign-in.password", "4", Some(401));
        assert_eq!(refused.subject, "4 attempts within an hour");
        assert_eq!(refused.outcome, "audit-wrong");
        let signed_in = shown("ada", "sign-in.password", "Firefox, Windows", Some(200));
        assert_eq!(signed_in.subject, "Firefox, Windows");
        // What is gone has no name, and no page, but what was done to it.
        let id = Uuid::nil().to_string();
        let gone = shown("ada", "form.delete", &id, None);
        assert_eq!((&gone.subject, gone.page), (&id, None));
        assert_eq!(gone.about, Some(format!("subject={id}")));
    }

    #[test]
    fn what_was_made_leads_to_its_page_and_to_all_that_was_done_to_it() {
        for (subject, words) in [
            (ID.to_owned(), "After the visit"),
            (format!("{ID} After it all"), "After it all"),
        ] {
            let made = shown("ada", "form.create", &subject, Some(201));
            assert_eq!(made.subject, words);
            let page = format!("/dashboard/form/{ID}");
            assert_eq!(made.page, Some(page));
            let about = format!("subject={ID}");
            assert_eq!(made.about, Some(about));
        }
        // Rows of before, and of what was refused.
        let before = shown("ada", "form.create", "After it all", Some(201));
        assert_eq!((&*before.subject, before.page), ("After it all", None));
        let refused = format!("{} After it all", Uuid::nil());
        let refused = shown("ada", "form.create", &refused, Some(422));
        assert_eq!((&*refused.subject, refused.page), ("After it all", None));
        let share_id = Uuid::max();
        let end = "2026-12-31T23:00:00Z";
        let withdrawn = format!("{share_id} {end} /dashboard/form/{ID}");
        let withdrawn = shown("ada", "share.withdraw", &withdrawn, Some(204));
        let expected = "After the visit, until 1 Jan 2027, 00:00";
        assert_eq!(withdrawn.subject, expected);
        let page = format!("/dashboard/form/{ID}");
        assert_eq!(withdrawn.page, Some(page));
    }

    #[test]
    fn what_is_empty_says_nothing_and_the_command_line_has_a_name() {
        let wanted = Wanted {
            name: COMMAND_LINE.to_owned(),
            first: "2026-01-31".to_owned(),
            ..Wanted::default()
        };
        let query = wanted.read().unwrap();
        assert_eq!((query.name.as_deref(), query.kind), (Some(""), None));
        assert_eq!(wanted.query(), "name=COMMAND-LINE&first=2026-01-31");
        let default = Wanted::default();
        assert!(default.read().unwrap().name.is_none());
        assert_eq!(default.query(), "");
    }
}
