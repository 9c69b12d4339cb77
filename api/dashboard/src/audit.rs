//! The audit log: who changed or exported what, when, and from where, in words.

use std::collections::HashMap;

use api_http::{Result, parse_id};
use api_language::Text;
use api_report::operations::{AuditDays, export_audit};
use askama::Template;
use axum::extract::Query;
use axum::response::Response;
use domain::docid::is_erased;
use serde::Deserialize;
use store::account::AuditRow;
use uuid::Uuid;

use crate::download::{named, today};
use crate::names::names;
use crate::page::{Frame, page};
use crate::signed_in::SignedIn;

const ROWS: usize = 100;
/// So many files are known by name, the newest.
const FILES: usize = 200;
/// With what the names of keys begin.
const KEY: &str = "fk_";

#[derive(Template)]
#[template(path = "audit.html")]
struct AuditPage<'a> {
    f: &'a Frame,
    rows: Vec<ShownRow>,
    /// The query of the next page.
    next: Option<String>,
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
    /// The text for what it came to.
    outcome: &'static str,
}

impl ShownRow {
    fn new(row: AuditRow, t: &Text, names: &HashMap<String, String>) -> Self {
        Self {
            who: who(&row, t, names),
            what: t.of("audit", &row.action),
            subject: subject(&row, t, names),
            page: page_of(&row, names),
            outcome: outcome(row.status),
            row,
        }
    }
}

fn who(row: &AuditRow, t: &Text, names: &HashMap<String, String>) -> String {
    if row.name.is_empty() {
        t.get("audit-command-line")
    } else if row.name.starts_with(KEY) {
        t.with("audit-by-key", names.get(&row.name).unwrap_or(&row.name))
    } else {
        row.name.clone()
    }
}

/// What something was done to. An id without a name is that of something that is gone, or that never had one.
fn subject(row: &AuditRow, t: &Text, names: &HashMap<String, String>) -> String {
    if is_erased(&row.subject) {
        return t.get("erased-person");
    }
    if let Some(name) = names.get(&row.subject) {
        return name.clone();
    }
    if row.subject.parse::<Uuid>().is_ok() {
        return String::new();
    }
    match &*row.action {
        "link.delete" => String::new(),
        "share.create" => match form_of(&row.subject) {
            Some(form_id) => names.get(form_id).cloned().unwrap_or_else(|| t.get("form")),
            None => t.get("nav-overview"),
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
    if row.action == "share.create" {
        return row
            .subject
            .starts_with("/dashboard")
            .then(|| row.subject.clone());
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
    let id = names.get_key_value(&row.subject)?.0;
    Some(format!("/dashboard/{folder}/{id}"))
}

#[derive(Deserialize)]
pub struct AuditQuery {
    /// The id of the last row that was shown.
    after: Option<String>,
}

/// `GET /dashboard/audit`.
pub async fn show(person: SignedIn, Query(query): Query<AuditQuery>) -> Result<Response> {
    let f = person.frame("audit");
    let after = query
        .after
        .as_deref()
        .map(|after| parse_id("after", after))
        .transpose()?;
    let found = person.store();
    let found = found
        .audit(person.account_id, (None, None), after, ROWS)
        .await?;
    let mut names = names(&person).await;
    names.extend(file_names(&person).await);
    names.extend(key_names(&person).await?);
    let rows = found.rows.into_iter();
    let rows = rows.map(|row| ShownRow::new(row, f.t, &names));
    let template = AuditPage {
        f: &f,
        rows: rows.collect(),
        next: found.next.map(|last| format!("after={last}")),
    };
    Ok(page(&f, &template))
}

/// What files that were imported are called, by the ids of their batches. The page can do without them.
async fn file_names(person: &SignedIn) -> HashMap<String, String> {
    let batches = person.store().batches(person.account_id, None, FILES).await;
    let rows = batches.into_iter().flat_map(|page| page.rows);
    let names = rows.filter_map(|batch| Some((batch.batch_id.to_string(), batch.name?)));
    names.collect()
}

/// What API keys are called.
async fn key_names(person: &SignedIn) -> Result<HashMap<String, String>> {
    let keys = person.store().list_keys(Some(person.account_id)).await?;
    let keys = keys.into_iter();
    Ok(keys
        .filter_map(|key| Some((key.api_key, key.name?)))
        .collect())
}

/// `GET /dashboard/audit.ndjson`.
pub async fn export(person: SignedIn) -> Result<Response> {
    let export = export_audit(&person.caller, AuditDays::default());
    let file = (&*person.t.get("nav-audit"), "ndjson");
    Ok(named(export.await?, file, &person.company, today(&person)))
}

#[cfg(test)]
mod tests {
    use api_language::of_code;
    use chrono::Utc;

    use super::*;

    const ID: &str = "0190c0de-0000-7000-8000-000000000000";

    fn shown(name: &str, action: &str, subject: &str, status: Option<i16>) -> ShownRow {
        let row = AuditRow {
            audit_id: Uuid::nil(),
            at: Utc::now(),
            name: name.to_owned(),
            address: String::new(),
            action: action.to_owned(),
            subject: subject.to_owned(),
            status,
        };
        let names = [(ID, "After the visit"), ("fk_2", "Till")];
        let names = names.map(|(id, name)| (id.to_owned(), name.to_owned()));
        let names = HashMap::from(names);
        ShownRow::new(row, of_code("en"), &names)
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
        // What is gone has no name, and no page.
        let gone = shown("ada", "form.delete", &Uuid::nil().to_string(), None);
        assert_eq!((&*gone.subject, gone.page), ("", None));
    }
}
